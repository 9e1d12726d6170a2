#pragma once

// A graph that passes change in place. Operators keep their order, which stays topological as long as a pass puts a new
// operator in the place of one whose inputs exist there. Ids are those of the original graph.

#include "graph/graph.h"
#include "support/result.h"

#include <memory_resource>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

class GraphEdit {
public:
    // Operators named in `keptApart` are units of their own: passes do not merge them into others.
    explicit GraphEdit(Graph graph, std::set<std::string> keptApart = {});

    [[nodiscard]] std::size_t size() const { return m_parts.operators.size(); }
    [[nodiscard]] bool isAlive(OperatorId id) const { return m_alive[id.index()]; }
    [[nodiscard]] Operator &op(OperatorId id) { return m_parts.operators[id.index()]; }
    [[nodiscard]] const Operator &op(OperatorId id) const { return m_parts.operators[id.index()]; }
    [[nodiscard]] const Tensor &tensor(TensorId id) const { return m_parts.tensors[id.index()]; }
    [[nodiscard]] bool isOutput(TensorId id) const { return m_isOutput[id.index()]; }
    [[nodiscard]] bool isKeptApart(OperatorId id) const { return m_keptApart.contains(op(id).name); }

    // Operators that read the tensor, ascending, without repeats.
    [[nodiscard]] std::span<const OperatorId> readers(TensorId id) const { return m_readers[id.index()]; }

    // The only reader of the only output of `id`; invalid if there are several or none, or the output is a graph
    // output.
    [[nodiscard]] OperatorId onlyReader(OperatorId id) const;

    // The operator that produces the tensor; invalid for graph inputs and removed operators.
    [[nodiscard]] OperatorId producer(TensorId id) const { return tensor(id).producer; }

    // The only tensor that `id` reads; invalid if its input expression is more than a tensor.
    [[nodiscard]] TensorId onlyInput(OperatorId id) const;

    void setInputs(OperatorId id, InputExpression inputs);

    // `id` takes over the output of `later`, its only reader, which is removed.
    void absorbReader(OperatorId id, OperatorId later);

    void remove(OperatorId id);

    // Removes operators whose outputs are not needed, back to front.
    void removeDead();

    [[nodiscard]] Result<Graph> build() &&;

private:
    void forgetReads(OperatorId id);
    void dropDead();

    std::set<std::string> m_keptApart;
    Graph::Parts m_parts;
    std::vector<bool> m_alive;
    std::pmr::monotonic_buffer_resource m_memory; // of the readers: a million short lists
    std::pmr::vector<std::pmr::vector<OperatorId>> m_readers{&m_memory};
    std::vector<bool> m_isOutput; // by tensor
};

} // namespace stagecraft
