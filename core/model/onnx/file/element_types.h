#pragma once

// Element types by their ONNX numbers, and values as stored in a file.
//
// The program stores real numbers in 32 bits. A file with one such type is written in that type again, in a file with
// several every tensor keeps its own.

#include "operators/values/constant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

[[nodiscard]] bool isReal(int elementType); // float32, float64, float16 or bfloat16
[[nodiscard]] std::string elementTypeName(int elementType);

// How the real numbers of a file are written.
struct RealTypes {
    int written = 0;                             // the type for everything that has no type in the file
    std::vector<int> replaced = {};              // types in the file that become float32
    bool areSeveral = false;                     // each is written as it is
    [[nodiscard]] int of(int elementType) const; // the written type for a type in the file
};

[[nodiscard]] RealTypes realTypes(const onnx::ModelProto &file);
[[nodiscard]] RealTypes plainFloats(); // for models that come from no file

// Replaces types in the node's attributes and subgraphs by those that are written.
void replaceTypes(onnx::NodeProto &node, const RealTypes &types);

[[nodiscard]] int elementTypeOf(DataType type, const RealTypes &types);

// Numbers beyond the range of the type become its largest number; NaN stays NaN.
[[nodiscard]] std::string bytesAs(int elementType, const std::vector<float> &values);
[[nodiscard]] std::string bytesAs(int elementType, const ConstantValues &values);

} // namespace stagecraft
