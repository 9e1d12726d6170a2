#pragma once

// One layout per tensor: what each operator takes for each layout of what it reads and writes, and what each conversion
// of a tensor takes. Source: the layout study (GTC China 2020, "global optimisation of data formats in GPU inference").
// All tensors that an operator reads share one layout, as do all that it writes. A conversion makes a copy in another
// layout, which serves every later reader; it may go by way of a third layout. Graph inputs come in the layout `fixed`
// and graph outputs are needed in it.
//
// Latencies are in microseconds; infinity: impossible.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

class Graph;

// Index into LayoutProblem::layouts.
using LayoutIndex = std::uint8_t;
// Copies of a tensor: a bit per layout.
using LayoutSet = std::uint8_t;

inline constexpr std::size_t kMaxLayouts = 6;
inline constexpr double kImpossible = std::numeric_limits<double>::infinity();

[[nodiscard]] constexpr LayoutSet only(LayoutIndex layout)
{
    return static_cast<LayoutSet>(1U << layout);
}
[[nodiscard]] constexpr bool has(LayoutSet copies, LayoutIndex layout)
{
    return (copies & only(layout)) != 0;
}

// A square table of latencies: [from * layouts + to].
using ConversionTable = std::vector<double>;

struct LayoutPair {
    LayoutIndex in = 0;
    LayoutIndex out = 0;

    friend bool operator==(const LayoutPair &, const LayoutPair &) = default;
};

struct LayoutProblem {
    struct Choice { // one way to run an operator
        LayoutPair layouts;
        double latencyUs = 0;
    };
    struct Operator {
        std::string name;
        std::vector<std::uint32_t> inputs; // tensors, without repeats
        std::vector<std::uint32_t> outputs;
        std::vector<Choice> choices; // without repeats
    };
    struct Tensor {
        std::string name;
        std::uint32_t conversions = 0; // index into conversionTables
        bool isInput = false;          // of the graph
        bool isOutput = false;
    };

    std::vector<std::string> layouts;
    LayoutIndex fixed = 0;
    std::vector<Operator> operators; // in a topological order
    std::vector<Tensor> tensors;
    std::vector<ConversionTable> conversionTables;

    [[nodiscard]] double conversionUs(std::uint32_t tensor, LayoutIndex from, LayoutIndex to) const
    {
        return conversionTables[tensors[tensor].conversions][from * layouts.size() + to];
    }
};

struct LayoutConversion {
    std::uint32_t tensor = 0;
    LayoutIndex from = 0;
    LayoutIndex to = 0;
    double latencyUs = 0;
    std::int64_t before = -1; // the operator that reads it first; -1: it is an output of the graph

    friend bool operator==(const LayoutConversion &, const LayoutConversion &) = default;
};

struct LayoutAssignment {
    std::vector<LayoutPair> operators;         // by operator
    std::vector<LayoutIndex> tensors;          // by tensor: as its operator writes it
    std::vector<LayoutConversion> conversions; // in the order they happen
    double latencyUs = 0;                      // of operators and conversions
};

// Operators and tensors of the graph, by their ids; no choices, no conversions.
[[nodiscard]] LayoutProblem layoutProblemOf(const Graph &graph, std::vector<std::string> layouts, LayoutIndex fixed);

// The same problem without the other layouts: neither operators nor conversions have them. `kept` has the fixed one.
[[nodiscard]] LayoutProblem withLayouts(const LayoutProblem &problem, std::span<const LayoutIndex> kept);

// Every operator reads and writes this layout, where it can; else one of them, else as it can.
[[nodiscard]] LayoutProblem allIn(LayoutProblem problem, LayoutIndex layout);
// Every operator as it is fastest by itself.
[[nodiscard]] LayoutProblem fastestEach(LayoutProblem problem);

} // namespace stagecraft
