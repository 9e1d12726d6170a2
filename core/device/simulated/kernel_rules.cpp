#include "device/simulated/kernel_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr double kSmBytesPerClock = 64;       // between an SM and the L2 (Jia et al., arXiv 1804.06826)
constexpr int kThreads = 256;                 // per block of elementwise and windowed kernels
constexpr int kElementsPerThread = 4;         // one 16-byte access
constexpr double kInstructionsPerElement = 5; // address, load, store besides the arithmetic
constexpr double kInstructionsPerPooled = 4;  // bounds, address, load, compare or add

std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

double bytesOfElement(DataType type)
{
    return static_cast<double>(std::max<std::int64_t>(1, sizeBytes(type)));
}

// Output tiles of the sgemm kernels in cuDNN 7 and their blocks (volta_scudnn_128x64_relu_small_nn_v1 and similar):
// pixels x output channels. 128 registers per thread; operands double-buffered in shared memory, 8 deep.
struct GemmTile {
    int rows;
    int columns;
    int threads;
};
constexpr std::array kGemmTiles{GemmTile{128, 128, 256}, GemmTile{128, 64, 128}, GemmTile{128, 32, 128},
                                GemmTile{32, 128, 128}};
constexpr int kGemmRegisters = 128;
constexpr int kGemmDepth = 8;

// Fused Winograd F(2x2, 3x3) (Lavin and Gray, arXiv 1509.09308): a block computes 32 output tiles of 2x2 for 32
// channels.
constexpr int kWinogradTiles = 32;
constexpr int kWinogradChannels = 32;
constexpr int kWinogradProducts = 16; // per tile and channel; the direct form needs 36

// With so few rows, a product is a matrix-vector product: one warp per column, limited by the bandwidth for the
// weights.
constexpr std::int64_t kVectorRows = 4;

} // namespace

KernelRules::KernelRules(const DeviceDescription &device, const SmLimits &limits, BlockScheduler &scheduler,
                         DataType type, DataType result)
    : m_device(device), m_limits(limits), m_scheduler(scheduler), m_elementBytes(bytesOfElement(type)),
      m_resultBytes(bytesOfElement(result)), m_half(type == DataType::Float16),
      m_integers((type == DataType::Int8 || type == DataType::UInt8) && device.int8FmaPerClockPerSm > 0)
{
}

double KernelRules::resultBytes(const Shape &shape) const
{
    return static_cast<double>(shape.elements()) * m_resultBytes;
}

double KernelRules::bytes(const Shape &shape) const
{
    return static_cast<double>(shape.elements()) * m_elementBytes;
}

double KernelRules::dramBytes(double tensorBytes) const
{
    return tensorBytes <= m_device.l2Kib * 1024 ? 0 : tensorBytes;
}

double KernelRules::gemmFlopsPerNs() const
{
    double fmaPerClock = m_device.fp32FmaPerClockPerSm;
    if (m_half)
        fmaPerClock = std::max(m_device.fp16FmaPerClockPerSm, m_device.tensorFmaPerClockPerSm);
    if (m_integers)
        fmaPerClock = std::max(fmaPerClock, m_device.int8FmaPerClockPerSm);
    return 2 * fmaPerClock * m_device.smClockMhz / 1000;
}

double KernelRules::issuePerNs() const
{
    return m_device.fp32FmaPerClockPerSm * m_device.smClockMhz / 1000;
}

void KernelRules::setNeeds(Kernel &kernel, double smNsPerBlock, double dramBytes, double l2BytesPerBlock) const
{
    const double smBytesPerNs = kSmBytesPerClock * m_device.smClockMhz / 1000;
    kernel.smNsPerBlock = std::max(smNsPerBlock, l2BytesPerBlock / smBytesPerNs);
    kernel.dramBytesPerBlock = dramBytes / static_cast<double>(kernel.blocks());
    kernel.l2BytesPerBlock = l2BytesPerBlock;
}

