#pragma once

// The network as a library: load() it once, run() it as often as wanted. Nothing is global; failure is a value.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft_model {

struct Error {
    std::string message; // where, the reason, and what can be done about it
};

// A value, or the reason why there is none.
template <typename T>
class Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] explicit operator bool() const { return m_state.index() == 0; }
    [[nodiscard]] T &operator*() { return *std::get_if<0>(&m_state); }
    [[nodiscard]] const T &operator*() const { return *std::get_if<0>(&m_state); }
    [[nodiscard]] T *operator->() { return std::get_if<0>(&m_state); }
    [[nodiscard]] const T *operator->() const { return std::get_if<0>(&m_state); }
    [[nodiscard]] const Error &error() const { return *std::get_if<1>(&m_state); }

private:
    std::variant<T, Error> m_state;
};

// An input or output: float32, row-major.
struct TensorInfo {
    std::string name; // as in the model
    std::vector<std::int64_t> shape;

    [[nodiscard]] std::size_t elements() const;
};

struct Options {
#ifdef STAGECRAFT_MODEL_CUDA
    int device = 0;     // which GPU, as CUDA counts them
    bool quick = false; // tries few ways to compute a convolution: loads in seconds, but is not the fastest
#else
    int threads = 0; // 0 or less: one for each processor that this process may use
    // Keeps each thread on a processor of its own while the network runs; afterwards the calling thread may run
    // wherever it could before. Leave it off if several networks run at the same time.
    bool pin = true;
#endif
};

// Functions of one network may be called from several threads: runs of the same network wait for each other.
#ifndef STAGECRAFT_MODEL_CUDA
// Within an OpenMP parallel region a run has one thread.
#endif
class Network {
public:
    // `weightsFile` is the weights.bin of this export. It is mapped while the network is loaded and not needed later.
    [[nodiscard]] static Result<Network> load(const std::string &weightsFile, const Options &options = {});

    Network(Network &&other) noexcept;
    Network &operator=(Network &&other) noexcept;
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;
    ~Network();

    [[nodiscard]] const std::vector<TensorInfo> &inputs() const;
    [[nodiscard]] const std::vector<TensorInfo> &outputs() const;

    // One entry for each of inputs(), in that order; returns one for each of outputs().
    [[nodiscard]] Result<std::vector<std::vector<float>>> run(std::span<const std::span<const float>> inputs) const;
    // The same into memory of the caller. Returns the error, if there is one.
    [[nodiscard]] std::optional<Error> run(std::span<const std::span<const float>> inputs,
                                           std::span<const std::span<float>> outputs) const;

    // Latencies of `runs` runs in microseconds, without copying inputs and outputs; the inputs are those of the last
    // run().
    [[nodiscard]] Result<std::vector<double>> measure(int runs) const;

private:
    struct State;
    explicit Network(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

} // namespace stagecraft_model
