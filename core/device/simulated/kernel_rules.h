#pragma once

// What the lowering rules share: from work and bytes to the needs of a thread block, the kernels that need no choice,
// and the choice of the fastest.

#include "device/simulated/block_scheduler.h"
#include "device/simulated/device_description.h"
#include "device/simulated/kernel.h"
#include "operators/operator.h"
#include "operators/values/tensor.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

[[nodiscard]] constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

// What float32 operands are multiplied in TF32 on tensor cores for; nothing where the device has no TF32.
struct Tf32Use {
    bool convolutions = false;
    bool products = false;
};

// Which of several ways to compute the same is taken.
enum class KernelChoice {
    Library,        // the fastest alone, as libraries choose
    FastestRTask,   // the same among ways of one kernel: the blocks of one grid are the rTasks of one rOperator
    ThriftiestRTask // the one of these with the least time x resource: time alone x blocks x threads
};

class KernelRules {
public:
    // `type`: of the elements that kernels read, and of arithmetic. `result`: of what convolutions and products write.
    KernelRules(const DeviceDescription &device, const SmLimits &limits, BlockScheduler &scheduler, DataType type,
                DataType result, Tf32Use tf32, KernelChoice choice);

    // One thread per four elements; `bytesRead` does not include what is written.
    [[nodiscard]] Kernel elementwise(std::string name, std::int64_t elements, double bytesRead,
                                     double flopsPerElement) const;
    // One thread per output with `window` inputs each; far below the FMA peak (`depthwise_efficiency`).
    [[nodiscard]] Kernel depthwise(std::string name, const Shape &input, const Shape &output, std::int64_t window,
                                   double weightBytes) const;
    // One thread per output with `window` inputs each, a few instructions per input.
    [[nodiscard]] Kernel pooling(std::string name, const Shape &input, const Shape &output, std::int64_t window) const;
    [[nodiscard]] double bytes(const Shape &shape) const;

    [[nodiscard]] double resultBytes(const Shape &shape) const;
    // DRAM bytes of a tensor that one kernel writes and another reads: 0 if it fits the L2.
    [[nodiscard]] double dramBytes(double tensorBytes) const;
    // Which kernel is made next: whether it is in TF32 depends on it.
    void beginConvolution(bool mayBeTf32) { m_inTf32 = m_tf32.convolutions && mayBeTf32; }
    void beginProduct() { m_inTf32 = m_tf32.products; }

    [[nodiscard]] double tensorFmaPerClock() const; // per SM, of the type; 0: not on tensor cores
    [[nodiscard]] double gemmFlopsPerNs() const;    // peak of products, per SM
    [[nodiscard]] double issuePerNs() const;        // instructions of threads, per SM
    void setNeeds(Kernel &kernel, double smNsPerBlock, double dramBytes, double l2BytesPerBlock) const;

    // The kernels one after another, with the device to themselves; negative if a block fits no SM.
    [[nodiscard]] double aloneNs(std::span<const Kernel> kernels);
    // What they take alone at least, without simulation.
    [[nodiscard]] double leastNs(std::span<const Kernel> kernels) const;

    [[nodiscard]] KernelChoice choice() const { return m_choice; }
    [[nodiscard]] const DeviceDescription &device() const { return m_device; }
    [[nodiscard]] double elementBytes() const { return m_elementBytes; }
    [[nodiscard]] double bytesOfResult() const { return m_resultBytes; } // per element
    [[nodiscard]] bool onTensorCores() const { return tensorFmaPerClock() > 0; }
    [[nodiscard]] bool isHalf() const { return m_half; }
    [[nodiscard]] bool ofIntegers() const { return m_integers; }

private:
    [[nodiscard]] Kernel windowed(std::string name, const Shape &input, const Shape &output, std::int64_t window,
                                  double weightBytes, double smNsPerBlock) const;

    const DeviceDescription &m_device;
    const SmLimits &m_limits;
    BlockScheduler &m_scheduler;
    double m_elementBytes;
    double m_resultBytes; // per element
    bool m_half;
    bool m_integers;
    Tf32Use m_tf32;
    KernelChoice m_choice;
    bool m_inTf32 = false; // the kernel that is made
};

// The best of several ways to compute the same, each of one kernel or more, by the choice of the rules: the fastest one
// when it runs alone, or the thriftiest. Where the choice is among ways of one kernel, others count only without any.
class Fastest {
public:
    explicit Fastest(KernelRules &rules) : m_rules(rules) {}

    void offer(std::vector<Kernel> kernels); // none: there is no such way
    // Empty if no way was offered whose blocks fit an SM.
    [[nodiscard]] std::vector<Kernel> take() && { return std::move(m_best); }

private:
    KernelRules &m_rules;
    std::vector<Kernel> m_best;
    double m_bestCost = 0; // ns, or ns x threads
};

} // namespace stagecraft
