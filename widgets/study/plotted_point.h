#pragma once

// The points of a pruning study as its plot shows them, and their words. Pure functions.

#include "results/study_point.h"

#include <QString>
#include <QStringList>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

// What a point costs beside its latency: its search, or the memory of its schedule.
enum class PointCost {
    Measurements, // distinct stages that the search asks for
    Seconds,      // of searching and measuring by itself
    Transitions,
    Memory, // MiB of tensors that are live at once; 0: unknown
};

inline constexpr std::array kPointCosts{PointCost::Measurements, PointCost::Seconds, PointCost::Transitions,
                                        PointCost::Memory};

[[nodiscard]] QString costTitle(PointCost cost); // "stage measurements", "search time (s)"

struct PlottedPoint {
    PruningPoint point;
    std::array<double, kPointCosts.size()> costs{};
    double latencyUs = 0;
    double halfWidthUs = 0;                        // of the 95 % interval; 0: exact or unknown
    std::shared_ptr<const TimedSchedule> schedule; // with a provenance

    [[nodiscard]] double cost(PointCost of) const { return costs[static_cast<std::size_t>(of)]; }
};

[[nodiscard]] PlottedPoint plottedPoint(const StudyPoint &studied);

// A point as its authors published it, from their device.
struct PublishedPoint {
    int r = 0;
    int s = 0;
    double latencyUs = 0;
    double seconds = 0; // of the search
};

[[nodiscard]] QString strategyTitle(StrategySet strategies); // "IOS-Both"
[[nodiscard]] QString titleOf(const PruningPoint &point);    // "IOS-Both, r 3, s 8"
[[nodiscard]] QString latencyOf(const PlottedPoint &point);  // "3.92 ms ± 0.01 ms"
// Cost, provenance and proof, a fact a line.
[[nodiscard]] QStringList factsOf(const PlottedPoint &point);

[[nodiscard]] std::vector<bool> frontOf(std::span<const PlottedPoint> points, PointCost cost);

// The points joined by a line of equal r or equal s: same strategies, space and bound, by the other bound. Lines have
// at least two points.
enum class EqualBound { R, S };
[[nodiscard]] std::vector<std::vector<std::size_t>> linesOf(std::span<const PlottedPoint> points, EqualBound equal);

} // namespace stagecraft
