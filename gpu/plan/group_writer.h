#pragma once

// Writes the kernels and calls of a group: looks up views, takes scratch memory, collects constants. Private to
// gpu/plan.

#include "gpu/plan/lowering.h"

namespace stagecraft::gpu {

inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 30; // per tensor: kernels index with 32 bits

class GroupWriter {
public:
    GroupWriter(const LoweringContext &context, const plan::GroupPlan &group);

    // Starts what these operators execute; scratch memory of the previous ones becomes free.
    void begin(const plan::OperatorTasks &op);

    [[nodiscard]] const Graph &graph() const { return m_context.graph; }
    [[nodiscard]] View tensor(TensorId tensor) const;
    // That of an image, or the device's where the image has any.
    [[nodiscard]] TensorLayout layoutOf(const View &view) const;
    [[nodiscard]] View scratch(const Extent &dims, TensorLayout layout);
    // Values of a parameter, in its own shape or another one with as many elements.
    [[nodiscard]] View constant(const Parameter &parameter, TensorLayout layout);
    [[nodiscard]] View constant(const Parameter &parameter, const Extent &dims, TensorLayout layout);
    [[nodiscard]] View constant(const std::string &key, const Extent &dims, TensorLayout layout,
                                std::function<std::shared_ptr<const std::vector<float>>()> values, bool keep = true);

    void add(Work work);
    [[nodiscard]] Result<void> addConv(ConvTask conv);
    void copy(const View &x, const View &y);
    void activate(const Operator &op, const Activation &activation, const View &x, const View &y);

    // Every part to its channels of the output, with the activation.
    void join(const Operator &op, const plan::Task &task);
    // The tensor in row-major order, copied if necessary.
    [[nodiscard]] View rowMajor(TensorId tensor);

    [[nodiscard]] std::vector<Task> take();

private:
    void writeSum(const std::vector<View> &summands, const Activation &activation, const View &y);

    const LoweringContext &m_context;
    plan::GroupScratch m_scratch;
    std::vector<OperatorId> m_operators;
    std::vector<Task> m_tasks;
};

[[nodiscard]] std::shared_ptr<const std::vector<float>> transposed(const std::vector<float> &values, std::int64_t rows,
                                                                   std::int64_t columns);

} // namespace stagecraft::gpu
