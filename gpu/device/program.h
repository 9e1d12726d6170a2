#pragma once

// A plan made ready to run: memory allocated, weights uploaded, engines chosen. Run directly, or captured as a CUDA
// graph. Programs of a context share the arena, so only one runs at a time.

#include "gpu/device/gpu_context.h"

#include <functional>
#include <span>

namespace stagecraft::gpu {

class Program {
public:
    // How to compute the `index`-th convolution of the program, in the order of its tasks.
    using Pick = std::function<const ConvChoice &(std::size_t index, const ConvTask &conv)>;

    // Errors name the operator. Throws Failure if the GPU fails. Without `pick`: the choice that is fastest alone.
    [[nodiscard]] static Result<std::unique_ptr<Program>> compile(GpuContext &context, const Schedule &schedule,
                                                                  const Pick &pick = {});

    [[nodiscard]] const ProgramPlan &plan() const { return m_plan; }

    // Called before each task is submitted, with its index in the plan, and once at the end with the number of tasks.
    using Observer = std::function<void(std::size_t task)>;

    // Submits everything to the streams; the work that is still open on return is on stream 0.
    void run(const Observer &before = {});
    // The same as one graph, with `repeats` repetitions.
    [[nodiscard]] CudaGraph capture(int repeats, const Observer &before = {});

    void poison();      // NaN everywhere
    void fillOutside(); // what the stages read but do not produce: values in [-1, 1)
    void write(TensorId tensor, std::span<const float> values);
    [[nodiscard]] std::vector<float> read(TensorId tensor) const;

    // The choices for the convolutions, in the order of their tasks.
    [[nodiscard]] const std::vector<ConvChoice> &choices() const { return m_choices; }

private:
    explicit Program(GpuContext &context) : m_context(context) {}

    void bind();
    [[nodiscard]] void *address(const View &view) const;

    GpuContext &m_context;
    ProgramPlan m_plan;
    std::vector<std::shared_ptr<DeviceMemory>> m_constants;
    std::vector<std::vector<ConvStep>> m_steps; // by task
    std::vector<ConvChoice> m_choices;
};

} // namespace stagecraft::gpu
