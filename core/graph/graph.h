#pragma once

// The model as a directed acyclic graph of operators, immutable once built.
//
// Operators are stored in a topological order: an operator's inputs come from graph inputs or from operators with a
// smaller id. Names of operators are unique, names of tensors are unique. An edge is a tensor between two operators.

#include "operators/operator.h"
#include "operators/values/tensor.h"
#include "support/name_index.h"
#include "support/result.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class Graph {
public:
    [[nodiscard]] const std::string &name() const { return m_name; }
    [[nodiscard]] std::span<const Operator> operators() const { return m_operators; }
    [[nodiscard]] std::span<const Tensor> tensors() const { return m_tensors; }
    [[nodiscard]] const Operator &op(OperatorId id) const { return m_operators[id.index()]; }
    [[nodiscard]] const Tensor &tensor(TensorId id) const { return m_tensors[id.index()]; }
    [[nodiscard]] std::span<const TensorId> inputs() const { return m_inputs; }
    [[nodiscard]] std::span<const TensorId> outputs() const { return m_outputs; }
    [[nodiscard]] std::size_t size() const { return m_operators.size(); }

    // Operators whose outputs `id` reads, and operators that read an output of `id`: ascending, without repeats.
    [[nodiscard]] std::span<const OperatorId> predecessors(OperatorId id) const { return m_predecessors.of(id); }
    [[nodiscard]] std::span<const OperatorId> successors(OperatorId id) const { return m_successors.of(id); }

    // Read by an operator, or an output of the graph.
    [[nodiscard]] bool isUsed(TensorId id) const;

    [[nodiscard]] std::optional<OperatorId> find(std::string_view operatorName) const;
    // The first size of the first input; 1 without inputs, and where that input is one image: three sizes that look
    // like one, or fewer than four that reach their first window as an image at batch 1.
    [[nodiscard]] std::int64_t batch() const;

    // Shape of the operator's input expression as one tensor (sums added, parts joined along channels), or of its first
    // operand if the parts stay apart.
    [[nodiscard]] Shape inputShape(OperatorId id) const;
    // The contents of a graph, from which a pass makes another graph.
    struct Parts {
        std::string name;
        std::vector<Operator> operators;
        std::vector<Tensor> tensors;
        std::vector<TensorId> inputs;
        std::vector<TensorId> outputs;
        std::optional<NameIndex> byName; // operators; empty if they changed
    };
    [[nodiscard]] Parts take() &&;
    // From the parts of another graph: operators in topological order, unique names, correct producers. Nothing is
    // checked again.
    [[nodiscard]] static Graph fromParts(Parts parts);

    [[nodiscard]] const Shape &outputShape(OperatorId id) const { return tensor(op(id).outputs.front()).shape; }

private:
    friend class GraphBuilder;

    std::string m_name;
    std::vector<Operator> m_operators;
    std::vector<Tensor> m_tensors;
    std::vector<TensorId> m_inputs;
    std::vector<TensorId> m_outputs;
    void link(); // predecessors and successors, from what the operators read

    // Neighbours of all operators in one list.
    struct Neighbours {
        std::vector<std::uint32_t> begins; // operators + 1 entries
        std::vector<OperatorId> all;

        [[nodiscard]] std::span<const OperatorId> of(OperatorId id) const
        {
            return std::span(all).subspan(begins[id.index()], begins[id.index() + 1] - begins[id.index()]);
        }
    };

    Neighbours m_predecessors;
    Neighbours m_successors;
    NameIndex m_byName;
};

// Builds a graph front to back: an operator's inputs must exist before it. Output shapes come from the
// schema (operators/schema.h) unless given. Errors name the operator; after an error the builder is not used again.
class GraphBuilder {
public:
    explicit GraphBuilder(std::string name);

    void reserve(std::size_t operators, std::size_t inputs);

    // Says that the caller compares the names of tensors, which it has as numbers: the builder does not, and findTensor
    // finds none.
    void trustTensorNames() { m_trustsTensorNames = true; }

    // Takes the name for the operator that is added next; false if another has it.
    [[nodiscard]] bool reserveName(std::string_view name);
    void prefetchName(std::string_view name) const { m_graph.m_byName.prefetch(name); } // of an operator

    [[nodiscard]] bool isEmpty() const { return m_graph.m_operators.empty(); }
    [[nodiscard]] std::size_t size() const { return m_graph.m_operators.size(); } // operators

    [[nodiscard]] Result<TensorId> addInput(const std::string &name, Shape shape, DataType type = DataType::Float32,
                                            std::optional<TensorLayout> layout = {});

    // Adds an operator with one output, named like the operator, whose shape is inferred. op.outputs is ignored.
    [[nodiscard]] Result<TensorId> add(Operator op);

    // Adds an operator with these outputs; their shapes are taken as given and may be unknown.
    [[nodiscard]] Result<std::vector<TensorId>> add(Operator op, std::vector<Tensor> outputs);
    [[nodiscard]] Result<TensorId> addWithOutput(Operator op, Tensor output); // its only one

    [[nodiscard]] const Tensor &tensor(TensorId id) const { return m_graph.m_tensors[id.index()]; }
    [[nodiscard]] const Operator &lastOperator() const { return m_graph.m_operators.back(); }
    [[nodiscard]] std::optional<TensorId> findTensor(std::string_view name) const;

    // If no outputs are declared, every tensor without a reader is one.
    [[nodiscard]] Result<Graph> build(std::vector<TensorId> outputs = {});

private:
    [[nodiscard]] bool addTensor(Tensor tensor); // false if the name is taken
    [[nodiscard]] Result<void> takeName(const Operator &op);
    [[nodiscard]] Result<void> addOutput(Operator &op, Tensor output); // of the operator that is added next

    Graph m_graph;
    NameIndex m_tensorsByName;
    bool m_trustsTensorNames = false;
    std::string m_reservedName; // empty if none is
};

} // namespace stagecraft
