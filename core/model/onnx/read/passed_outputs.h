#pragma once

// Outputs of a graph that nodes merely pass on. Those nodes are left out, and what they pass on has the name of the
// output, if possible.

#include "model/onnx/file/file_names.h"

#include <unordered_map>
#include <unordered_set>

namespace onnx {
class GraphProto;
} // namespace onnx

namespace stagecraft {

class OutputUse;

// The new names of tensors of the file that get another one. `outputs`: the names of the graph's.
[[nodiscard]] std::unordered_map<NameId, NameId> namesOfPassedOutputs(const onnx::GraphProto &graph,
                                                                      const FileNames &names, const OutputUse &use,
                                                                      const std::unordered_set<NameId> &outputs);

} // namespace stagecraft