Kernel KernelRules::elementwise(std::string name, std::int64_t elements, double bytesRead, double flopsPerElement) const
{
    elements = std::max<std::int64_t>(1, elements);
    const double written = static_cast<double>(elements) * m_elementBytes;
    Kernel kernel;
    kernel.name = std::move(name);
    kernel.grid = {ceilDiv(elements, std::int64_t{kThreads} * kElementsPerThread), 1, 1};
    kernel.threadsPerBlock = kThreads;
    kernel.registersPerThread = 24;
    kernel.flops = flopsPerElement * static_cast<double>(elements);
    kernel.bytes = bytesRead + written;
    setNeeds(kernel, kThreads * kElementsPerThread * (kInstructionsPerElement + flopsPerElement) / issuePerNs(),
             dramBytes(bytesRead) + dramBytes(written), kernel.bytes / static_cast<double>(kernel.blocks()));
    return kernel;
}

Kernel KernelRules::windowed(std::string name, const Shape &input, const Shape &output, std::int64_t window,
                             double weightBytes, double smNsPerBlock) const
{
    const std::int64_t outputs = std::max<std::int64_t>(1, output.elements());
    Kernel kernel;
    kernel.name = std::move(name);
    kernel.grid = {ceilDiv(outputs, kThreads), 1, 1};
    kernel.threadsPerBlock = kThreads;
    kernel.registersPerThread = 32;
    kernel.cudnnCall = true;
    kernel.flops = 2.0 * static_cast<double>(window) * static_cast<double>(outputs);
    kernel.bytes = bytes(input) + bytes(output) + weightBytes;
    setNeeds(kernel, smNsPerBlock, dramBytes(bytes(input)) + dramBytes(bytes(output)) + weightBytes,
             kernel.bytes / static_cast<double>(kernel.blocks()));
    return kernel;
}

Kernel KernelRules::depthwise(std::string name, const Shape &input, const Shape &output, std::int64_t window,
                              double weightBytes) const
{
    const double fmas = static_cast<double>(kThreads) * static_cast<double>(window);
    return windowed(std::move(name), input, output, window, weightBytes,
                    fmas / (issuePerNs() * m_device.depthwiseEfficiency));
}

Kernel KernelRules::pooling(std::string name, const Shape &input, const Shape &output, std::int64_t window) const
{
    const double instructions = static_cast<double>(kThreads) * kInstructionsPerPooled * static_cast<double>(window);
    return windowed(std::move(name), input, output, window, 0, instructions / issuePerNs());
}

double KernelRules::aloneNs(const Kernel &kernel)
{
    if (residentBlocks(m_limits, kernel) == 0)
        return -1;
    const Launch launch{&kernel, 0, 0};
    return m_scheduler.run({&launch, 1});
}

Kernel KernelRules::tiledProduct(const std::string &name, std::int64_t rows, std::int64_t columns, std::int64_t inner,
                                 std::int64_t groups, double inputBytes, double weightBytes, double outputBytes)
{
    Kernel best;
    double bestNs = -1;
    const std::int64_t depth = ceilDiv(inner, kGemmDepth) * kGemmDepth;
    for (const GemmTile &tile : kGemmTiles) {
        Kernel kernel;
        kernel.name = fmt::format("{} {}x{}", name, tile.rows, tile.columns);
        kernel.grid = {ceilDiv(rows, tile.rows), ceilDiv(columns, tile.columns), groups};
        kernel.threadsPerBlock = tile.threads;
        kernel.registersPerThread = kGemmRegisters;
        kernel.sharedBytesPerBlock =
            static_cast<std::int64_t>(2 * kGemmDepth * (tile.rows + tile.columns) * m_elementBytes);
        kernel.flops = 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner) *
                       static_cast<double>(groups);
        kernel.bytes = inputBytes + weightBytes + outputBytes;
        const double blockFlops = 2.0 * tile.rows * tile.columns * static_cast<double>(depth);
        const double l2Bytes =
            static_cast<double>(tile.rows + tile.columns) * static_cast<double>(depth) * m_elementBytes +
            static_cast<double>(tile.rows) * tile.columns * m_resultBytes;
        setNeeds(kernel, blockFlops / (gemmFlopsPerNs() * m_device.gemmEfficiency),
                 weightBytes + dramBytes(inputBytes) + dramBytes(outputBytes), l2Bytes);
        const double ns = aloneNs(kernel);
        if (ns >= 0 && (bestNs < 0 || ns < bestNs)) {
            bestNs = ns;
            best = kernel;
        }
    }
    return best;
}

