#pragma once

// What operators compute, on typed tensors in memory: the program's one definition of them. Constant folding calls it
// (operators/folding/fold.h), and so do devices for what their library does not do. Source: the ONNX operator
// specification.
//
// A kernel reads and writes row-major tensors. The 16-bit real types never reach it: evaluate() widens them to Float32
// before and rounds results after, so arithmetic on them is that of float32, rounded once per operator.

#include "operators/node_facts.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

// Values in memory that belong to somebody else. Bool is one byte per element, 0 or 1.
struct TensorView {
    DataType type = DataType::Float32;
    std::vector<std::int64_t> dims;
    std::byte *data = nullptr;

    [[nodiscard]] std::int64_t size() const; // elements
    template <typename T>
    [[nodiscard]] std::span<T> as() const
    {
        return {reinterpret_cast<T *>(data), static_cast<std::size_t>(size())};
    }
};

struct KernelCall {
    const NodeFacts &node; // shapes and types of operands; attributes
    std::vector<std::optional<TensorView>> inputs;
    // By the node's places; empty where nobody wants the output. A kernel whose outputs have data-dependent sizes
    // (OperatorSchema::sizesAreBounds) finds the largest ones here and sets the actual ones.
    std::vector<std::optional<TensorView>> outputs;

    [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i]; }
    [[nodiscard]] const TensorView &in(std::size_t i) const { return *inputs[i]; }
    [[nodiscard]] bool wants(std::size_t i) const { return i < outputs.size() && outputs[i]; }
    [[nodiscard]] TensorView &out(std::size_t i = 0) { return *outputs[i]; }
};

// Writes the outputs. InvalidInput: values or types that the operator has no result for (an index out of range).
using KernelFunction = Result<void> (*)(KernelCall &call);

// A tensor with memory of its own.
struct TensorValue {
    TensorView view;
    std::shared_ptr<std::vector<std::byte>> memory;
};
[[nodiscard]] TensorValue newTensor(DataType type, std::vector<std::int64_t> dims);

// The type in which kernels see tensors of a type.
[[nodiscard]] DataType kernelType(DataType type);
// A constant as kernels see it, and back: `type` is the type the result has in the model.
[[nodiscard]] TensorValue tensorOf(const Constant &constant);
[[nodiscard]] Constant constantOf(const TensorView &tensor, DataType type);

// Whether there is a kernel for operators of this type.
[[nodiscard]] bool hasKernel(std::string_view type);
// Converts numbers between the types that kernels see.
void convertValues(const TensorView &from, const TensorView &to);
// Rounds results of narrow real types: `type` is that of the model.
void roundTo(DataType type, const TensorView &tensor);

// All outputs of a node whose operands are constants. Errors: no kernel, a form without one, sizes that are not known,
// operands without a result.
[[nodiscard]] Result<std::vector<Constant>> evaluate(const NodeFacts &node);

// Checks the node and calls its kernel. `call.node` has shapes and types; views match them.
[[nodiscard]] Result<void> runKernel(KernelCall &call);

} // namespace stagecraft
