#include "gpu/device/cudnn_conv.h"

#include "gpu/device/cudnn_conv_graph.h"
#include "gpu/device/failure.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace stagecraft::gpu {
namespace {

std::unique_ptr<Descriptor> deviceOf(const CudnnTarget &target)
{
    if (target.handle)
        return nullptr;
    auto device = std::make_unique<Descriptor>(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    device->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, target.deviceProperties.data(),
                target.deviceProperties.size());
    device->finalize();
    return device;
}

std::vector<std::unique_ptr<Descriptor>> configurations(const ConvGraph &graph, const Descriptor *device,
                                                        cudnnBackendHeurMode_t mode)
{
    std::vector<std::unique_ptr<Descriptor>> found;
    Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, *graph.graph);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    if (device)
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *device);
    std::int64_t count = 0;
    if (!heuristic.finalize() ||
        cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                                 &count, nullptr) != CUDNN_STATUS_SUCCESS)
        return found;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < count; ++i) {
        found.push_back(std::make_unique<Descriptor>(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
        raw.push_back(found.back()->get());
    }
    if (cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count,
                                 &count, raw.data()) != CUDNN_STATUS_SUCCESS)
        return {};
    found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
    return found;
}

struct Notes {
    std::set<cudnnBackendNumericalNote_t> numerical;
    bool compiles = false;
    std::int64_t engine = -1;
};

// Engine and knobs: heuristic modes propose the same ones again.
using Identity = std::vector<std::int64_t>;

Identity identityOf(const Descriptor &configuration, std::int64_t engine)
{
    Identity identity{engine};
    std::vector<std::unique_ptr<Descriptor>> choices;
    std::vector<cudnnBackendDescriptor_t> raw;
    std::int64_t count = 0;
    cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                             &count, nullptr);
    for (std::int64_t i = 0; i < count; ++i) {
        choices.push_back(std::make_unique<Descriptor>(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
        raw.push_back(choices.back()->get());
    }
    cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                             count, &count, raw.data());
    for (const cudnnBackendDescriptor_t choice : raw) {
        cudnnBackendKnobType_t type{};
        std::int64_t value = 0;
        std::int64_t one = 0;
        cudnnBackendGetAttribute(choice, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &one, &type);
        cudnnBackendGetAttribute(choice, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &one, &value);
        identity.push_back(type);
        identity.push_back(value);
    }
    return identity;
}

// cuDNN says how many there are, which a newer one has more of than were asked for.
template <typename Values>
std::ptrdiff_t copied(std::int64_t count, const Values &values)
{
    return static_cast<std::ptrdiff_t>(std::min<std::int64_t>(count, static_cast<std::int64_t>(values.size())));
}

std::optional<Notes> notesOf(const Descriptor &configuration)
{
    const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    std::int64_t count = 0;
    if (cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                 &count, &raw) != CUDNN_STATUS_SUCCESS)
        return std::nullopt;
    Notes notes;
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> numerical{};
    if (cudnnBackendGetAttribute(raw, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                 static_cast<std::int64_t>(numerical.size()), &count,
                                 numerical.data()) != CUDNN_STATUS_SUCCESS)
        return std::nullopt;
    notes.numerical.insert(numerical.begin(), numerical.begin() + copied(count, numerical));
    std::array<cudnnBackendBehaviorNote_t, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT> behaviour{};
    if (cudnnBackendGetAttribute(raw, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                 static_cast<std::int64_t>(behaviour.size()), &count,
                                 behaviour.data()) != CUDNN_STATUS_SUCCESS)
        return std::nullopt;
    const auto end = behaviour.begin() + copied(count, behaviour);
    notes.compiles = std::find(behaviour.begin(), end, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) != end;
    cudnnBackendGetAttribute(raw, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &notes.engine);
    return notes;
}

bool isAllowed(const Notes &notes, Precision precision)
{
    const auto has = [&](cudnnBackendNumericalNote_t note) { return notes.numerical.contains(note); };
    if (has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) || has(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13))
        return false;
    if (precision != Precision::Fp16 && has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))
        return false;
    return precision != Precision::Fp32 || !has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
}

