#pragma once

// The layouts of least total latency, by dynamic programming over the cuts of a topological order. The state of a cut
// is which copies of each tensor that crosses it exist: a conversion that serves several readers is paid once. Exact
// unless states are left out (threshold, limit); sums are made in the order of the operators.

#include "schedule/layouts/layout_problem.h"
#include "support/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct LayoutPruning {
    enum class Rule {
        None,
        // A state is left out if another, once it has made the copies that are missing, costs no more. A copy more
        // never hurts, so the optimum stays. (The study's rule compares tensors of one layout each and loses the
        // optimum where a tensor has several readers or a direct conversion costs more than a detour.)
        Dominance,
        Threshold, // the study's: keeps what is within a factor of the best state of the cut. Proves nothing.
    };
    Rule rule = Rule::Dominance;
    double threshold = 1.5; // at least 1
};

struct LayoutSearchOptions {
    LayoutPruning pruning;
    std::size_t maxStates = 400'000;       // of one cut; the cheapest stay
    std::size_t firstStates = 256;         // with dominance: so many first, whose result bounds the search in full
    std::vector<std::uint32_t> order = {}; // of the operators; topological; empty: one with narrow cuts
    std::stop_token stop = {};
    // Called before each step with the number of those done and of all.
    std::function<void(std::int64_t done, std::int64_t all)> progress = {};
};

struct LayoutResult {
    LayoutAssignment best;
    std::int64_t states = 0;   // of all cuts
    std::size_t widestCut = 0; // tensors
    double lowerBoundUs = 0;   // of any assignment; the latency where it is proved
    bool proved = false;       // no assignment costs less
};

// A search may take the operators in another order than the problem has: makes each copy before its first reader in the
// order of the problem, or before the first copy that is made of it.
void bringForward(const LayoutProblem &problem, LayoutAssignment &assignment);

// Errors: InvalidInput, naming the operator or tensor, if no assignment is possible or a cut has too many tensors;
// Cancelled.
[[nodiscard]] Result<LayoutResult> searchLayouts(const LayoutProblem &problem, const LayoutSearchOptions &options);

} // namespace stagecraft
