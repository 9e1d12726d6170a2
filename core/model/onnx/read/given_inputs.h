#pragma once

// Which inputs of a file decide sizes: the target of a Reshape, the K of a TopK, the condition of an If. A model that
// is executed has their values, and its graph has them as constants.

#include "model/onnx/file/file_names.h"
#include "operators/values/constant.h"

#include <optional>
#include <set>

namespace onnx {
class GraphProto;
}

namespace stagecraft {

// Names of the graph, not only of inputs: all that the values come from.
[[nodiscard]] std::set<NameId> namesThatDecideSizes(const onnx::GraphProto &graph, const FileNames &names);

// The values in the element type of the input; empty if they are too many to decide sizes, or the type is not known.
[[nodiscard]] std::optional<Constant> constantInput(const Constant &given, int elementType);

} // namespace stagecraft
