#pragma once

// What executes the stages: created for a network, then used by one thread at a time.

#include "stagecraft_model.hpp"

#include "network_builder.h"

#include <functional>

namespace stagecraft_model {

[[nodiscard]] Error errorFrom(const engine::Error &error);

class Executor {
public:
    virtual ~Executor() = default;

    // Calls the body with the calling thread made ready for the functions below. What libraries throw becomes an error.
    [[nodiscard]] virtual std::optional<Error> use(const std::function<std::optional<Error>()> &body) = 0;

    // Plans memory, packs weights, makes kernels ready; called once. The constants are not needed afterwards.
    [[nodiscard]] virtual std::optional<Error> load(const engine::NetworkBuilder &network) = 0;

    virtual void write(engine::TensorId input, std::span<const float> values) = 0;
    [[nodiscard]] virtual std::optional<Error> run() = 0;
    [[nodiscard]] virtual std::vector<float> read(engine::TensorId output) = 0;
};

[[nodiscard]] std::unique_ptr<Executor> makeExecutor(const Options &options);

} // namespace stagecraft_model
