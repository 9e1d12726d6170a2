#pragma once

// What the costs of a graph rest on: which operators have one, why the others have none, and in which precision they
// are counted. Arithmetic and simulated latencies leave out what has no cost, so whoever shows them shows this too.
//
// An operator has no cost where the shape of something it reads or makes is unknown, or where the program does not know
// the arithmetic of its type or form. Moving bytes is a cost; so is nothing, for operators that only rename a shape.
// What has no cost because of an earlier operator is counted there, and causes that are alike are counted together.

#include "graph/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

class Graph;

struct UncostedWork {
    std::string operatorName; // where it begins; of several alike, the first
    std::string type;         // of that operator
    std::string reason;       // to follow "because": "the program has no rule for LSTM"
    std::int64_t count = 0;   // operators without a cost because of it
    bool losesShapes = false; // the shapes behind it are unknown

    friend bool operator==(const UncostedWork &, const UncostedWork &) = default;
};

struct CostBasis {
    std::int64_t operators = 0;         // of the graph
    std::vector<UncostedWork> uncosted; // as uncostedWork
    std::string precision = "fp32";     // "fp32", "fp16", or "fp16 and fp32" where operators differ
    std::int64_t conversions = 0;       // quantising and dequantising operators, costed as operators of their own

    [[nodiscard]] bool isComplete() const { return uncosted.empty(); }
    [[nodiscard]] std::int64_t costed() const;

    friend bool operator==(const CostBasis &, const CostBasis &) = default;
};

[[nodiscard]] CostBasis costBasis(const Graph &graph);
// The cause with most operators first.
[[nodiscard]] std::vector<UncostedWork> uncostedWork(const Graph &graph);

// Of one operator alone, whatever else the graph has.
[[nodiscard]] bool isCosted(const Graph &graph, OperatorId id);
// Of all operators of a stage's groups.
[[nodiscard]] bool areCosted(const Graph &graph, const std::vector<std::vector<OperatorId>> &groups);

// Float16 or Float32 for every operator: that of its weights, without weights that of what it reads. Files mix the
// types of inputs, casts and weights; the weights tell what the arithmetic is.
[[nodiscard]] std::vector<DataType> arithmeticTypes(const Graph &graph);

// "92 % of operators costed (1,203 of 1,310); shapes unknown from Pad_3 (Pad) on, because ...". Empty for a complete
// basis.
[[nodiscard]] std::string missingCostText(const CostBasis &basis);

// That quantised operators are costed as fp32 with conversions; empty where there are none.
[[nodiscard]] std::string conversionText(const CostBasis &basis);

// What is counted: floating-point weights after folding, each shared one once. Integer constants and arguments of
// operators (scales of a Resize, bounds of a Clip) are no weights.
struct WeightTotals {
    std::int64_t parameters = 0;
    std::int64_t bytes = 0;
};

[[nodiscard]] WeightTotals weightTotals(const Graph &graph);

} // namespace stagecraft
