#pragma once

// The pruning trade-off (IOS, section 7.3): what bounds on r and s and on the strategies cost in latency and save in
// search. The points of a study share what they measure; each says what it costs by itself.

#include "model/model.h"
#include "services/make_schedule.h"
#include "services/shared_latencies.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct PruningPoint {
    StrategySet strategies = StrategySet::Both;
    int r = 3;
    int s = 8;

    friend bool operator==(const PruningPoint &, const PruningPoint &) = default;
};

struct StudiedPoint {
    PruningPoint point;
    MadeSchedule made; // the search record counts what the search costs by itself
};

class PruningStudy {
public:
    // The model outlives the study.
    PruningStudy(const Model &model, std::unique_ptr<DeviceSession> session, DeviceInfo device);

    // Asked for again: the same answer, at no cost. Errors: as makeSchedule, and Cancelled where the stop came before
    // the end of the search; the points before stay.
    [[nodiscard]] Result<const StudiedPoint *> study(const PruningPoint &point, const SearchProgressCallback &progress,
                                                     std::stop_token stop);

    [[nodiscard]] const std::deque<StudiedPoint> &points() const { return m_points; } // in the order they came
    [[nodiscard]] const StudiedPoint *find(const PruningPoint &point) const;          // null: not studied yet
    // For all points together; what they share counts once.
    [[nodiscard]] std::int64_t stageMeasurements() const { return m_session.measurements(); }

private:
    const Model &m_model;
    SharedLatencies m_session;
    DeviceInfo m_device;
    std::deque<StudiedPoint> m_points;
};

// Every combination: strategy by strategy, then by r, then by s.
[[nodiscard]] std::vector<PruningPoint> pruningGrid(std::span<const StrategySet> strategies, std::span<const int> r,
                                                    std::span<const int> s);

// The same points, those first that tell most: the least bounds and the greatest, then what is farthest from all that
// came before, the strategies in turn.
[[nodiscard]] std::vector<PruningPoint> mostInformativeFirst(std::span<const PruningPoint> points);

struct CostAndLatency {
    double cost = 0;
    double latencyUs = 0;
};

// Of each point, whether it is on the Pareto front: none costs at most as much and is at most as slow, and better in
// one of the two. Equal points are on it together.
[[nodiscard]] std::vector<bool> paretoFront(std::span<const CostAndLatency> points);

} // namespace stagecraft