std::string nameOf(const Notes &notes, bool fused)
{
    std::string name = "engine " + std::to_string(notes.engine);
    const auto add = [&](cudnnBackendNumericalNote_t note, const char *text) {
        if (notes.numerical.contains(note))
            name += text;
    };
    add(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, ", tensor cores");
    add(CUDNN_NUMERICAL_NOTE_WINOGRAD, ", Winograd");
    add(CUDNN_NUMERICAL_NOTE_FFT, ", FFT");
    if (notes.compiles)
        name += ", compiled";
    return name + (fused ? ", fused" : "");
}

} // namespace

struct ConvEngine::State {
    std::unique_ptr<Descriptor> configuration;
    std::unique_ptr<Descriptor> plan;
    std::shared_ptr<ConvGraph> graph;
    std::string name;
    std::size_t workspaceBytes = 0;
    bool fused = false;
    bool bias = false;
};

ConvEngine::ConvEngine(std::shared_ptr<State> state) : m_state(std::move(state)) {}

const std::string &ConvEngine::name() const
{
    return m_state->name;
}

std::size_t ConvEngine::workspaceBytes() const
{
    return m_state->workspaceBytes;
}

bool ConvEngine::isFused() const
{
    return m_state->fused;
}

void ConvEngine::execute(cudnnContext *handle, void *x, void *w, void *bias, void *y, void *workspace) const
{
    const std::array<std::int64_t, 4> uids{kX, kW, kY, kBias};
    const std::array<void *, 4> pointers{x, w, y, bias};
    const std::size_t count = m_state->bias ? 4 : 3;
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, uids.data(), count);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.data(), count);
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
    requireCudnn(pack.finalize() ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM, "naming a convolution's memory");
    requireCudnn(cudnnBackendExecute(handle, m_state->plan->get(), pack.get()), "a convolution");
}

std::vector<ConvEngine> findEngines(const CudnnTarget &target, const ConvTask &conv, Precision precision, bool fused,
                                    const EngineLimits &limits)
{
    std::vector<ConvEngine> engines;
    auto made = convGraph(target, conv, precision, fused);
    if (!made)
        return engines;
    const auto graph = std::make_shared<ConvGraph>(std::move(*made));
    const auto device = deviceOf(target);
    std::size_t compiled = 0;
    std::set<Identity> seen;
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
        if (mode == CUDNN_HEUR_MODE_FALLBACK && !engines.empty())
            break;
        for (auto &configuration : configurations(*graph, device.get(), mode)) {
            if (engines.size() >= limits.engines)
                return engines;
            const auto notes = notesOf(*configuration);
            if (!notes || !isAllowed(*notes, precision) || (notes->compiles && compiled >= limits.compiledEngines) ||
                !seen.insert(identityOf(*configuration, notes->engine)).second)
                continue;
            auto plan = std::make_unique<Descriptor>(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
            plan->set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *configuration);
            if (target.handle)
                plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
            else
                plan->set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *device);
            compiled += notes->compiles; // those that fail have taken their time too
            if (!plan->finalize())
                continue;
            std::int64_t bytes = 0;
            std::int64_t count = 0;
            if (cudnnBackendGetAttribute(plan->get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                         &count, &bytes) != CUDNN_STATUS_SUCCESS ||
                static_cast<std::size_t>(bytes) > limits.workspaceBytes)
                continue;
            auto state = std::make_shared<ConvEngine::State>();
            state->configuration = std::move(configuration);
            state->plan = std::move(plan);
            state->graph = graph;
            state->name = nameOf(*notes, fused);
            state->workspaceBytes = static_cast<std::size_t>(bytes);
            state->fused = fused;
            state->bias = fused && conv.bias.has_value();
            engines.emplace_back(std::move(state));
        }
    }
    return engines;
}

} // namespace stagecraft::gpu
