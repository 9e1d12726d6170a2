#pragma once

// Nodes of a file that turn out to stand for others while it is read: those with subgraphs whose choices are known, and
// those of sequences whose tensors are.

#include "model/onnx/file/node.h"
#include "model/onnx/read/inline_graphs.h"
#include "model/onnx/read/static_sequences.h"
#include "support/work_budget.h"

#include <map>
#include <string>
#include <vector>

namespace stagecraft {

class KnownNodes {
public:
    explicit KnownNodes(WorkBudget &work) : m_work(&work) {}

    // `index`: of the node in the graph.
    void note(const OnnxNode &node, int index, const IsTrueOutside &isTrueOutside);

    [[nodiscard]] bool isEmpty() const { return m_choices.empty() && m_sequences.empty(); }
    // Writes them out: those with subgraphs first; sequences within those are known at the next reading. `opset`: of
    // the file. Those that the budget does not suffice for stay. `written`: counts those that are gone, by type. False
    // if the graph is as before.
    [[nodiscard]] bool writeOut(onnx::GraphProto &graph, std::int64_t opset,
                                std::map<std::string, std::int64_t> &written) const;

private:
    void noteChoice(const OnnxNode &node, int index, const IsTrueOutside &isTrueOutside);
    void noteSequence(const OnnxNode &node, int index);

    WorkBudget *m_work;
    std::vector<KnownChoice> m_choices;
    std::vector<KnownSequence> m_sequences;
};

} // namespace stagecraft
