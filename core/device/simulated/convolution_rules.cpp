#include "device/simulated/convolution_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {

namespace {

using Pair = std::array<std::int64_t, 2>;

// Fused Winograd F(2x2, 3x3) (Lavin and Gray, arXiv 1509.09308): a block computes 32 output tiles of 2x2 for 32
// channels, 8 input channels at a time.
constexpr std::int64_t kWinogradTiles = 32;
constexpr std::int64_t kWinogradChannels = 32;
constexpr std::int64_t kWinogradDepth = 8;
constexpr double kWinogradProducts = 16; // per tile and channel; the direct form needs 36

// Output tiles of Winograd in several kernels: F(4x4, 3x3) and F(5x5, 5x5), winogradForwardData4x4 and 9x9_5x5 in
// profiles.
constexpr std::int64_t kTileOf3x3 = 4;
constexpr std::int64_t kTileOf5x5 = 5;
constexpr double kWinogradInstructions = 4; // per transformed element
// The transformed 5x5 weights are written one by one: each 4-byte element moves a sector of 32 bytes.
constexpr double kScatteredSector = 8;

// FFT in tiles of 32x32 real elements: 32x17 complex frequencies, each product of two four real ones.
constexpr std::int64_t kFourierSide = 32;
constexpr std::int64_t kFrequencies = kFourierSide * (kFourierSide / 2 + 1);
constexpr std::int64_t kRealProducts = 4;
constexpr double kFourierInstructions = 100; // per element: 10 passes of about 5 multiply-adds and as many moves

// Channels on tensor cores are a multiple of 8: cuDNN 7 pads them in kernels of their own and computes in NHWC. Later
// libraries, for cards with TF32, have kernels for first layers in float16, which pad to 4 channels while they load
// (image_network_first_layer_hmma_fprop_..._k64r7s7c4 in TensorRT's profile of an RTX 3090), and compute in TF32 only
// what has channels in fours: the others run in float32 (ampere_scudnn_128x64_relu_medium_nn_v1 there).
constexpr std::int64_t kTensorChannels = 8;
constexpr std::int64_t kLeastChannels = 4;

std::int64_t roundUp(std::int64_t value, std::int64_t multiple)
{
    return ceilDiv(value, multiple) * multiple;
}

} // namespace

struct ConvolutionRules::Task {
    const std::string &name;
    const Shape &input;
    const Shape &output;
    const Window &window;
    std::int64_t groups = 1;

    [[nodiscard]] std::int64_t area() const { return window.kernel[0] * window.kernel[1]; }
    [[nodiscard]] std::int64_t weights() const { return area() * input.channels() / groups * output.channels(); }
    [[nodiscard]] std::int64_t tiles(std::int64_t height, std::int64_t width) const
    {
        return output.batch() * ceilDiv(output.height(), height) * ceilDiv(output.width(), width);
    }
};

// What a convolution becomes in the space where it is a product for each of `points`.
struct ConvolutionRules::Transformed {
    std::string name;
    std::int64_t points = 1;  // per tile
    std::int64_t numbers = 1; // real ones at each point
    std::int64_t tiles = 1;
    double tileResults = 1;       // elements of the output in a tile
    std::int64_t innerFactor = 1; // real multiply-adds for each product of two points
    double instructions = 1;      // per transformed element
    double weightSpread = 1;      // memory that writing the transformed weights moves, per byte of them
};

