#include "device/simulated/kernel_rules.h"

#include "device/simulated/stage_bound.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr double kSmBytesPerClock = 64;       // between an SM and the L2 (Jia et al., arXiv 1804.06826)
constexpr int kThreads = 256;                 // per block of elementwise and windowed kernels
constexpr int kElementsPerThread = 4;         // one 16-byte access
constexpr double kInstructionsPerElement = 5; // address, load, store besides the arithmetic
constexpr double kInstructionsPerPooled = 4;  // bounds, address, load, compare or add

double bytesOfElement(DataType type)
{
    return static_cast<double>(std::max<std::int64_t>(1, sizeBytes(type)));
}

double threadsOf(std::span<const Kernel> kernels)
{
    double threads = 0;
    for (const Kernel &kernel : kernels)
        threads += static_cast<double>(kernel.blocks() * kernel.threadsPerBlock);
    return threads;
}

} // namespace

KernelRules::KernelRules(const DeviceDescription &device, const SmLimits &limits, BlockScheduler &scheduler,
                         DataType type, DataType result, Tf32Use tf32, KernelChoice choice)
    : m_device(device), m_limits(limits), m_scheduler(scheduler), m_elementBytes(bytesOfElement(type)),
      m_resultBytes(bytesOfElement(result)), m_half(type == DataType::Float16),
      m_integers((type == DataType::Int8 || type == DataType::UInt8) && device.int8FmaPerClockPerSm > 0),
      m_tf32(type == DataType::Float32 && device.tf32FmaPerClockPerSm > 0 ? tf32 : Tf32Use{}), m_choice(choice)
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

double KernelRules::tensorFmaPerClock() const
{
    return m_inTf32 ? m_device.tf32FmaPerClockPerSm : m_half ? m_device.tensorFmaPerClockPerSm : 0;
}

double KernelRules::gemmFlopsPerNs() const
{
    double fmaPerClock =
        std::max(m_half ? m_device.fp16FmaPerClockPerSm : m_device.fp32FmaPerClockPerSm, tensorFmaPerClock());
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

double KernelRules::aloneNs(std::span<const Kernel> kernels)
{
    std::vector<Launch> launches;
    for (const Kernel &kernel : kernels) {
        if (residentBlocks(m_limits, kernel) == 0)
            return -1;
        launches.push_back({&kernel, 0, 0});
    }
    return m_scheduler.run(launches);
}

double KernelRules::leastNs(std::span<const Kernel> kernels) const
{
    double ns = 0;
    for (const Kernel &kernel : kernels)
        ns += m_limits.rampNs + leastKernelNs(kernel, m_limits);
    return ns;
}

void Fastest::offer(std::vector<Kernel> kernels)
{
    const auto isOneGrid = [&](const std::vector<Kernel> &way) {
        return m_rules.choice() == KernelChoice::Library || way.size() == 1;
    };
    if (kernels.empty() || (!m_best.empty() && isOneGrid(m_best) && !isOneGrid(kernels)))
        return;
    const bool isCompared = !m_best.empty() && isOneGrid(m_best) == isOneGrid(kernels);
    const double resource = m_rules.choice() == KernelChoice::ThriftiestRTask ? threadsOf(kernels) : 1;
    if (isCompared && m_rules.leastNs(kernels) * resource >= m_bestCost)
        return;
    const double ns = m_rules.aloneNs(kernels);
    if (ns < 0 || (isCompared && ns * resource >= m_bestCost))
        return;
    m_best = std::move(kernels);
    m_bestCost = ns * resource;
}

} // namespace stagecraft
