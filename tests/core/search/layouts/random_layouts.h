#pragma once

// Random layout problems, and their optimum by trying everything. Latencies are sixteenths of a microsecond, so that
// sums are exact in any order.

#include "schedule/layouts/layout_problem.h"

#include <cstdint>

namespace stagecraft::test {

struct RandomLayoutOptions {
    std::size_t operators = 6;
    std::size_t layouts = 2;
    double refused = 0.25; // share of the choices that are missing
    double detours = 0.3;  // share of the conversions that cost much more, or are missing: a detour is cheaper
};

[[nodiscard]] LayoutProblem randomLayoutProblem(std::uint32_t seed, const RandomLayoutOptions &options);

// Every choice of every operator; every order of conversions of every tensor. kImpossible if nothing is possible.
[[nodiscard]] double leastLatencyByTrying(const LayoutProblem &problem);

} // namespace stagecraft::test
