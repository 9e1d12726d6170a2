#pragma once

// Element types by the numbers that ONNX gives them, and values as a file holds them.
//
// The program keeps real numbers in 32 bits and passes casts between their types on. A file of one such type is
// written in it again; one of several is written in float32 throughout.

#include "graph/tensor.h"

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
    int written = 0;                             // the type of all that the file does not give another
    std::vector<int> replaced;                   // types of the file that become float32
    [[nodiscard]] int of(int elementType) const; // what is written for a type of the file
};

[[nodiscard]] RealTypes realTypes(const onnx::ModelProto &file);
[[nodiscard]] RealTypes plainFloats(); // of models that come from no file

// Types in the node's attributes and bodies become those that are written.
void replaceTypes(onnx::NodeProto &node, const RealTypes &types);

[[nodiscard]] int elementTypeOf(DataType type, const RealTypes &types);

// Numbers beyond the type become its largest, NaN aside.
[[nodiscard]] std::string bytesAs(int elementType, const std::vector<float> &values);
[[nodiscard]] std::string bytesAs(int elementType, const std::vector<std::int64_t> &values);

} // namespace stagecraft
