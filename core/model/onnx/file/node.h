#pragma once

// One node of a model file with its operands resolved, for the rules for shapes, folding and conversion.

#include "graph/operator.h"
#include "model/onnx/file/constant.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class AttributeProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

// What a name of the file stands for: a tensor of the graph, or a constant.
struct OnnxValue {
    TensorId tensor;
    Shape shape;
    DataType type = DataType::Float32;
    std::shared_ptr<const Constant> constant; // set for constants
};

struct OnnxNode {
    const onnx::NodeProto *proto = nullptr;
    std::string name;
    std::string type; // prefixed with the domain if it is not ONNX's own
    std::int64_t opset = 0;
    std::vector<std::optional<OnnxValue>> inputs; // an entry is empty if left out
    std::vector<std::string_view> outputs;        // see OutputUse

    [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i]; }
    [[nodiscard]] const Constant *constant(std::size_t i) const { return has(i) ? inputs[i]->constant.get() : nullptr; }
    // The shape of a tensor or a constant.
    [[nodiscard]] const Shape &shape(std::size_t i) const { return inputs[i]->shape; }
    [[nodiscard]] bool isTensor(std::size_t i) const { return has(i) && !inputs[i]->constant; }

    [[nodiscard]] const onnx::AttributeProto *attribute(const char *key) const;
    [[nodiscard]] std::int64_t integer(const char *key, std::int64_t fallback) const;
    [[nodiscard]] float real(const char *key, float fallback) const;
    [[nodiscard]] std::string text(const char *key, const std::string &fallback) const;
    [[nodiscard]] std::vector<std::int64_t> integers(const char *key) const; // empty if absent

    // Integers that are an attribute in older opsets and an input in newer ones; empty if the input is not constant or
    // both are absent (`given` tells which).
    struct Integers {
        bool given = false;
        std::optional<std::vector<std::int64_t>> values;
    };
    [[nodiscard]] Integers integersFrom(const char *key, std::size_t input) const;

    [[nodiscard]] GenericAttributes genericAttributes() const;
};

// A negative axis counts from the end. Empty if out of range.
[[nodiscard]] std::optional<std::size_t> axisWithin(std::int64_t axis, std::size_t rank);

} // namespace stagecraft
