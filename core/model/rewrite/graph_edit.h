#pragma once

// A graph that passes change in place. Operators keep their order, which stays topological as long as a pass puts a new
// operator in the place of one whose inputs exist there. Ids are those of the original graph.

#include "graph/graph.h"
#include "support/result.h"

#include <memory_resource>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stagecraft {

class GraphEdit {
public:
    // Operators named in `keptApart` are units of their own: passes do not merge them into others.
    explicit GraphEdit(Graph graph, std::set<std::string> keptApart = {});

    [[nodiscard]] std::size_t size() const { return m_parts.operators.size(); }
    [[nodiscard]] bool isAlive(OperatorId id) const { return m_alive[id.index()]; }
    [[nodiscard]] Operator &op(OperatorId id)
    {
        m_knowsKinds = false; // it may change
        return m_parts.operators[id.index()];
    }
    [[nodiscard]] const Operator &op(OperatorId id) const { return m_parts.operators[id.index()]; }
    [[nodiscard]] const Tensor &tensor(TensorId id) const { return m_parts.tensors[id.index()]; }
    [[nodiscard]] bool isOutput(TensorId id) const { return m_isOutput[id.index()]; }
    [[nodiscard]] bool isKeptApart(OperatorId id) const { return m_keptApart.contains(op(id).name); }

    // Whether an operator that is still there is of one of the kinds.
    [[nodiscard]] bool hasAny(const std::set<OperatorKind> &kinds);

    // Operators that read the tensor, ascending, without repeats.
    [[nodiscard]] std::span<const OperatorId> readers(TensorId id) const
    {
        if (!m_gone.empty())
            settle(id);
        return m_readers[id.index()];
    }

    // The only reader of the only output of `id`; invalid if there are several or none, or the output is a graph
    // output.
    [[nodiscard]] OperatorId onlyReader(OperatorId id) const;

    // The operator that produces the tensor; invalid for graph inputs and removed operators.
    [[nodiscard]] OperatorId producer(TensorId id) const { return tensor(id).producer; }

    // The only tensor that `id` reads; invalid if its input expression is more than a tensor.
    [[nodiscard]] TensorId onlyInput(OperatorId id) const;

    void setInputs(OperatorId id, InputExpression inputs);

    // `op`, which has the name of `main`, takes the place and the outputs of `id`, and reads `inputs`. `main` goes
    // away, but in the list of removals it is `id` that does.
    void replace(OperatorId id, OperatorId main, Operator op, InputExpression inputs);

    // `id` takes over the output of `later`, its only reader, which is removed.
    void absorbReader(OperatorId id, OperatorId later);

    // `into`: the operator that does its work now; invalid if it is not needed.
    void remove(OperatorId id, OperatorId into);

    // All readers of the first of each pair read the second instead. A first one is there once.
    void replaceReads(std::span<const std::pair<TensorId, TensorId>> reads);

    struct Removal {
        OperatorId removed;
        OperatorId into;
        std::string name;
        std::string type;
    };

    // In the order in which it was done.
    [[nodiscard]] std::span<const Removal> removals() const { return m_removals; }

    // The operator of the built graph that does the work of `id`; invalid if that is not needed.
    [[nodiscard]] std::vector<OperatorId> placesInResult() const;

    // Operators that are still there, ascending.
    [[nodiscard]] std::vector<OperatorId> alive() const;

    // The contents of the graph as it is now, which may be changed further.
    [[nodiscard]] Graph::Parts parts() const;

    [[nodiscard]] Result<Graph> build() &&;

private:
    void forgetReads(OperatorId id);
    void rememberReads(OperatorId id);
    void settle(TensorId id) const;
    void drop(OperatorId id, OperatorId into);

    std::set<std::string> m_keptApart;
    Graph::Parts m_parts;
    std::vector<bool> m_alive;
    std::vector<Removal> m_removals;
    std::vector<std::pair<OperatorId, OperatorId>> m_replaced; // what went away, what is in its place
    std::pmr::monotonic_buffer_resource m_memory;              // of the readers: a million short lists
    mutable std::pmr::vector<std::pmr::vector<OperatorId>> m_readers{&m_memory};
    mutable std::unordered_map<TensorId, std::vector<char>> m_gone; // of long lists: the places that are left out
    std::vector<bool> m_isOutput;                                   // by tensor
    std::set<OperatorKind> m_kinds;
    bool m_knowsKinds = false;
};

} // namespace stagecraft
