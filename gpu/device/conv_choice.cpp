#include "gpu/device/conv_choice.h"

#include "gpu/plan/lowering.h"

#include <algorithm>
#include <map>

namespace stagecraft::gpu {
namespace {

// The most candidates to try, separately for engines that fuse bias and activation. Copies of ours come second.
struct CandidateLimits {
    std::size_t fused;
    std::size_t unfused;
};
constexpr CandidateLimits kAsItIs{24, 12};
constexpr CandidateLimits kPacked{12, 6};
constexpr CandidateLimits kSwept{128, 64};
constexpr CandidateLimits kFew{2, 2};  // if there is little time to try them
constexpr std::size_t kSettings = 512; // of the knobs of an engine
constexpr std::size_t kCompiled = 3;   // of each, if they are asked for

std::size_t bytesOf(const View &view, const GpuOptions &options)
{
    return static_cast<std::size_t>(view.elements() * elementBytes(options.precision));
}

// No buffer of an arena has these numbers: a packed tensor equals no other view, not even the other packed one.
constexpr std::size_t kPackedX = static_cast<std::size_t>(-1);
constexpr std::size_t kPackedY = static_cast<std::size_t>(-2);

// The same tensor without gaps, at the start of its own memory.
View dense(const View &view, TensorLayout layout, std::size_t index)
{
    return {View::Memory::Arena, index, 0, view.dims, denseStrides(view.dims, layout)};
}

ConvTask packed(ConvTask conv, TensorLayout layout)
{
    conv.x = dense(conv.x, layout, kPackedX);
    conv.y = dense(conv.y, layout, kPackedY);
    return conv;
}

// In which an engine takes packed tensors: that of the weights.
TensorLayout packedLayout(const ConvTask &conv, const GpuOptions &options)
{
    return plan::layoutOf(conv.x, options.layout);
}

bool hasEpilogue(const ConvTask &conv)
{
    return conv.bias || conv.after.kind != ActivationKind::None;
}

const CandidateLimits &limitsOf(const GpuOptions &options, const CandidateLimits &usual)
{
    return options.sweepsKnobs ? kSwept : options.fewEngines ? kFew : usual;
}

std::vector<ConvEngine> enginesFor(const CudnnTarget &target, const ConvTask &conv, const GpuOptions &options,
                                   const CandidateLimits &tried, CompiledEngines *compiled)
{
    EngineLimits limits;
    limits.engines = tried.fused;
    if (options.sweepsKnobs)
        limits.settings = kSettings;
    limits.compiledEngines = options.compiledEngines ? kCompiled : 0;
    std::vector<ConvEngine> engines = findEngines(target, conv, options.precision, true, limits, compiled);
    if (hasEpilogue(conv)) {
        limits.engines = tried.unfused;
        for (ConvEngine &engine : findEngines(target, conv, options.precision, false, limits, compiled))
            engines.push_back(std::move(engine));
    }
    return engines;
}

// The engine's own memory, then the copies.
std::size_t workspaceOf(const ConvEngine &engine, bool packsX, bool packsY, const ConvTask &conv,
                        const GpuOptions &options)
{
    if (!packsX && !packsY)
        return engine.workspaceBytes();
    return arenaAligned(engine.workspaceBytes()) + (packsX ? arenaAligned(bytesOf(conv.x, options)) : 0) +
           (packsY ? arenaAligned(bytesOf(conv.y, options)) : 0);
}

} // namespace

std::string ConvChoice::name() const
{
    if (!engine)
        return kernel;
    std::string text = "cuDNN " + engine->name();
    if (packsX || packsY)
        text += ", packed";
    return text;
}

std::vector<ConvChoice> convChoices(const CudnnTarget &target, const ConvTask &conv, const GpuOptions &options,
                                    CompiledEngines *compiled)
{
    std::vector<ConvChoice> choices;
    for (ConvEngine &engine : enginesFor(target, conv, options, limitsOf(options, kAsItIs), compiled)) {
        const std::size_t bytes = engine.workspaceBytes();
        choices.push_back({std::move(engine), {}, false, false, bytes, 0});
    }
    const TensorLayout layout = packedLayout(conv, options);
    const bool packsX = !isDense(conv.x, layout);
    const bool packsY = !isDense(conv.y, layout);
    if ((packsX || packsY) && (choices.empty() || !options.fewEngines)) {
        // Many engines accept such views, and copy them first within their own memory. An engine that needs no more
        // memory than for packed tensors does not copy: copies of ours would only cost time.
        std::map<std::string, std::size_t> inPlace;
        for (const ConvChoice &choice : choices)
            inPlace.emplace(choice.engine->name(), choice.engine->workspaceBytes());
        for (ConvEngine &engine :
             enginesFor(target, packed(conv, layout), options, limitsOf(options, kPacked), compiled)) {
            const auto same = inPlace.find(engine.name());
            if (same != inPlace.end() && same->second <= engine.workspaceBytes())
                continue;
            const std::size_t bytes = workspaceOf(engine, packsX, packsY, conv, options);
            choices.push_back({std::move(engine), {}, packsX, packsY, bytes, 0});
        }
    }
    for (std::string &kernel : convKernels(conv)) {
        const std::size_t bytes = convWorkspaceBytes(conv, kernel);
        choices.push_back({std::nullopt, std::move(kernel), false, false, bytes, 0});
    }
    return choices;
}

TunedConv::Choice valuesOf(const ConvChoice &choice)
{
    if (!choice.engine)
        return {{}, choice.kernel, false, false, choice.aloneUs};
    return {choice.engine->id(), {}, choice.packsX, choice.packsY, choice.aloneUs};
}

std::optional<ConvChoice> choiceOf(const TunedConv::Choice &values, const CudnnTarget &target, const ConvTask &conv,
                                   const GpuOptions &options)
{
    if (!values.engine) {
        const std::vector<std::string> kernels = convKernels(conv);
        if (std::ranges::find(kernels, values.kernel) == kernels.end())
            return std::nullopt;
        const std::size_t bytes = convWorkspaceBytes(conv, values.kernel);
        return ConvChoice{std::nullopt, values.kernel, false, false, bytes, values.aloneUs};
    }
    // As when it was offered: both tensors are packed for the engine, and those with gaps are copied.
    const bool packs = values.packsX || values.packsY;
    const TensorLayout layout = packedLayout(conv, options);
    auto engine = engineOf(target, packs ? packed(conv, layout) : conv, options.precision, *values.engine);
    if (!engine || (values.packsX && isDense(conv.x, layout)) || (values.packsY && isDense(conv.y, layout)))
        return std::nullopt;
    const std::size_t bytes = workspaceOf(*engine, values.packsX, values.packsY, conv, options);
    return ConvChoice{*std::move(engine), {}, values.packsX, values.packsY, bytes, values.aloneUs};
}

std::vector<ConvStep> stepsOf(const ConvChoice &choice, const ConvTask &conv, const GpuOptions &options,
                              const Address &address, std::byte *workspace)
{
    std::vector<ConvStep> steps;
    if (!choice.engine) {
        for (KernelLaunch &launch : convLaunches(conv, choice.kernel, address, workspace))
            steps.push_back({std::move(launch), {}});
        return steps;
    }
    std::byte *free = workspace + arenaAligned(choice.engine->workspaceBytes());
    void *x = address(conv.x);
    void *y = address(conv.y);
    View denseX = conv.x;
    View denseY = conv.y;
    const auto take = [&](View &view, void *&pointer, std::size_t index) {
        view = dense(view, packedLayout(conv, options), index);
        pointer = free;
        free += arenaAligned(bytesOf(view, options));
    };
    if (choice.packsX)
        take(denseX, x, kPackedX);
    if (choice.packsY)
        take(denseY, y, kPackedY);
    // The copies are elementwise tasks in the workspace.
    const auto placed = [&](const View &view) -> void * {
        if (choice.packsX && view == denseX)
            return x;
        if (choice.packsY && view == denseY)
            return y;
        return address(view);
    };
    if (choice.packsX)
        steps.push_back({launchOf({ElementwiseTask::Function::Sum, {conv.x}, denseX, {}}, placed), {}});
    void *w = address(conv.w);
    void *bias = choice.engine->isFused() && conv.bias ? address(*conv.bias) : nullptr;
    steps.push_back({std::nullopt, choice.engine->bound(x, w, bias, y, workspace)});
    const bool epilogue = !choice.engine->isFused() && hasEpilogue(conv);
    if (epilogue || choice.packsY) {
        ElementwiseTask after{ElementwiseTask::Function::Sum, {denseY}, conv.y, epilogue ? conv.after : Activation{}};
        if (epilogue && conv.bias)
            after.x.push_back(broadcast(*conv.bias, conv.y.dims));
        steps.push_back({launchOf(after, placed), {}});
    }
    return steps;
}

} // namespace stagecraft::gpu
