#include "gpu/device/cudnn_conv.h"

#include "gpu/device/failure.h"

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace stagecraft::gpu {
namespace {

struct Destroy {
    void operator()(void *descriptor) const { cudnnBackendDestroyDescriptor(descriptor); }
};

// A backend descriptor that is filled attribute by attribute. A status that is not success is remembered: whoever asks
// cuDNN what it can do takes a refusal for an answer.
class Descriptor {
public:
    explicit Descriptor(cudnnBackendDescriptorType_t type)
    {
        cudnnBackendDescriptor_t made = nullptr;
        m_status = cudnnBackendCreateDescriptor(type, &made);
        m_descriptor.reset(made);
    }

    [[nodiscard]] cudnnBackendDescriptor_t get() const { return m_descriptor.get(); }
    [[nodiscard]] bool isGood() const { return m_status == CUDNN_STATUS_SUCCESS; }

    template <typename T>
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T *values, std::size_t count)
    {
        if (isGood())
            m_status = cudnnBackendSetAttribute(get(), name, type, static_cast<std::int64_t>(count), values);
    }
    template <typename T>
    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T &value)
    {
        set(name, type, &value, 1);
    }
    void set(cudnnBackendAttributeName_t name, const Extent &values)
    {
        set(name, CUDNN_TYPE_INT64, values.data(), values.size());
    }
    void set(cudnnBackendAttributeName_t name, const Descriptor &other)
    {
        if (!other.isGood())
            m_status = other.m_status;
        set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, other.get());
    }
    bool finalize()
    {
        if (isGood())
            m_status = cudnnBackendFinalize(get());
        return isGood();
    }

private:
    std::unique_ptr<void, Destroy> m_descriptor;
    cudnnStatus_t m_status = CUDNN_STATUS_NOT_INITIALIZED;
};

enum Uid : std::int64_t { kX = 'x', kW = 'w', kBias = 'b', kY = 'y', kConvolved = 'c', kBiased = 'd' };

cudnnDataType_t storedAs(Precision precision)
{
    return precision == Precision::Fp16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
}

// The largest power of two up to 16 bytes at which the view begins; the arena itself is aligned to more.
std::int64_t alignmentOf(const View &view, Precision precision)
{
    const std::int64_t bytes = view.offset * elementBytes(precision);
    std::int64_t alignment = 16;
    while (bytes % alignment != 0)
        alignment /= 2;
    return alignment;
}

Descriptor tensor(Uid uid, const View &view, cudnnDataType_t type, std::int64_t alignment, bool isVirtual = false)
{
    Descriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, static_cast<std::int64_t>(uid));
    descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, alignment);
    descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, view.dims);
    descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, view.strides);
    descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, isVirtual);
    descriptor.finalize();
    return descriptor;
}

Descriptor convolution(const Window &window)
{
    Descriptor descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const auto pair = [](std::int64_t a, std::int64_t b) { return Extent{a, b}; };
    descriptor.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t{2});
    descriptor.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
    descriptor.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, pair(window.padding[0], window.padding[1]));
    descriptor.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, pair(window.padding[2], window.padding[3]));
    descriptor.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, pair(window.dilation[0], window.dilation[1]));
    descriptor.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, pair(window.stride[0], window.stride[1]));
    descriptor.finalize();
    return descriptor;
}

std::optional<Descriptor> activationDescriptor(const Activation &activation)
{
    Descriptor descriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    const auto mode = [&](cudnnPointwiseMode_t value) {
        descriptor.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, value);
    };
    switch (activation.kind) {
    case ActivationKind::Relu: mode(CUDNN_POINTWISE_RELU_FWD); break;
    case ActivationKind::Relu6:
        mode(CUDNN_POINTWISE_RELU_FWD);
        descriptor.set(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE, 6.0);
        break;
    case ActivationKind::LeakyRelu:
        mode(CUDNN_POINTWISE_RELU_FWD);
        descriptor.set(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, CUDNN_TYPE_DOUBLE,
                       static_cast<double>(activation.alpha));
        break;
    case ActivationKind::Sigmoid: mode(CUDNN_POINTWISE_SIGMOID_FWD); break;
    case ActivationKind::Tanh: mode(CUDNN_POINTWISE_TANH_FWD); break;
    case ActivationKind::Silu: mode(CUDNN_POINTWISE_SWISH_FWD); break;
    case ActivationKind::Elu:
        mode(CUDNN_POINTWISE_ELU_FWD);
        descriptor.set(CUDNN_ATTR_POINTWISE_ELU_ALPHA, CUDNN_TYPE_DOUBLE, static_cast<double>(activation.alpha));
        break;
    case ActivationKind::Gelu: mode(CUDNN_POINTWISE_GELU_FWD); break;
    default: return std::nullopt; // ours alone
    }
    descriptor.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.finalize();
    return descriptor;
}

