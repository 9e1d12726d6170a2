#pragma once

// The value of an attribute of an operator that is kept as in the model file. Text is only for people, signatures and
// files: it always tells whole numbers from others, which have a point or an exponent.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

// A value that the program does not keep: a tensor, a graph.
struct NotKept {
    explicit NotKept(std::string text) : what(std::move(text)) {}

    std::string what; // "(tensor)"

    friend bool operator==(const NotKept &, const NotKept &) = default;
};

struct Subgraph;

// A graph that the operator executes as a part of itself: a branch of an If. Equal where the graphs are.
struct SharedSubgraph {
    std::shared_ptr<const Subgraph> graph; // never null

    friend bool operator==(const SharedSubgraph &a, const SharedSubgraph &b);
};

using AttributeValue = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                                    std::vector<std::string>, NotKept, SharedSubgraph>;

// "3", "0.5", "linear", "[1, 2]", "{Relu(operand 1); Relu 0}".
[[nodiscard]] std::string toString(const AttributeValue &value);

// The value as another type, where it has one: numbers convert, a number is a list of one. Otherwise `fallback`.
[[nodiscard]] std::int64_t asInteger(const AttributeValue &value, std::int64_t fallback);
[[nodiscard]] float asReal(const AttributeValue &value, float fallback);
[[nodiscard]] std::vector<std::int64_t> asIntegers(const AttributeValue &value);
[[nodiscard]] std::vector<float> asReals(const AttributeValue &value);

using NamedAttribute = std::pair<std::string, AttributeValue>;

// Where a node of a subgraph, or its result, comes from.
struct SubgraphSource {
    enum class Kind {
        Nothing, // it is left out
        Operand, // of the operator that has the subgraph
        Node,    // of the subgraph, before this one
    };

    Kind kind = Kind::Nothing;
    std::size_t place = 0;  // of the operand, or of the node
    std::size_t output = 0; // of the node

    friend bool operator==(const SubgraphSource &, const SubgraphSource &) = default;
};

struct SubgraphNode {
    std::string type;
    std::vector<NamedAttribute> attributes;
    std::vector<SubgraphSource> inputs;
    std::size_t outputs = 1;

    friend bool operator==(const SubgraphNode &, const SubgraphNode &) = default;
};

// It has no constants of its own: they are operands of the operator.
struct Subgraph {
    std::vector<SubgraphNode> nodes; // in an order in which they can be executed
    std::vector<SubgraphSource> results;
    std::int64_t opset = 0; // whose form the nodes have

    friend bool operator==(const Subgraph &, const Subgraph &) = default;
};

// The value with this name; null if there is none.
[[nodiscard]] const AttributeValue *find(const std::vector<NamedAttribute> &attributes, std::string_view name);

} // namespace stagecraft