Kernel KernelRules::winograd(const std::string &name, const Shape &input, const Shape &output) const
{
    const std::int64_t tiles = output.batch() * ceilDiv(output.height(), 2) * ceilDiv(output.width(), 2);
    const double channels = static_cast<double>(input.channels());
    const double weightBytes = 9.0 * channels * static_cast<double>(output.channels()) * m_elementBytes;
    Kernel kernel;
    kernel.name = name + " winograd 2x2 3x3";
    kernel.grid = {ceilDiv(tiles, kWinogradTiles), ceilDiv(output.channels(), kWinogradChannels), 1};
    kernel.threadsPerBlock = 256;
    kernel.registersPerThread = 128;
    kernel.sharedBytesPerBlock = std::int64_t{32} * 1024;
    kernel.flops = 2.0 * 9 * channels * static_cast<double>(output.elements());
    kernel.bytes = bytes(input) + bytes(output) + weightBytes;
    const double blockFlops = 2.0 * kWinogradProducts * kWinogradTiles * kWinogradChannels * channels;
    const double l2Bytes = (9.0 * kWinogradChannels * channels + 4.0 * kWinogradTiles * channels +
                            4.0 * kWinogradTiles * kWinogradChannels) *
                           m_elementBytes;
    setNeeds(kernel, blockFlops / (gemmFlopsPerNs() * m_device.winogradEfficiency),
             weightBytes + dramBytes(bytes(input)) + dramBytes(bytes(output)), l2Bytes);
    return kernel;
}

Kernel KernelRules::convolution(std::string name, const Shape &input, const Shape &output, const Window &window,
                                std::int64_t groups)
{
    const std::int64_t kernelArea = window.kernel[0] * window.kernel[1];
    const std::int64_t inner = kernelArea * input.channels() / groups;
    const double weightBytes = static_cast<double>(inner * output.channels()) * m_elementBytes;
    if (groups > 1 && groups == input.channels())
        return depthwise(std::move(name), input, output, kernelArea, weightBytes);
    const std::int64_t rows = output.batch() * output.height() * output.width();
    Kernel best = tiledProduct(name, rows, output.channels() / groups, inner, groups, bytes(input), weightBytes,
                               resultBytes(output));
    const bool winogradCould = groups == 1 && window.kernel == std::array<std::int64_t, 2>{3, 3} &&
                               window.stride == std::array<std::int64_t, 2>{1, 1} &&
                               window.dilation == std::array<std::int64_t, 2>{1, 1} && !m_half && !m_integers;
    if (winogradCould) {
        const Kernel other = winograd(name, input, output);
        const double ns = aloneNs(other);
        if (ns >= 0 && ns < aloneNs(best))
            best = other;
    }
    best.cudnnCall = true;
    return best;
}

Kernel KernelRules::matrixProduct(std::string name, std::int64_t rows, std::int64_t columns, std::int64_t inner)
{
    const double inputBytes = static_cast<double>(rows * inner) * m_elementBytes;
    const double weightBytes = static_cast<double>(inner * columns) * m_elementBytes;
    const double outputBytes = static_cast<double>(rows * columns) * m_resultBytes;
    if (rows > kVectorRows) {
        Kernel kernel = tiledProduct(name, rows, columns, inner, 1, inputBytes, weightBytes, outputBytes);
        kernel.cudnnCall = true; // a cuBLAS call, treated like cuDNN
        return kernel;
    }
    constexpr int kWarps = 8;
    Kernel kernel;
    kernel.name = std::move(name) + " vector";
    kernel.grid = {ceilDiv(columns, kWarps), 1, 1};
    kernel.threadsPerBlock = kWarps * 32;
    kernel.registersPerThread = 32;
    kernel.cudnnCall = true;
    kernel.flops = 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner);
    kernel.bytes = inputBytes + weightBytes + outputBytes;
    constexpr double kIntegersAtOnce = 4; // of 8 bits, in an instruction (DP4A) as in a load
    const double instructions = static_cast<double>(kWarps) * static_cast<double>(inner) *
                                (1.0 + static_cast<double>(rows)) / (m_integers ? kIntegersAtOnce : 1.0);
    setNeeds(kernel, instructions / issuePerNs(), weightBytes + dramBytes(inputBytes),
             (static_cast<double>(kWarps) * static_cast<double>(inner) * (1.0 + static_cast<double>(rows) / kWarps)) *
                 m_elementBytes);
    return kernel;
}

} // namespace stagecraft
