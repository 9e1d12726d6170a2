#pragma once

// Writes the tasks of a group: looks up views, assigns scratch memory, collects constants. Private to gpu/plan.

#include "gpu/plan/lowering.h"

namespace stagecraft::gpu {

inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 30; // per tensor: kernels index with 32 bits

class GroupWriter {
public:
    GroupWriter(const LoweringContext &context, std::size_t scratchBuffer);

    // Starts the tasks of these operators; scratch memory of the previous ones becomes free.
    void begin(std::span<const OperatorId> operators);

    [[nodiscard]] const Graph &graph() const { return m_context.graph; }
    [[nodiscard]] View tensor(TensorId tensor) const;
    [[nodiscard]] View scratch(const Extent &dims, bool rowMajor = false);
    // Values of a parameter, in its own shape or another one with as many elements.
    [[nodiscard]] View constant(const Parameter &parameter);
    [[nodiscard]] View constant(const Parameter &parameter, const Extent &dims);
    [[nodiscard]] View constant(const std::string &key, const Extent &dims,
                                std::function<std::shared_ptr<const std::vector<float>>()> values, bool keep = true);

    void add(Work work);
    [[nodiscard]] Result<void> addConv(ConvTask conv);
    void copy(const View &x, const View &y);

    // The operator's input expression as one tensor, with an activation; a single tensor without activation is returned
    // itself.
    [[nodiscard]] View input(const Operator &op, const Activation &activation);
    // Writes it to `y`; parts that are already there are skipped.
    void writeExpression(const Operator &op, const Activation &activation, const View &y);
    // The tensor in row-major order, copied if necessary.
    [[nodiscard]] View rowMajor(TensorId tensor);

    [[nodiscard]] GroupTasks take();

private:
    void writeSum(const std::vector<TensorId> &part, const Operator &op, const Activation &activation, const View &y);
    [[nodiscard]] std::size_t reserve(std::size_t bytes);

    const LoweringContext &m_context;
    std::size_t m_scratchBuffer;
    std::size_t m_scratchUsed = 0;
    std::vector<OperatorId> m_operators;
    GroupTasks m_group;
};

[[nodiscard]] std::shared_ptr<const std::vector<float>> transposed(const std::vector<float> &values, std::int64_t rows,
                                                                   std::int64_t columns);

} // namespace stagecraft::gpu