std::vector<Kernel> ConvolutionRules::implicitProduct(const Task &task)
{
    const Window &window = task.window;
    std::int64_t channels = task.input.channels() / task.groups;
    const std::int64_t columns = task.output.channels() / task.groups;
    const bool isOdd = m_rules.onTensorCores() && (channels % kTensorChannels != 0 || columns % kTensorChannels != 0);
    const bool padsWhileLoading = m_rules.device().tf32FmaPerClockPerSm > 0;
    const bool isPadded = isOdd && !padsWhileLoading;
    if (isOdd && padsWhileLoading)
        channels = roundUp(channels, kLeastChannels);
    double inputBytes = m_rules.bytes(task.input);
    std::vector<Kernel> kernels;
    if (isPadded) {
        const std::int64_t padded = roundUp(channels, kTensorChannels);
        const std::int64_t elements = task.input.elements() / channels * padded;
        kernels.push_back(m_rules.elementwise("to nhwc", elements, inputBytes, 0));
        inputBytes = static_cast<double>(elements) * m_rules.elementBytes();
        channels = padded;
    }
    // Rows of pixels between the windows are not read.
    const double readShare =
        std::min(1.0, static_cast<double>(window.kernel[0]) / static_cast<double>(window.stride[0]));
    const bool isStridedPoint = task.area() == 1 && window.stride != Pair{1, 1};
    const Product product{.rows = task.tiles(1, 1),
                          .columns = columns,
                          .inner = task.area() * channels,
                          .count = task.groups,
                          .inputBytes = inputBytes * readShare,
                          .weightBytes = static_cast<double>(task.weights()) * m_rules.elementBytes(),
                          .outputBytes = m_rules.resultBytes(task.output)};
    const auto tiled = m_products.tiled(task.name, product,
                                        isPadded         ? TileSet::CudnnPadded
                                        : isStridedPoint ? TileSet::CudnnStrided
                                                         : TileSet::Cudnn);
    if (tiled.empty())
        return {};
    kernels.push_back(tiled.front());
    if (isPadded)
        kernels.push_back(m_rules.elementwise("to nchw", task.output.elements(), m_rules.resultBytes(task.output), 0));
    return kernels;
}

Kernel ConvolutionRules::fusedWinograd(const Task &task) const
{
    const Shape &output = task.output;
    const auto channels = static_cast<double>(task.input.channels());
    const auto depth = static_cast<double>(roundUp(task.input.channels(), kWinogradDepth));
    const double weightBytes = static_cast<double>(task.weights()) * m_rules.elementBytes();
    const double inputBytes = m_rules.bytes(task.input);
    const double outputBytes = m_rules.bytes(output);
    Kernel kernel;
    kernel.name = task.name + " winograd 2x2 3x3";
    kernel.grid = {ceilDiv(task.tiles(2, 2), kWinogradTiles), ceilDiv(output.channels(), kWinogradChannels), 1};
    kernel.threadsPerBlock = 256;
    kernel.registersPerThread = 128;
    kernel.sharedBytesPerBlock = std::int64_t{32} * 1024;
    kernel.flops = 2.0 * 9 * channels * static_cast<double>(output.elements());
    kernel.bytes = inputBytes + outputBytes + weightBytes;
    kernel.latencyNsPerBlock = 1000 * m_rules.device().blockLatencyUs;
    const double blockFlops = 2.0 * kWinogradProducts * kWinogradTiles * kWinogradChannels * depth;
    const double l2Bytes =
        (9.0 * kWinogradChannels * depth + 4.0 * kWinogradTiles * depth + 4.0 * kWinogradTiles * kWinogradChannels) *
        m_rules.elementBytes();
    m_rules.setNeeds(kernel, blockFlops / (m_rules.gemmFlopsPerNs() * m_rules.device().winogradEfficiency),
                     weightBytes + m_rules.dramBytes(inputBytes) + m_rules.dramBytes(outputBytes), l2Bytes);
    return kernel;
}

