#pragma once

// The points of the pruning trade-off (IOS, section 7.3): strategies, the space, and bounds on r and s.

#include "search/options.h"

#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

struct PruningPoint {
    StrategySet strategies = StrategySet::Both;
    int r = 3;
    int s = 8;
    bool singleSource = false;

    friend auto operator<=>(const PruningPoint &, const PruningPoint &) = default;
};

[[nodiscard]] std::string nameOf(const PruningPoint &point); // "both, r = 3, s = 8"

inline constexpr std::size_t kMostPruningPoints = 10'000; // of one study

struct PruningGrid {
    std::vector<StrategySet> strategies{StrategySet::Both};
    std::vector<int> r;
    std::vector<int> s;
    std::vector<bool> singleSource{false}; // the spaces

    [[nodiscard]] std::size_t size() const { return strategies.size() * r.size() * s.size() * singleSource.size(); }

    friend bool operator==(const PruningGrid &, const PruningGrid &) = default;
};

// All combinations: by strategy, then by space, by r, by s.
[[nodiscard]] std::vector<PruningPoint> pointsOf(const PruningGrid &grid);

// The same points, most informative first: the smallest and the largest bounds, then whatever is farthest from all
// previous ones, alternating between strategies and spaces.
[[nodiscard]] std::vector<PruningPoint> mostInformativeFirst(std::span<const PruningPoint> points);

struct CostAndLatency {
    double cost = 0;
    double latencyUs = 0;
};

// For each point, whether it is on the Pareto front: no other point is at most as expensive and at most as slow, and
// better in one of the two. Equal points are on it together.
[[nodiscard]] std::vector<bool> paretoFront(std::span<const CostAndLatency> points);

} // namespace stagecraft
