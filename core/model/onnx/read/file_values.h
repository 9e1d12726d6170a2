#pragma once

// What the names of a model file stand for while its graph is read: tensors of the graph, constants, or neither while
// they are unknown. Constants of the file are read when they are first asked for.

#include "graph/graph.h"
#include "model/onnx/file/file_names.h"
#include "operators/node_facts.h"
#include "support/result.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

class FoldBudget;
class GraphFile;

class FileValues {
public:
    // What is read of the file counts for `folding`. All outlive this.
    FileValues(GraphFile &file, const GraphBuilder &graph, FoldBudget &folding);

    void define(NameId name, TensorId tensor);
    void define(NameId name, std::shared_ptr<const Constant> constant);
    void define(NameId name, const OperandFacts &same); // as something that is known
    // The largest values that a tensor of sizes may have.
    void setBound(NameId name, std::shared_ptr<const Constant> bound);
    [[nodiscard]] bool hasBound(NameId name) const { return m_bounds.contains(name); }

    // Empty for names left out, and for constants of an unsupported type (strings).
    [[nodiscard]] Result<std::optional<OperandFacts>> resolve(NameId name);
    // Invalid if it is none, or more is known of it than its shape and type.
    [[nodiscard]] TensorId plainTensor(NameId name) const;
    // Null if it is none, or was not read yet. `name` is valid.
    [[nodiscard]] std::shared_ptr<const Constant> constant(NameId name) const
    {
        return m_values[name.index()].constant;
    }
    // Whether it is a constant with one element, which is not zero.
    [[nodiscard]] bool isTrue(const std::string &name);

private:
    struct Value {
        TensorId tensor;
        std::shared_ptr<const Constant> constant;
    };

    GraphFile &m_file;
    const GraphBuilder &m_graph;
    FoldBudget &m_folding;
    std::vector<Value> m_values;                                          // by name
    std::unordered_map<NameId, std::shared_ptr<const Constant>> m_bounds; // by name
};

} // namespace stagecraft
