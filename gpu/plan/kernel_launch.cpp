#include "gpu/plan/kernel_launch.h"

#include "gpu/kernels/parameters.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace stagecraft::gpu {
namespace {

using namespace kernels;

constexpr unsigned kThreads = 256;
constexpr int kSpanOfDepthwise = 4;
constexpr int kMaxTileW = 32;
constexpr int kMaxTileH = 16;
constexpr int kMinTile = 32;                                 // outputs: one warp
constexpr std::size_t kMaxPlanes = 64;                       // CUDA's limit on a block's third axis
constexpr std::size_t kSharedBytes = std::size_t{48} << 10U; // per block, on every GPU without opting in to more

template <typename Parameters>
std::vector<std::byte> bytesOf(const Parameters &parameters)
{
    static_assert(std::is_trivially_copyable_v<Parameters>);
    std::vector<std::byte> bytes(sizeof parameters);
    std::memcpy(bytes.data(), &parameters, sizeof parameters);
    return bytes;
}

int narrow(std::int64_t value)
{
    return static_cast<int>(value); // sizes were checked (kMaxElements)
}

unsigned blocksFor(std::int64_t count, std::int64_t each)
{
    return static_cast<unsigned>((count + each - 1) / each);
}

Image imageOf(const View &view)
{
    return {narrow(view.dims[0]),    narrow(view.dims[1]),    narrow(view.dims[2]),    narrow(view.dims[3]),
            narrow(view.strides[0]), narrow(view.strides[1]), narrow(view.strides[2]), narrow(view.strides[3])};
}

WindowParameters windowOf(const Window &window)
{
    return {narrow(window.kernel[0]),  narrow(window.kernel[1]),   narrow(window.stride[0]),
            narrow(window.stride[1]),  narrow(window.dilation[0]), narrow(window.dilation[1]),
            narrow(window.padding[0]), narrow(window.padding[1])};
}

ActivationParameters activationOf(const Activation &activation)
{
    const auto code = [&] {
        switch (activation.kind) {
        case ActivationKind::None:
        case ActivationKind::PRelu: // has slopes of its own, see group_writer.cpp
        case ActivationKind::Other: break;
        case ActivationKind::Relu: return kRelu;
        case ActivationKind::Relu6: return kRelu6;
        case ActivationKind::LeakyRelu: return kLeakyRelu;
        case ActivationKind::Sigmoid: return kSigmoid;
        case ActivationKind::Tanh: return kTanh;
        case ActivationKind::HardSwish: return kHardSwish;
        case ActivationKind::HardSigmoid: return kHardSigmoid;
        case ActivationKind::Silu: return kSilu;
        case ActivationKind::Elu: return kElu;
        case ActivationKind::Gelu: return kGelu;
        case ActivationKind::Mish: return kMish;
        }
        return kNone;
    }();
    return {code, activation.alpha, activation.beta};
}

int functionOf(ElementwiseTask::Function function)
{
    using enum ElementwiseTask::Function;
    switch (function) {
    case Sum: return kSum;
    case Mul: return kMul;
    case Sub: return kSub;
    case Div: return kDiv;
    case Max: return kMax;
    case Min: return kMin;
    case Pow: return kPow;
    case PRelu: return kPRelu;
    case ScaleShift: return kScaleShift;
    }
    return kSum;
}

// Axes in the order of y's strides, the fastest last; neighbouring axes without a gap in any operand become one.
struct Walk {
    std::vector<std::int64_t> dims;
    std::vector<Extent> strides; // of y, then of each x
};

Walk walkOver(const ElementwiseTask &task)
{
    std::vector<const View *> views{&task.y};
    for (const View &x : task.x)
        views.push_back(&x);
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < task.y.dims.size(); ++axis) {
        if (task.y.dims[axis] > 1)
            axes.push_back(axis);
    }
    std::ranges::stable_sort(axes, std::ranges::greater{}, [&](std::size_t axis) { return task.y.strides[axis]; });
    Walk walk;
    walk.strides.resize(views.size());
    for (const std::size_t axis : axes) {
        const std::int64_t size = task.y.dims[axis];
        const bool joins = !walk.dims.empty() && [&] {
            for (std::size_t i = 0; i < views.size(); ++i) {
                if (walk.strides[i].back() != views[i]->strides[axis] * size)
                    return false;
            }
            return true;
        }();
        if (joins)
            walk.dims.back() *= size;
        else
            walk.dims.push_back(size);
        for (std::size_t i = 0; i < views.size(); ++i) {
            if (joins)
                walk.strides[i].back() = views[i]->strides[axis];
            else
                walk.strides[i].push_back(views[i]->strides[axis]);
        }
    }
    return walk;
}

