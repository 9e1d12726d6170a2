#include "stagecraft_model.hpp"

#include "cpu/onednn/program.h"
#include "cpu/thread_affinity.h"
#include "network_builder.h"
#include "stages/stages.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <omp.h>

namespace stagecraft_model {

namespace {

Error errorFrom(const engine::Error &error)
{
    std::string message;
    for (const std::string &where : error.context)
        message += where + ": ";
    message += error.message;
    return {error.remedy.empty() ? message : message + ". Remedy: " + error.remedy};
}

// The number of OpenMP threads of the calling thread, until the end of the scope.
class ThreadCount {
public:
    explicit ThreadCount(int threads) : m_before(omp_get_max_threads()) { omp_set_num_threads(threads); }
    ~ThreadCount() { omp_set_num_threads(m_before); }
    ThreadCount(const ThreadCount &) = delete;
    ThreadCount &operator=(const ThreadCount &) = delete;

private:
    int m_before;
};

// oneDNN and the standard library throw; what they say becomes an error.
template <typename Function>
std::optional<Error> guarded(const Function &function)
{
    try {
        return function();
    } catch (const dnnl::error &error) {
        return Error{std::string("oneDNN: ") + error.what()};
    } catch (const std::bad_alloc &) {
        return Error{"there is not enough memory"};
    }
}

std::vector<TensorInfo> infos(const engine::Graph &graph, std::span<const engine::TensorId> tensors)
{
    std::vector<TensorInfo> infos;
    for (const engine::TensorId tensor : tensors)
        infos.push_back({graph.tensor(tensor).name, graph.tensor(tensor).shape.dims});
    return infos;
}

} // namespace

std::size_t TensorInfo::elements() const
{
    return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

struct Network::State {
    State(const Options &options, int threads, std::vector<int> onProcessors)
        : threads(threads), processors(options.pin ? std::move(onProcessors) : std::vector<int>()), team(processors)
    {
    }

    std::optional<Error> load(const std::string &weightsFile)
    {
        auto weights = engine::WeightsFile::open(weightsFile, stages::kWeightsSha256, stages::kWeightsBytes);
        if (!weights)
            return errorFrom(weights.error());
        engine::NetworkBuilder builder(*weights);
        stages::describe(builder);
        const dnnl::engine onednn(dnnl::engine::kind::cpu, 0);
        const engine::cpu::Preparing silent = [](const std::string &) {};
        auto layouts = engine::cpu::chooseLayouts(*builder.graph(), onednn, silent);
        if (!layouts)
            return errorFrom(layouts.error());
        engine::cpu::EmitContext context{builder.graph(), onednn, std::move(*layouts), engine::cpu::WeightStore(onednn),
                                         silent};
        auto compiled = engine::cpu::Program::compile(context, builder.stages(), threads);
        if (!compiled)
            return errorFrom(compiled.error());
        program = std::move(*compiled);
        graph = builder.graph();
        builder.releaseConstants(); // the program has packed them
        inputs = infos(*graph, graph->inputs());
        outputs = infos(*graph, graph->outputs());
        return {};
    }

    std::optional<Error> copyInputs(std::span<const std::span<const float>> values)
    {
        if (values.size() != inputs.size())
            return Error{std::to_string(values.size()) + " inputs are given, the network has " +
                         std::to_string(inputs.size())};
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (values[i].size() != inputs[i].elements())
                return Error{"input " + inputs[i].name + " has " + std::to_string(values[i].size()) +
                             " values, its shape needs " + std::to_string(inputs[i].elements())};
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const engine::TensorId tensor = graph->inputs()[i];
            if (std::ranges::find(program->outside(), tensor) != program->outside().end())
                program->write(tensor, values[i]);
        }
        return {};
    }

    std::optional<Error> runStages()
    {
        const auto done = program->run(team);
        return done ? std::nullopt : std::optional(errorFrom(done.error()));
    }

    int threads;
    std::vector<int> processors; // to pin to; empty: not pinned
    engine::cpu::LaneTeam team;
    std::shared_ptr<const engine::Graph> graph;
    std::unique_ptr<engine::cpu::Program> program;
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
    std::vector<int> processors = engine::cpu::usableProcessors();
    const int usable = std::max(static_cast<int>(processors.size()), 1);
    if (options.threads < 0)
        return Error{"the number of threads is negative"};
    const int threads = options.threads == 0 ? usable : options.threads;
    processors.resize(threads > usable ? 0 : static_cast<std::size_t>(threads)); // never two threads on one processor
    std::unique_ptr<State> state;
    const auto error = guarded([&] {
        const ThreadCount count(threads);
        state = std::make_unique<State>(options, threads, std::move(processors));
        return state->load(weightsFile);
    });
    if (error)
        return *error;
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
    return guarded([&]() -> std::optional<Error> {
        State &state = *m_state;
        if (outputs.size() != state.outputs.size())
            return Error{"there is room for " + std::to_string(outputs.size()) + " outputs, the network has " +
                         std::to_string(state.outputs.size())};
        const std::scoped_lock lock(state.running);
        const ThreadCount count(state.threads);
        const engine::cpu::TeamAffinity placed(state.processors);
        if (auto error = state.copyInputs(inputs))
            return error;
        if (auto error = state.runStages())
            return error;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::vector<float> values = state.program->read(state.graph->outputs()[i]);
            if (values.size() != outputs[i].size())
                return Error{"there is room for " + std::to_string(outputs[i].size()) + " values of output " +
                             state.outputs[i].name + ", which has " + std::to_string(values.size())};
            std::ranges::copy(values, outputs[i].begin());
        }
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
    std::vector<double> latenciesUs;
    const auto error = guarded([&]() -> std::optional<Error> {
        State &state = *m_state;
        const std::scoped_lock lock(state.running);
        const ThreadCount count(state.threads);
        const engine::cpu::TeamAffinity placed(state.processors);
        for (int run = 0; run < runs; ++run) {
            const Clock::time_point start = Clock::now();
            if (auto failed = state.runStages())
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