// Three transformations and between them a batch of products, one for each point.
std::vector<Kernel> ConvolutionRules::transformed(const Task &task, const Transformed &by)
{
    const std::int64_t in = task.input.channels();
    const std::int64_t out = task.output.channels();
    const std::int64_t elements = by.points * by.numbers; // of a tile and channel, or of the weights of two channels
    const double elementBytes = m_rules.elementBytes();
    const auto bytesOf = [&](std::int64_t perElement) {
        return static_cast<double>(elements * perElement) * elementBytes;
    };
    const double weightBytes = static_cast<double>(task.weights()) * elementBytes;
    const Product product{.rows = by.tiles,
                          .columns = out,
                          .inner = by.innerFactor * in,
                          .count = by.points,
                          .inputBytes = bytesOf(by.tiles * in),
                          .weightBytes = bytesOf(in * out),
                          .outputBytes = bytesOf(by.tiles * out),
                          .weightsAreMade = true};
    auto products = m_products.tiled(fmt::format("{} {}", task.name, by.name), product, TileSet::CublasBatched);
    if (products.empty())
        return {};
    // Useful arithmetic is that of the convolution.
    products.front().flops = 2.0 * static_cast<double>(task.weights()) * static_cast<double>(task.tiles(1, 1));
    const auto transformation = [&](const char *of, std::int64_t written, double bytesRead, double instructions) {
        Kernel kernel = m_rules.elementwise(by.name + of, written, bytesRead, instructions);
        kernel.flops = 0;
        return kernel;
    };
    Kernel input = transformation(" of input", elements * by.tiles * in, m_rules.bytes(task.input), by.instructions);
    Kernel weights = transformation(" of weights", elements * in * out, weightBytes, by.instructions);
    // Weights come from DRAM, however few they are.
    weights.dramBytesPerBlock = (weightBytes + m_rules.dramBytes(product.weightBytes) * by.weightSpread) /
                                static_cast<double>(weights.blocks());
    Kernel output = transformation(" of output", task.output.elements(), product.outputBytes,
                                   by.instructions * static_cast<double>(elements) / by.tileResults);
    return {std::move(input), std::move(weights), std::move(products.front()), std::move(output)};
}

std::vector<Kernel> ConvolutionRules::winograd(const Task &task, std::int64_t tile)
{
    const std::int64_t size = task.window.kernel[0];
    const std::int64_t side = tile + size - 1;
    return transformed(task, {.name = fmt::format("winograd {}x{} {}x{}", tile, tile, size, size),
                              .points = side * side,
                              .tiles = task.tiles(tile, tile),
                              .tileResults = static_cast<double>(tile * tile),
                              .instructions = kWinogradInstructions,
                              .weightSpread = size == 5 ? kScatteredSector : 1});
}

std::vector<Kernel> ConvolutionRules::fourier(const Task &task)
{
    const std::int64_t height = kFourierSide - task.window.kernel[0] + 1;
    const std::int64_t width = kFourierSide - task.window.kernel[1] + 1;
    return transformed(task, {.name = "fft",
                              .points = kFrequencies,
                              .numbers = 2,
                              .tiles = task.tiles(height, width),
                              .tileResults = static_cast<double>(height * width),
                              .innerFactor = kRealProducts,
                              .instructions = kFourierInstructions});
}

std::vector<Kernel> ConvolutionRules::convolution(const std::string &name, const Shape &input, const Shape &output,
                                                  const Window &window, std::int64_t groups)
{
    const Task task{name, input, output, window, groups};
    m_rules.beginConvolution(input.channels() / groups % kLeastChannels == 0);
    if (groups > 1 && groups == input.channels())
        return {m_rules.depthwise(name, input, output, task.area(),
                                  static_cast<double>(task.weights()) * m_rules.elementBytes())};
    Fastest fastest(m_rules);
    fastest.offer(implicitProduct(task));
    const bool couldTransform = groups == 1 && window.stride == Pair{1, 1} && window.dilation == Pair{1, 1} &&
                                !m_rules.isHalf() && !m_rules.onTensorCores() && !m_rules.ofIntegers();
    if (couldTransform && window.kernel == Pair{3, 3}) {
        fastest.offer({fusedWinograd(task)});
        fastest.offer(winograd(task, kTileOf3x3));
    }
    if (couldTransform && window.kernel == Pair{5, 5})
        fastest.offer(winograd(task, kTileOf5x5));
    if (couldTransform && task.area() > 1 && std::ranges::max(window.kernel) < kFourierSide)
        fastest.offer(fourier(task));
    auto kernels = std::move(fastest).take();
    if (!kernels.empty())
        kernels.front().cudnnCall = true;
    return kernels;
}

} // namespace stagecraft