void fillAxes(int (&to)[kAxes], const Extent &from, int missing)
{
    const std::size_t front = kAxes - from.size();
    for (std::size_t axis = 0; axis < kAxes; ++axis)
        to[axis] = axis < front ? missing : narrow(from[axis - front]);
}

// The outputs of a plane that a block computes, and what it stages for them; no bytes: the window is too large to
// stage.
struct Tile {
    int width = 0;
    int height = 0;
    std::size_t bytes = 0;
};

Tile tileFor(const Window &window, const Image &out)
{
    const auto reach = [&](std::size_t axis, int outputs) {
        return static_cast<std::size_t>((outputs - 1) * window.stride[axis] +
                                        (window.kernel[axis] - 1) * window.dilation[axis] + 1);
    };
    Tile tile{std::min(out.w, kMaxTileW), std::min(out.h, kMaxTileH), 0};
    for (;;) {
        tile.bytes = reach(0, tile.height) * reach(1, tile.width) * sizeof(float);
        if (tile.bytes <= kSharedBytes)
            return tile;
        if (tile.width * tile.height <= kMinTile)
            return {};
        int &longer = tile.width >= tile.height ? tile.width : tile.height;
        longer = (longer + 1) / 2;
    }
}

bool isAligned(const void *pointer, std::size_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

constexpr std::int64_t kSmallTile = 32;
constexpr std::int64_t kDepthStep = 16; // of a tile, see kDepth in kernels/conv.cu
constexpr const char *kParts = "convParts_32_32/";
constexpr std::array<std::int64_t, 4> kPartsTried{2, 4, 8, 16};
constexpr std::int64_t kDepthOfPart = 64; // at least: less is not worth a second launch
constexpr std::int64_t kMostBlocks = 512; // the largest GPUs run as many of these at once: more need no parts

// 0: the kernel makes no parts.
std::int64_t partsOf(const std::string &kernel)
{
    return kernel.starts_with(kParts) ? std::stoll(kernel.substr(std::strlen(kParts))) : 0;
}

// Of the reduced dimension.
std::int64_t depthOf(const ConvTask &conv)
{
    return conv.x.dims[1] / conv.groups * conv.window.kernel[0] * conv.window.kernel[1];
}

std::array<unsigned, 3> tileGrid(const ConvTask &conv, std::int64_t tile)
{
    return {blocksFor(conv.y.dims[0] * conv.y.dims[2] * conv.y.dims[3], tile),
            blocksFor(conv.y.dims[1] / conv.groups, tile), static_cast<unsigned>(conv.groups)};
}

// Elements per thread of the flat kernel, and the bytes they may span at most (as float).
constexpr std::int64_t kEach = 4;
constexpr std::size_t kPackBytes = 16;

} // namespace

std::vector<std::string> convKernels(const ConvTask &conv)
{
    const bool onePixel = conv.x.dims[2] * conv.x.dims[3] == 1 && conv.y.dims[2] * conv.y.dims[3] == 1 &&
                          conv.window == Window{} && conv.groups == 1;
    if (onePixel)
        return {"convRow", "convTile_32_32"};
    std::vector<std::string> kernels{"convTile_32_32", "convTile_64_64"};
    const auto grid = tileGrid(conv, kSmallTile);
    const std::int64_t blocks = std::int64_t{grid[0]} * grid[1] * grid[2];
    for (const std::int64_t parts : kPartsTried) {
        if (depthOf(conv) >= parts * kDepthOfPart && blocks * parts <= kMostBlocks)
            kernels.push_back(kParts + std::to_string(parts));
    }
    return kernels;
}

std::size_t convWorkspaceBytes(const ConvTask &conv, const std::string &kernel)
{
    return static_cast<std::size_t>(partsOf(kernel) * conv.y.elements()) * sizeof(float);
}

