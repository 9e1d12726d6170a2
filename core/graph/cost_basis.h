#pragma once

// What the costs of a graph cover: which operators have a cost, why the others have none, and the precision that is
// assumed. Arithmetic and simulated latencies omit work without a cost, so whoever shows them shows this too.
//
// An operator has no cost if the shape of something it reads or writes is unknown, or if the program does not know the
// arithmetic of its type or form. Moving bytes is a cost; operators that only rename a shape cost nothing. If a cost is
// missing because of an earlier operator, it counts towards that one; similar causes are counted together.

#include "operators/values/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

class Graph;

struct UncostedWork {
    std::string operatorName; // where it begins; the first of several similar ones
    std::string type;         // type of that operator
    std::string reason;       // follows "because": "the program has no rule for LSTM"
    std::int64_t count = 0;   // operators without a cost for this reason
    bool losesShapes = false; // the shapes after it are unknown

    friend bool operator==(const UncostedWork &, const UncostedWork &) = default;
};

struct CostBasis {
    std::int64_t operators = 0;
    std::vector<UncostedWork> uncosted; // see uncostedWork
    std::string precision = "fp32";     // "fp32", "fp16", or "fp16 and fp32" where operators differ
    std::int64_t integerProducts = 0;   // convolutions and products on integers of 8 bits (graph/quantised.h)
    std::int64_t conversions = 0;       // quantising and dequantising operators that are not part of those

    [[nodiscard]] bool isComplete() const { return uncosted.empty(); }
    [[nodiscard]] std::int64_t costed() const;

    friend bool operator==(const CostBasis &, const CostBasis &) = default;
};

[[nodiscard]] CostBasis costBasis(const Graph &graph);
// The cause that affects the most operators comes first.
[[nodiscard]] std::vector<UncostedWork> uncostedWork(const Graph &graph);

// The operator alone, whatever else is in the graph.
[[nodiscard]] bool isCosted(const Graph &graph, OperatorId id);
// All operators in the groups of a stage.
[[nodiscard]] bool areCosted(const Graph &graph, const std::vector<std::vector<OperatorId>> &groups);

// Float16 or Float32 per operator: the type of its weights, or of its inputs if it has no weights. Files mix the types
// of inputs, casts and weights; the weights show what the arithmetic is.
[[nodiscard]] std::vector<DataType> arithmeticTypes(const Graph &graph);

// "92 % of operators costed (1,203 of 1,310); shapes unknown from Pad_3 (Pad) on, because ...". Empty if every operator
// has a cost.
[[nodiscard]] std::string missingCostText(const CostBasis &basis);

// Says how quantised operators are costed; empty if there are none.
[[nodiscard]] std::string conversionText(const CostBasis &basis);

// Counts floating-point weights after folding, each shared weight once. Integer constants and arguments of operators
// (scales of a Resize, bounds of a Clip) are not weights.
struct WeightTotals {
    std::int64_t parameters = 0;
    std::int64_t bytes = 0; // as in the file: of those behind a DequantizeLinear, of the integers
};

[[nodiscard]] WeightTotals weightTotals(const Graph &graph);

} // namespace stagecraft