Descriptor addition()
{
    Descriptor descriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, CUDNN_POINTWISE_ADD);
    descriptor.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    descriptor.finalize();
    return descriptor;
}

// All descriptors a graph points to live as long as it does.
struct Graph {
    std::vector<std::unique_ptr<Descriptor>> parts;
    std::unique_ptr<Descriptor> graph;

    Descriptor &keep(Descriptor descriptor)
    {
        return *parts.emplace_back(std::make_unique<Descriptor>(std::move(descriptor)));
    }
};

std::optional<Graph> operationGraph(const CudnnTarget &target, const ConvTask &conv, Precision precision, bool fused)
{
    Graph graph;
    const cudnnDataType_t type = storedAs(precision);
    const bool hasBias = fused && conv.bias;
    const bool hasActivation = fused && conv.after.kind != ActivationKind::None;
    const Descriptor &x = graph.keep(tensor(kX, conv.x, type, alignmentOf(conv.x, precision)));
    const Descriptor &w = graph.keep(tensor(kW, conv.w, type, 16));
    const Descriptor &y = graph.keep(tensor(kY, conv.y, type, alignmentOf(conv.y, precision)));
    View between = conv.y;
    std::vector<cudnnBackendDescriptor_t> operations;
    // What the next operation reads; the last one writes y.
    const auto result = [&](Uid uid, bool last) -> const Descriptor & {
        return last ? y : graph.keep(tensor(uid, between, CUDNN_DATA_FLOAT, 16, true));
    };
    const Descriptor &convolved = result(kConvolved, !hasBias && !hasActivation);
    Descriptor &forward = graph.keep(Descriptor(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR));
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, graph.keep(convolution(conv.window)));
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, convolved);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0F);
    forward.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 0.0F);
    forward.finalize();
    operations.push_back(forward.get());
    const Descriptor *last = &convolved;
    bool good = forward.isGood();
    if (hasBias) {
        const Descriptor &biased = result(kBiased, !hasActivation);
        Descriptor &add = graph.keep(Descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, graph.keep(addition()));
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *last);
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, graph.keep(tensor(kBias, *conv.bias, type, 16)));
        add.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, biased);
        good = add.finalize() && good;
        operations.push_back(add.get());
        last = &biased;
    }
    if (hasActivation) {
        auto activation = activationDescriptor(conv.after);
        if (!activation)
            return std::nullopt;
        Descriptor &activate = graph.keep(Descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
        activate.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, graph.keep(std::move(*activation)));
        activate.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *last);
        activate.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
        good = activate.finalize() && good;
        operations.push_back(activate.get());
    }
    if (!good)
        return std::nullopt;
    graph.graph = std::make_unique<Descriptor>(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.graph->set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations.data(),
                     operations.size());
    if (target.handle)
        graph.graph->set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
    if (!graph.graph->finalize())
        return std::nullopt;
    return graph;
}

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

std::vector<std::unique_ptr<Descriptor>> configurations(const Graph &graph, const Descriptor *device,
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
    found.resize(static_cast<std::size_t>(count));
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
    notes.numerical.insert(numerical.begin(), numerical.begin() + count);
    std::array<cudnnBackendBehaviorNote_t, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT> behaviour{};
    if (cudnnBackendGetAttribute(raw, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                 static_cast<std::int64_t>(behaviour.size()), &count,
                                 behaviour.data()) != CUDNN_STATUS_SUCCESS)
        return std::nullopt;
    notes.compiles = std::find(behaviour.begin(), behaviour.begin() + count, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) !=
                     behaviour.begin() + count;
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
    std::shared_ptr<Graph> graph;
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
    auto made = operationGraph(target, conv, precision, fused);
    if (!made)
        return engines;
    const auto graph = std::make_shared<Graph>(std::move(*made));
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
            if (!plan->finalize())
                continue;
            std::int64_t bytes = 0;
            std::int64_t count = 0;
            if (cudnnBackendGetAttribute(plan->get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                         &count, &bytes) != CUDNN_STATUS_SUCCESS ||
                static_cast<std::size_t>(bytes) > limits.workspaceBytes)
                continue;
            compiled += notes->compiles;
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