std::vector<KernelLaunch> convLaunches(const ConvTask &conv, const std::string &kernel, const Address &address,
                                       void *workspace)
{
    const ConvParameters parameters{
        address(conv.x),           address(conv.w),           conv.bias ? address(*conv.bias) : nullptr,
        address(conv.y),           imageOf(conv.x),           imageOf(conv.y),
        narrow(conv.w.strides[0]), narrow(conv.w.strides[1]), narrow(conv.w.strides[2]),
        narrow(conv.w.strides[3]), narrow(conv.groups),       windowOf(conv.window),
        activationOf(conv.after)};
    if (kernel == "convRow")
        return {{kernel,
                 {static_cast<unsigned>(conv.y.dims[1]), static_cast<unsigned>(conv.y.dims[0]), 1},
                 {128, 1, 1},
                 0,
                 bytesOf(parameters)}};
    const std::int64_t tile = kernel == "convTile_64_64" ? 2 * kSmallTile : kSmallTile;
    KernelLaunch launch{
        kernel, tileGrid(conv, tile), {static_cast<unsigned>(tile * tile / 16), 1, 1}, 0, bytesOf(parameters)};
    const std::int64_t parts = partsOf(kernel);
    if (parts == 0)
        return {std::move(launch)};
    const bool channelsLast = conv.y.strides[1] == 1;
    View whole = conv.y;
    whole.strides = denseStrides(whole.dims, channelsLast ? TensorLayout::ChannelsLast : TensorLayout::RowMajor);
    const std::int64_t steps = (depthOf(conv) + kDepthStep - 1) / kDepthStep;
    const std::int64_t depthEach = (steps + parts - 1) / parts * kDepthStep;
    launch.kernel = kernel.substr(0, kernel.find('/'));
    launch.grid[2] *= static_cast<unsigned>(parts);
    launch.parameters = bytesOf(ConvPartsParameters{parameters, static_cast<float *>(workspace), narrow(parts),
                                                    narrow(depthEach), imageOf(whole)});
    const ConvSumParameters sum{static_cast<float *>(workspace),
                                parameters.bias,
                                parameters.y,
                                narrow(parts),
                                imageOf(whole),
                                parameters.out,
                                parameters.after};
    return {std::move(launch),
            {"convSum", {blocksFor(conv.y.elements(), kThreads), 1, 1}, {kThreads, 1, 1}, 0, bytesOf(sum)}};
}

KernelLaunch launchOf(const DepthwiseTask &conv, TensorLayout usual, const Address &address)
{
    const TensorLayout layout = plan::layoutOf(conv.x.front(), usual);
    DepthwiseParameters parameters{};
    for (std::size_t input = 0; input < conv.x.size(); ++input) {
        parameters.x[input] = address(conv.x[input]);
        for (std::size_t axis = 0; axis < 4; ++axis)
            parameters.xStrides[input][axis] = narrow(conv.x[input].strides[axis]);
    }
    parameters.w = address(conv.w);
    parameters.wStrideC = narrow(conv.w.strides[1]);
    parameters.wStrideTap = narrow(conv.w.strides[3]);
    parameters.bias = conv.bias ? address(*conv.bias) : nullptr;
    parameters.y = address(conv.y);
    parameters.inputs = narrow(static_cast<std::int64_t>(conv.x.size()));
    parameters.inH = narrow(conv.x.front().dims[2]);
    parameters.inW = narrow(conv.x.front().dims[3]);
    parameters.out = imageOf(conv.y);
    parameters.window = windowOf(conv.window);
    parameters.before = activationOf(conv.before);
    parameters.after = activationOf(conv.after);

    const Window &window = conv.window;
    const std::int64_t kernel = window.kernel[0];
    const std::int64_t stride = window.stride[0];
    const bool fixed = window.kernel[0] == window.kernel[1] && window.stride[0] == window.stride[1] &&
                       window.dilation == std::array<std::int64_t, 2>{1, 1} &&
                       (kernel == 3 || kernel == 5 || kernel == 7) && (stride == 1 || stride == 2);
    const std::string suffix = fixed ? '_' + std::to_string(kernel) + '_' + std::to_string(stride) : "_0_0";
    const Image &out = parameters.out;
    const Tile tile = layout == TensorLayout::RowMajor ? tileFor(window, out) : Tile{};
    KernelLaunch launch; // grids only extend along x: the other axes are limited to 65535
    if (tile.bytes == 0) {
        launch.kernel = "depthwiseChannels" + (layout == TensorLayout::ChannelsLast ? suffix : "_0_0");
        const std::int64_t spans = std::int64_t{out.n} * out.h * blocksFor(out.w, kSpanOfDepthwise);
        launch.block = {32, 4, 1};
        launch.grid = {blocksFor(out.c, 32) * blocksFor(spans, 4), 1, 1};
    } else {
        launch.kernel = "depthwisePlanes" + suffix;
        parameters.tileW = tile.width;
        parameters.tileH = tile.height;
        parameters.tilesW = narrow(blocksFor(out.w, tile.width));
        parameters.tiles = narrow(blocksFor(out.h, tile.height)) * parameters.tilesW;
        const std::size_t outputs = static_cast<std::size_t>(tile.width) * static_cast<std::size_t>(tile.height);
        const std::size_t planes =
            std::clamp(std::min(kThreads / outputs, kSharedBytes / tile.bytes), std::size_t{1}, kMaxPlanes);
        launch.block = {static_cast<unsigned>(tile.width), static_cast<unsigned>(tile.height),
                        static_cast<unsigned>(planes)};
        launch.grid = {static_cast<unsigned>(parameters.tiles) *
                           blocksFor(std::int64_t{out.n} * out.c, static_cast<std::int64_t>(planes)),
                       1, 1};
        launch.sharedBytes = planes * tile.bytes;
    }
    launch.parameters = bytesOf(parameters);
    return launch;
}

