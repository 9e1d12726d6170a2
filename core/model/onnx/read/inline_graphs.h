#pragma once

// Replaces nodes with subgraphs whose choices are known by what they stand for: an If whose condition is constant, a
// Loop whose number of turns is, a Scan of a tensor whose size is known.

#include "support/work_budget.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

// What is known about a node with subgraphs.
struct KnownChoice {
    int node = 0;           // index in the graph
    std::int64_t turns = 0; // of a Loop or Scan
    bool isTrue = false;    // the condition of an If
};

// The first input that a Scan walks along, and the axis, whose size is the number of its turns.
[[nodiscard]] std::optional<std::pair<int, std::int64_t>> scannedAxis(const onnx::NodeProto &scan);

// Whether a tensor outside of a subgraph is a constant that is true.
using IsTrueOutside = std::function<bool(const std::string &name)>;

// How many turns a Loop or Scan takes that takes at most so many; empty where its body computes whether it goes on, or
// they have too many nodes to write out.
[[nodiscard]] std::optional<std::int64_t> knownTurns(const onnx::NodeProto &node, std::int64_t most,
                                                     const IsTrueOutside &isTrueOutside);

// What the node of a choice is written out to.
[[nodiscard]] WorkAmount amountFor(const onnx::NodeProto &node, const KnownChoice &choice);

// `opset`: of the file.
void inlineChoices(onnx::GraphProto &graph, const std::vector<KnownChoice> &choices, std::int64_t opset);

} // namespace stagecraft
