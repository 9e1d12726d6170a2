#pragma once

// The network as the engine reads it: operators in an order in which they can run, and the tensors between them.

#include "operators/operator.h"
#include "operators/values/tensor.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

class Graph {
public:
    [[nodiscard]] std::span<const Operator> operators() const { return m_operators; }
    [[nodiscard]] std::span<const Tensor> tensors() const { return m_tensors; }
    [[nodiscard]] const Operator &op(OperatorId id) const { return m_operators[id.index()]; }
    [[nodiscard]] const Tensor &tensor(TensorId id) const { return m_tensors[id.index()]; }
    [[nodiscard]] std::span<const TensorId> inputs() const { return m_inputs; }
    [[nodiscard]] std::span<const TensorId> outputs() const { return m_outputs; }
    [[nodiscard]] std::size_t size() const { return m_operators.size(); }
    [[nodiscard]] double flops(OperatorId id) const { return m_flops[id.index()]; }

    // Read by an operator, or an output of the network.
    [[nodiscard]] bool isUsed(TensorId id) const;
    // Shape of the operator's inputs joined along channels.
    [[nodiscard]] Shape inputShape(OperatorId id) const;
    [[nodiscard]] const Shape &outputShape(OperatorId id) const { return tensor(op(id).outputs.front()).shape; }

    TensorId addTensor(Tensor tensor);
    OperatorId addOperator(Operator op, double flops); // its inputs exist; its outputs are added tensors
    void addInput(TensorId tensor) { m_inputs.push_back(tensor); }
    void addOutput(TensorId tensor) { m_outputs.push_back(tensor); }
    void releaseConstants();

private:
    std::vector<Operator> m_operators;
    std::vector<double> m_flops;
    std::vector<Tensor> m_tensors;
    std::vector<TensorId> m_inputs;
    std::vector<TensorId> m_outputs;
};

} // namespace stagecraft
