#include "stagecraft_model.hpp"

#include "executor.h"
#include "stages/stages.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>

namespace stagecraft_model {
namespace {

std::vector<TensorInfo> infos(const engine::Graph &graph, std::span<const engine::TensorId> tensors)
{
    std::vector<TensorInfo> infos;
    for (const engine::TensorId tensor : tensors)
        infos.push_back({graph.tensor(tensor).name, graph.tensor(tensor).shape.dims});
    return infos;
}

// Whether there are as many values as the tensors have; `what`: "input", "output".
template <typename Values>
std::optional<Error> checkSizes(const std::string &what, const std::vector<TensorInfo> &tensors,
                                std::span<const Values> values)
{
    if (values.size() != tensors.size())
        return Error{std::to_string(values.size()) + ' ' + what + "s are given, the network has " +
                     std::to_string(tensors.size())};
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (values[i].size() != tensors[i].elements())
            return Error{what + ' ' + tensors[i].name + ": " + std::to_string(values[i].size()) +
                         " values are given, it has " + std::to_string(tensors[i].elements())};
    }
    return {};
}

} // namespace

Error errorFrom(const engine::Error &error)
{
    std::string message;
    for (const std::string &where : error.context)
        message += where + ": ";
    message += error.message;
    return {error.remedy.empty() ? message : message + ". Remedy: " + error.remedy};
}

std::size_t TensorInfo::elements() const
{
    return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

struct Network::State {
    std::shared_ptr<const engine::Graph> graph;
    std::unique_ptr<Executor> executor;
    std::vector<TensorInfo> inputs;
    std::vector<TensorInfo> outputs;
    std::mutex running; // one run at a time: they share the tensors' memory
};

Network::Network(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Network::Network(Network &&other) noexcept = default;
Network &Network::operator=(Network &&other) noexcept = default;
Network::~Network() = default;

Result<Network> Network::load(const std::string &weightsFile, const Options &options)
{
    const auto weights = engine::WeightsFile::open(weightsFile, stages::kWeightsSha256, stages::kWeightsBytes);
    if (!weights)
        return errorFrom(weights.error());
    auto state = std::make_unique<State>();
    state->executor = makeExecutor(options);
    const auto error = state->executor->use([&] {
        engine::NetworkBuilder builder(*weights);
        stages::describe(builder);
        auto failed = state->executor->load(builder);
        builder.releaseConstants();
        state->graph = builder.graph();
        return failed;
    });
    if (error)
        return *error;
    state->inputs = infos(*state->graph, state->graph->inputs());
    state->outputs = infos(*state->graph, state->graph->outputs());
    return Network(std::move(state));
}

const std::vector<TensorInfo> &Network::inputs() const
{
    return m_state->inputs;
}

const std::vector<TensorInfo> &Network::outputs() const
{
    return m_state->outputs;
}

std::optional<Error> Network::run(std::span<const std::span<const float>> inputs,
                                  std::span<const std::span<float>> outputs) const
{
    State &state = *m_state;
    if (auto error = checkSizes("input", state.inputs, inputs))
        return error;
    if (auto error = checkSizes("output", state.outputs, outputs))
        return error;
    const std::scoped_lock lock(state.running);
    return state.executor->use([&]() -> std::optional<Error> {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            state.executor->write(state.graph->inputs()[i], inputs[i]);
        if (auto error = state.executor->run())
            return error;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            std::ranges::copy(state.executor->read(state.graph->outputs()[i]), outputs[i].begin());
        return {};
    });
}

Result<std::vector<std::vector<float>>> Network::run(std::span<const std::span<const float>> inputs) const
{
    std::vector<std::vector<float>> values;
    std::vector<std::span<float>> outputs;
    values.reserve(m_state->outputs.size());
    for (const TensorInfo &output : m_state->outputs)
        outputs.emplace_back(values.emplace_back(output.elements()));
    if (auto error = run(inputs, outputs))
        return *error;
    return values;
}

Result<std::vector<double>> Network::measure(int runs) const
{
    using Clock = std::chrono::steady_clock;
    State &state = *m_state;
    std::vector<double> latenciesUs;
    const std::scoped_lock lock(state.running);
    const auto error = state.executor->use([&]() -> std::optional<Error> {
        for (int run = 0; run < runs; ++run) {
            const Clock::time_point start = Clock::now();
            if (auto failed = state.executor->run())
                return failed;
            latenciesUs.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
        }
        return {};
    });
    if (error)
        return *error;
    return latenciesUs;
}

} // namespace stagecraft_model
