#include "gpu/device/conv_choice.h"

#include "gpu/plan/lowering.h"

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
constexpr CandidateLimits kFew{2, 2}; // if there is little time to try them

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

bool hasEpilogue(const ConvTask &conv)
{
    return conv.bias || conv.after.kind != ActivationKind::None;
}

std::vector<ConvEngine> enginesFor(const CudnnTarget &target, const ConvTask &conv, const GpuOptions &options,
                                   const CandidateLimits &tried)
{
    EngineLimits limits;
    limits.engines = tried.fused;
    if (options.fewEngines)
        limits.compiledEngines = 0;
    std::vector<ConvEngine> engines = findEngines(target, conv, options.precision, true, limits);
    if (hasEpilogue(conv)) {
        limits.engines = tried.unfused;
        for (ConvEngine &engine : findEngines(target, conv, options.precision, false, limits))
            engines.push_back(std::move(engine));
    }
    return engines;
}

std::string text(const Extent &values)
{
    std::string result;
    for (const std::int64_t value : values)
        result += std::to_string(value) + ',';
    return result + ';';
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

std::vector<ConvChoice> convChoices(const CudnnTarget &target, const ConvTask &conv, const GpuOptions &options)
{
    std::vector<ConvChoice> choices;
    for (ConvEngine &engine : enginesFor(target, conv, options, options.fewEngines ? kFew : kAsItIs)) {
        const std::size_t bytes = engine.workspaceBytes();
        choices.push_back({std::move(engine), {}, false, false, bytes, 0});
    }
    const bool packsX = !isDense(conv.x, options.layout);
    const bool packsY = !isDense(conv.y, options.layout);
    if ((packsX || packsY) && (choices.empty() || !options.fewEngines)) {
        // Many engines accept such views, and copy them first within their own memory. An engine that needs no more
        // memory than for packed tensors does not copy: copies of ours would only cost time.
        std::map<std::string, std::size_t> inPlace;
        for (const ConvChoice &choice : choices)
            inPlace.emplace(choice.engine->name(), choice.engine->workspaceBytes());
        for (ConvEngine &engine :
             enginesFor(target, packed(conv, options.layout), options, options.fewEngines ? kFew : kPacked)) {
            const auto same = inPlace.find(engine.name());
            if (same != inPlace.end() && same->second <= engine.workspaceBytes())
                continue;
            ConvChoice choice{std::move(engine), {}, packsX, packsY, 0, 0};
            choice.workspaceBytes = arenaAligned(choice.engine->workspaceBytes()) +
                                    (choice.packsX ? arenaAligned(bytesOf(conv.x, options)) : 0) +
                                    (choice.packsY ? arenaAligned(bytesOf(conv.y, options)) : 0);
            choices.push_back(std::move(choice));
        }
    }
    for (std::string &kernel : convKernels(conv))
        choices.push_back({std::nullopt, std::move(kernel), false, false, 0, 0});
    return choices;
}

std::vector<ConvStep> stepsOf(const ConvChoice &choice, const ConvTask &conv, const GpuOptions &options,
                              const Address &address, std::byte *workspace)
{
    if (!choice.engine)
        return {{convLaunch(conv, choice.kernel, address), {}}};
    std::vector<ConvStep> steps;
    std::byte *free = workspace + arenaAligned(choice.engine->workspaceBytes());
    void *x = address(conv.x);
    void *y = address(conv.y);
    View denseX = conv.x;
    View denseY = conv.y;
    const auto take = [&](View &view, void *&pointer, std::size_t index) {
        view = dense(view, options.layout, index);
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

std::string keyOf(const ConvTask &conv, const GpuOptions &options)
{
    // Alignments matter, addresses do not.
    const auto place = [&](const View &view) {
        return text(view.dims) + text(view.strides) +
               std::to_string(view.offset * elementBytes(options.precision) % 16) + ';';
    };
    const Window &window = conv.window;
    std::string key = place(conv.x) + place(conv.y) + text(conv.w.dims);
    for (const auto value : {window.stride[0], window.stride[1], window.dilation[0], window.dilation[1],
                             window.padding[0], window.padding[1], window.padding[2], window.padding[3], conv.groups})
        key += std::to_string(value) + ',';
    key += conv.bias ? "bias," : "";
    key += std::string(toString(conv.after.kind)) + ',' + std::to_string(conv.after.alpha) + ',' +
           std::to_string(conv.after.beta);
    return key;
}

} // namespace stagecraft::gpu
