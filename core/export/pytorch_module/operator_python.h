#pragma once

// An operator as statements of Python on PyTorch tensors.

#include "graph/graph.h"
#include "support/result.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// What the statements refer to: tensors are members of `t`, constants of `self`.
class PythonNetwork {
public:
    explicit PythonNetwork(const Graph &graph);

    [[nodiscard]] const Graph &graph() const { return m_graph; }
    [[nodiscard]] const std::string &name(TensorId id) const { return m_tensors[id.index()]; }
    [[nodiscard]] std::string tensor(TensorId id) const { return "t." + name(id); }
    [[nodiscard]] std::string tensors(std::span<const TensorId> ids, std::string_view between = ", ") const;
    [[nodiscard]] const Shape &shape(TensorId id) const { return m_graph.tensor(id).shape; }

    // The constant of the operator, to be stored in the file of weights. `constant` outlives this.
    std::string constant(const Operator &op, const Parameter &constant);

    struct Stored {
        std::string name;
        const Parameter *parameter = nullptr;
        const Operator *op = nullptr;
    };
    // By the first use of their operator, then by name.
    [[nodiscard]] std::vector<Stored> stored() const;

private:
    const Graph &m_graph;
    std::vector<std::string> m_tensors;
    std::map<const Parameter *, std::string> m_names;
    std::vector<Stored> m_stored;
    std::map<std::string, int> m_taken;
};

using PythonLines = std::vector<std::string>;

// Refuses what there is no code for. Every line assigns to a member of `t`.
[[nodiscard]] Result<PythonLines> operatorPython(PythonNetwork &network, const Operator &op);

// The operator that stands for the operators of a merge stage, with its weight and bias (schedule/merge.h).
[[nodiscard]] PythonLines mergedPython(PythonNetwork &network, const Operator &merged,
                                       const std::vector<OperatorId> &operators);

// generic_python.cpp: operators that are kept as in the model file. Empty: there is no code for it.
[[nodiscard]] std::string genericPython(PythonNetwork &network, const Operator &op);

// The activation of an expression.
[[nodiscard]] std::string activatedPython(const Activation &activation, const std::string &x);

} // namespace stagecraft
