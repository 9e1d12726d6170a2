#pragma once

// Which inputs of a file decide sizes: the target of a Reshape, the K of a TopK, the condition of an If. A model that
// is executed has their values, and its graph has them as constants.

#include "model/onnx/file/file_names.h"

#include <set>

namespace onnx {
class GraphProto;
}

namespace stagecraft {

// Names of the graph, not only of inputs: all that the values come from.
[[nodiscard]] std::set<NameId> namesThatDecideSizes(const onnx::GraphProto &graph, const FileNames &names);

} // namespace stagecraft
