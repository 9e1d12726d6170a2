#pragma once

// What the lowering rules share: how work and bytes become the needs of a thread block.

#include "graph/operator.h"
#include "graph/tensor.h"
#include "simulate/block_scheduler.h"
#include "simulate/device_description.h"
#include "simulate/kernel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

class KernelRules {
public:
    KernelRules(const DeviceDescription &device, const SmLimits &limits, BlockScheduler &scheduler, DataType type);

    // One thread for every four elements; `bytesRead` apart from what is written.
    [[nodiscard]] Kernel elementwise(std::string name, std::int64_t elements, double bytesRead,
                                     double flopsPerElement) const;
    // One thread per output, `window` inputs each; far under the FMA peak (`depthwise_efficiency`).
    [[nodiscard]] Kernel depthwise(std::string name, const Shape &input, const Shape &output, std::int64_t window,
                                   double weightBytes) const;
    // One thread per output, `window` inputs each, a few instructions for every input.
    [[nodiscard]] Kernel pooling(std::string name, const Shape &input, const Shape &output, std::int64_t window) const;
    // The fastest alone of the kernels cuDNN could take for this convolution.
    [[nodiscard]] Kernel convolution(std::string name, const Shape &input, const Shape &output, const Window &window,
                                     std::int64_t groups);
    // rows x inner times inner x columns.
    [[nodiscard]] Kernel matrixProduct(std::string name, std::int64_t rows, std::int64_t columns, std::int64_t inner);

    [[nodiscard]] double bytes(const Shape &shape) const;

private:
    // Bytes of a tensor that one kernel wrote and another reads: from DRAM only if it does not fit the L2.
    [[nodiscard]] double dramBytes(double tensorBytes) const;
    [[nodiscard]] double gemmFlopsPerNs() const; // of one SM
    [[nodiscard]] double issuePerNs() const;     // instructions of threads, of one SM
    [[nodiscard]] Kernel windowed(std::string name, const Shape &input, const Shape &output, std::int64_t window,
                                  double weightBytes, double smNsPerBlock) const;
    void setNeeds(Kernel &kernel, double smNsPerBlock, double dramBytes, double l2BytesPerBlock) const;
    [[nodiscard]] Kernel tiledProduct(const std::string &name, std::int64_t rows, std::int64_t columns,
                                      std::int64_t inner, std::int64_t groups, double inputBytes, double weightBytes,
                                      double outputBytes);
    [[nodiscard]] Kernel winograd(const std::string &name, const Shape &input, const Shape &output) const;
    [[nodiscard]] double aloneNs(const Kernel &kernel);

    const DeviceDescription &m_device;
    const SmLimits &m_limits;
    BlockScheduler &m_scheduler;
    double m_elementBytes;
    bool m_half;
};

} // namespace stagecraft
