#include "model/onnx/shapes/output_types.h"

#include <onnx/onnx_pb.h>
#include <unordered_map>

namespace stagecraft {

DataType outputType(const OnnxNode &node, std::size_t output)
{
    static const std::unordered_map<std::string, DataType> own = [] {
        std::unordered_map<std::string, DataType> types{{"DequantizeLinear", DataType::Float32}};
        for (const char *type :
             {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor", "Not", "IsNaN", "IsInf"})
            types[type] = DataType::Bool;
        for (const char *type : {"ArgMax", "ArgMin", "NonZero", "Shape", "Size"})
            types[type] = DataType::Int64;
        return types;
    }();
    if (const auto found = own.find(node.type); found != own.end())
        return found->second;
    if (node.type == "Dropout" && output == 1)
        return DataType::Bool;
    if (node.proto->op_type() == "Cast") // even if it only passes its input on
        return dataTypeOf(static_cast<int>(node.integer("to", 0)));
    if (output == 1 && (node.type == "TopK" || node.type == "MaxPool"))
        return DataType::Int64; // places
    if (node.type == "QuantizeLinear")
        return node.has(2) ? node.inputs[2]->type : DataType::UInt8;
    const std::size_t like = node.type == "Where" || node.type == "CastLike" ? 1 : 0;
    return node.has(like) ? node.inputs[like]->type : DataType::Float32;
}

} // namespace stagecraft
