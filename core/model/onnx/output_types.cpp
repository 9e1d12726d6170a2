#include "model/onnx/output_types.h"

#include <onnx/onnx_pb.h>
#include <unordered_set>

namespace stagecraft {

DataType outputType(const OnnxNode &node, std::size_t output)
{
    static const std::unordered_set<std::string> booleans{
        "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor", "Not", "IsNaN", "IsInf"};
    if (booleans.contains(node.type) || (node.type == "Dropout" && output == 1))
        return DataType::Bool;
    if (node.proto->op_type() == "Cast") // even if it only passes its input on
        return dataTypeOf(static_cast<int>(node.integer("to", 0)));
    const bool givesPlaces = output == 1 && (node.type == "TopK" || node.type == "MaxPool");
    static const std::unordered_set<std::string> places{"ArgMax", "ArgMin", "NonZero", "Shape", "Size"};
    if (places.contains(node.type) || givesPlaces)
        return DataType::Int64;
    if (node.type == "QuantizeLinear")
        return node.has(2) ? node.inputs[2]->type : DataType::UInt8;
    if (node.type == "DequantizeLinear")
        return DataType::Float32;
    const std::size_t like = node.type == "Where" || node.type == "CastLike" ? 1 : 0;
    return node.has(like) ? node.inputs[like]->type : DataType::Float32;
}

} // namespace stagecraft
