#pragma once

// Replaces nodes that stand for other nodes by those: calls of local functions, an If whose condition is constant, a
// Loop whose number of turns is. Also writes sparse tensors out, which everything else then reads as others.

#include "support/result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

// Refuses functions that call themselves, or write out to absurdly many nodes, naming them.
[[nodiscard]] Result<void> inlineFunctions(onnx::ModelProto &model);

// Refuses a sparse tensor whose indices do not fit its shape, or that is absurdly large, naming it.
[[nodiscard]] Result<void> writeSparseTensorsOut(onnx::GraphProto &graph);

// What is known about a node with subgraphs.
struct KnownChoice {
    int node = 0;           // index in the graph
    std::int64_t turns = 0; // of a Loop
    bool isTrue = false;    // the condition of an If
};

// Whether a Loop ends only after its turns: its condition stays as it is. `turns` of all its nodes are not too many.
[[nodiscard]] bool canUnroll(const onnx::NodeProto &loop, std::int64_t turns);

// `opset`: of the file.
void inlineChoices(onnx::GraphProto &graph, const std::vector<KnownChoice> &choices, std::int64_t opset);

} // namespace stagecraft