KernelLaunch launchOf(const PoolTask &task, const Address &address)
{
    const PoolAttributes &pool = task.pool;
    const bool average = pool.mode == PoolAttributes::Mode::Average;
    const Image in = imageOf(task.x);
    const Image out = imageOf(task.y);
    if (pool.global) {
        const GlobalPoolParameters parameters{address(task.x), address(task.y), in,
                                              out.strideN,     out.strideC,     average ? 1 : 0};
        const bool channelFastest = in.strideC == 1;
        return {"globalPool",
                {channelFastest ? blocksFor(in.c, 32) : static_cast<unsigned>(in.c), static_cast<unsigned>(in.n), 1},
                {32, 8, 1},
                0,
                bytesOf(parameters)};
    }
    const PoolParameters parameters{address(task.x),
                                    address(task.y),
                                    in,
                                    out,
                                    windowOf(pool.window),
                                    average ? 1 : 0,
                                    pool.countIncludePad ? 1 : 0,
                                    narrow(pool.window.padding[2]),
                                    narrow(pool.window.padding[3]),
                                    out.strideC == 1 ? 1 : 0};
    return {"pool", {blocksFor(task.y.elements(), kThreads), 1, 1}, {kThreads, 1, 1}, 0, bytesOf(parameters)};
}

KernelLaunch launchOf(const ElementwiseTask &task, const Address &address)
{
    ElementwiseParameters parameters{};
    parameters.y = address(task.y);
    parameters.inputs = narrow(static_cast<std::int64_t>(task.x.size()));
    parameters.function = functionOf(task.function);
    parameters.after = activationOf(task.after);
    parameters.count = narrow(task.y.elements());
    const Walk walk = walkOver(task);
    fillAxes(parameters.dims, walk.dims, 1);
    fillAxes(parameters.yStrides, walk.strides.front(), 0);
    bool flat = walk.dims.size() <= 1 && parameters.count % kEach == 0 && isAligned(parameters.y, kPackBytes) &&
                task.function != ElementwiseTask::Function::ScaleShift;
    for (std::size_t input = 0; input < task.x.size(); ++input) {
        parameters.x[input] = address(task.x[input]);
        fillAxes(parameters.xStrides[input], walk.strides[input + 1], 0);
        flat = flat && isAligned(parameters.x[input], kPackBytes) && parameters.xStrides[input][kAxes - 1] == 1;
    }
    flat = flat && parameters.yStrides[kAxes - 1] == 1;
    return {flat ? "elementwiseFlat" : "elementwise",
            {blocksFor(flat ? parameters.count / kEach : parameters.count, kThreads), 1, 1},
            {kThreads, 1, 1},
            0,
            bytesOf(parameters)};
}

KernelLaunch launchOf(const SoftmaxTask &task, const Address &address)
{
    // Vectors along the axis; the axes after it form one index, and so do those before it: everything is row-major.
    const auto product = [&](std::size_t from, std::size_t to) {
        return std::accumulate(task.x.dims.begin() + static_cast<std::ptrdiff_t>(from),
                               task.x.dims.begin() + static_cast<std::ptrdiff_t>(to), std::int64_t{1},
                               std::multiplies<>());
    };
    const std::size_t rank = task.x.dims.size();
    const std::int64_t inner = product(task.axis + 1, rank);
    const std::int64_t outer = product(0, task.axis);
    const auto strideOf = [&](const View &view, std::size_t from, std::size_t to) -> std::int64_t {
        // The stride of the fastest axis that is larger than one: the others follow without gaps.
        for (std::size_t axis = to; axis-- > from;) {
            if (view.dims[axis] > 1)
                return view.strides[axis];
        }
        return 0;
    };
    const SoftmaxParameters parameters{address(task.x),
                                       address(task.y),
                                       narrow(outer * inner),
                                       narrow(task.x.dims[task.axis]),
                                       narrow(inner),
                                       narrow(strideOf(task.x, 0, task.axis)),
                                       narrow(strideOf(task.x, task.axis + 1, rank)),
                                       narrow(task.x.strides[task.axis]),
                                       narrow(strideOf(task.y, 0, task.axis)),
                                       narrow(strideOf(task.y, task.axis + 1, rank)),
                                       narrow(task.y.strides[task.axis]),
                                       task.logarithm ? 1 : 0};
    return {"softmax", {static_cast<unsigned>(outer * inner), 1, 1}, {128, 1, 1}, 0, bytesOf(parameters)};
}

KernelLaunch fillLaunch(void *to, std::int64_t elements, unsigned seed)
{
    const FillParameters parameters{to, elements, seed};
    const unsigned blocks = std::min(blocksFor(elements, kThreads), 4096U);
    return {"fill", {std::max(blocks, 1U), 1, 1}, {kThreads, 1, 1}, 0, bytesOf(parameters)};
}

} // namespace stagecraft::gpu
