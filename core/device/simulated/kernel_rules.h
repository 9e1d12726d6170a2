#pragma once

// What the lowering rules share: from work and bytes to the needs of a thread block.

#include "device/simulated/block_scheduler.h"
#include "device/simulated/device_description.h"
#include "device/simulated/kernel.h"
#include "operators/operator.h"
#include "operators/values/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

class KernelRules {
public:
    // `type`: of the elements that kernels read, and of arithmetic. `result`: of what convolutions and products write.
    KernelRules(const DeviceDescription &device, const SmLimits &limits, BlockScheduler &scheduler, DataType type,
                DataType result);

    // One thread per four elements; `bytesRead` does not include what is written.
    [[nodiscard]] Kernel elementwise(std::string name, std::int64_t elements, double bytesRead,
                                     double flopsPerElement) const;
    // One thread per output with `window` inputs each; far below the FMA peak (`depthwise_efficiency`).
    [[nodiscard]] Kernel depthwise(std::string name, const Shape &input, const Shape &output, std::int64_t window,
                                   double weightBytes) const;
    // One thread per output with `window` inputs each, a few instructions per input.
    [[nodiscard]] Kernel pooling(std::string name, const Shape &input, const Shape &output, std::int64_t window) const;
    // The kernel that cuDNN could use for this convolution and that is fastest when it runs alone.
    [[nodiscard]] Kernel convolution(std::string name, const Shape &input, const Shape &output, const Window &window,
                                     std::int64_t groups);
    // A (rows x inner) matrix times an (inner x columns) matrix.
    [[nodiscard]] Kernel matrixProduct(std::string name, std::int64_t rows, std::int64_t columns, std::int64_t inner);

    [[nodiscard]] double bytes(const Shape &shape) const;

private:
    [[nodiscard]] double resultBytes(const Shape &shape) const;
    // DRAM bytes of a tensor that one kernel writes and another reads: 0 if it fits the L2.
    [[nodiscard]] double dramBytes(double tensorBytes) const;
    [[nodiscard]] double gemmFlopsPerNs() const; // per SM
    [[nodiscard]] double issuePerNs() const;     // instructions of threads, per SM
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
    double m_resultBytes; // per element
    bool m_half;
    bool m_integers;
};

} // namespace stagecraft
