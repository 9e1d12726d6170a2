#pragma once

// Sequences of tensors whose contents are known while a file is read: exporters write them where a program has a list,
// and mean the tensors. What reads such a sequence is replaced by nodes that read its tensors.

#include "support/work_budget.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

// What reading found out about a node that makes or reads a sequence.
struct KnownSequence {
    int node = 0; // index in the graph
    // Of SequenceAt, SequenceInsert and SequenceErase: the place, if it is a constant.
    std::optional<std::int64_t> place;
    std::vector<std::int64_t> sizes; // of SplitToSequence: those of its parts along the axis; empty if not known
};

[[nodiscard]] bool concernsSequence(const onnx::NodeProto &node);

// `known`: of the nodes that concernSequence. `opset`: of the file. `replaced`: counts the nodes that are gone, by
// type. False if no node could be replaced; the graph is then as before. Sequences that the budget does not suffice for
// stay.
[[nodiscard]] bool replaceSequences(onnx::GraphProto &graph, const std::vector<KnownSequence> &known,
                                    std::int64_t opset, WorkBudget &work,
                                    std::map<std::string, std::int64_t> &replaced);

} // namespace stagecraft
