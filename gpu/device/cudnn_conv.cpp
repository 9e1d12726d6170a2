#include "gpu/device/cudnn_conv.h"

#include "gpu/cuda/failure.h"
#include "gpu/device/cudnn_configuration.h"
#include "gpu/device/cudnn_conv_graph.h"

#include <array>
#include <chrono>
#include <set>

namespace stagecraft::gpu {
namespace {

std::unique_ptr<Descriptor> deviceOf(const CudnnTarget &target)
{
    if (target.handle)
        return nullptr;
    auto device = std::make_unique<Descriptor>(cudnn_device::kDescriptor);
    device->set(cudnn_device::kJson, CUDNN_TYPE_CHAR, target.deviceProperties.data(), target.deviceProperties.size());
    device->finalize();
    return device;
}

} // namespace

struct ConvEngine::State {
    EngineConfiguration configuration; // its id says whether it is fused
    std::unique_ptr<Descriptor> plan;
    std::shared_ptr<ConvGraph> graph;
    std::string name;
    std::size_t workspaceBytes = 0;
    bool bias = false;
};

namespace {

// Without a plan if cuDNN cannot make one, which may take as long.
std::optional<ConvEngine> planned(EngineConfiguration configuration, const CudnnTarget &target,
                                  const Descriptor *device, const std::shared_ptr<ConvGraph> &graph,
                                  const ConvTask &conv, bool fused)
{
    auto plan = std::make_unique<Descriptor>(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan->set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *configuration.descriptor);
    if (target.handle)
        plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
    else
        plan->set(cudnn_device::kOfPlan, *device);
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    if (!plan->finalize() || cudnnBackendGetAttribute(plan->get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                                      CUDNN_TYPE_INT64, 1, &count, &bytes) != CUDNN_STATUS_SUCCESS)
        return std::nullopt;
    auto state = std::make_shared<ConvEngine::State>();
    state->plan = std::move(plan);
    state->graph = graph;
    state->name = nameOf(configuration) + (fused ? ", fused" : "");
    state->configuration = std::move(configuration);
    state->configuration.id.fused = fused;
    state->workspaceBytes = static_cast<std::size_t>(bytes);
    state->bias = fused && conv.bias.has_value();
    return ConvEngine(std::move(state));
}

} // namespace

ConvEngine::ConvEngine(std::shared_ptr<State> state) : m_state(std::move(state)) {}

const std::string &ConvEngine::name() const
{
    return m_state->name;
}

const EngineId &ConvEngine::id() const
{
    return m_state->configuration.id;
}

std::size_t ConvEngine::workspaceBytes() const
{
    return m_state->workspaceBytes;
}

bool ConvEngine::isFused() const
{
    return m_state->configuration.id.fused;
}

std::function<void(cudnnContext *)> ConvEngine::bound(void *x, void *w, void *bias, void *y, void *workspace) const
{
    const std::array<std::int64_t, 4> uids{kX, kW, kY, kBias};
    const std::array<void *, 4> pointers{x, w, y, bias};
    const std::size_t count = m_state->bias ? 4 : 3;
    const auto pack = std::make_shared<Descriptor>(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack->set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, uids.data(), count);
    pack->set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.data(), count);
    pack->set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
    requireCudnn(pack->finalize() ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM, "naming a convolution's memory");
    return [state = m_state, pack](cudnnContext *handle) {
        requireCudnn(cudnnBackendExecute(handle, state->plan->get(), pack->get()), "a convolution");
    };
}

std::vector<ConvEngine> findEngines(const CudnnTarget &target, const ConvTask &conv, Precision precision, bool fused,
                                    const EngineLimits &limits, CompiledEngines *compiled)
{
    using Clock = std::chrono::steady_clock;
    std::vector<ConvEngine> engines;
    auto made = convGraph(target, conv, precision, fused);
    if (!made)
        return engines;
    const auto graph = std::make_shared<ConvGraph>(std::move(*made));
    const auto device = deviceOf(target);
    CompiledEngines unasked;
    CompiledEngines &seenCompiled = compiled ? *compiled : unasked;
    std::size_t compiledHere = 0;
    std::set<EngineId> seen; // modes propose the same ones again
    std::set<std::int64_t> proposed;
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
        if (mode == CUDNN_HEUR_MODE_FALLBACK && !engines.empty())
            break;
        for (EngineConfiguration &configuration : engineConfigurations(*graph->graph, device.get(), mode)) {
            if (engines.size() >= limits.engines)
                return engines;
            if (!isAllowed(configuration, precision) || !seen.insert(configuration.id).second)
                continue;
            proposed.insert(configuration.id.engine);
            const bool compiles = configuration.compiles;
            seenCompiled.offered += compiles;
            if (compiles && compiledHere >= limits.compiledEngines)
                continue;
            const auto start = Clock::now();
            auto engine = planned(std::move(configuration), target, device.get(), graph, conv, fused);
            if (compiles) { // failed ones took time, too
                ++compiledHere;
                ++seenCompiled.tried;
                seenCompiled.seconds += std::chrono::duration<double>(Clock::now() - start).count();
            }
            if (engine && engine->workspaceBytes() <= limits.workspaceBytes)
                engines.push_back(*std::move(engine));
        }
    }
    for (const std::int64_t index : limits.settings > 0 ? proposed : std::set<std::int64_t>()) {
        for (const EngineId &id : knobSettings(*graph->graph, device.get(), index, limits.settings)) {
            if (engines.size() >= limits.engines)
                return engines;
            auto configuration =
                seen.insert(id).second ? configuredEngine(*graph->graph, device.get(), id) : std::nullopt;
            if (!configuration || configuration->compiles || !isAllowed(*configuration, precision))
                continue;
            auto engine = planned(*std::move(configuration), target, device.get(), graph, conv, fused);
            if (engine && engine->workspaceBytes() <= limits.workspaceBytes)
                engines.push_back(*std::move(engine));
        }
    }
    return engines;
}

std::optional<ConvEngine> engineOf(const CudnnTarget &target, const ConvTask &conv, Precision precision,
                                   const EngineId &id)
{
    auto made = convGraph(target, conv, precision, id.fused);
    if (!made)
        return std::nullopt;
    const auto graph = std::make_shared<ConvGraph>(std::move(*made));
    const auto device = deviceOf(target);
    auto configuration = configuredEngine(*graph->graph, device.get(), id);
    if (!configuration || !isAllowed(*configuration, precision))
        return std::nullopt;
    return planned(*std::move(configuration), target, device.get(), graph, conv, id.fused);
}

} // namespace stagecraft::gpu
