#pragma once

// The pruning trade-off (IOS, section 7.3): what bounds on r and s and on the strategies cost in latency and save in
// search. The points of a study share measurements; each states its own cost.

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
    MadeSchedule made; // the search record counts the cost of this search alone
};

class PruningStudy {
public:
    // The model must outlive the study.
    PruningStudy(const Model &model, std::unique_ptr<DeviceSession> session, DeviceInfo device);

    // A repeated request returns the same answer at no cost. Errors: as in makeSchedule, and Cancelled if the search
    // was stopped early; previous points stay.
    [[nodiscard]] Result<const StudiedPoint *> study(const PruningPoint &point, const SearchProgressCallback &progress,
                                                     std::stop_token stop);

    [[nodiscard]] const std::deque<StudiedPoint> &points() const { return m_points; } // in the order of study
    [[nodiscard]] const StudiedPoint *find(const PruningPoint &point) const;          // null: not studied yet
    // For all points together; shared measurements count once.
    [[nodiscard]] std::int64_t stageMeasurements() const { return m_session.measurements(); }

private:
    const Model &m_model;
    SharedLatencies m_session;
    DeviceInfo m_device;
    std::deque<StudiedPoint> m_points;
};

// All combinations: by strategy, then by r, then by s.
[[nodiscard]] std::vector<PruningPoint> pruningGrid(std::span<const StrategySet> strategies, std::span<const int> r,
                                                    std::span<const int> s);

// The same points, most informative first: the smallest and the largest bounds, then whatever is farthest from all
// previous ones, alternating between strategies.
[[nodiscard]] std::vector<PruningPoint> mostInformativeFirst(std::span<const PruningPoint> points);

struct CostAndLatency {
    double cost = 0;
    double latencyUs = 0;
};

// For each point, whether it is on the Pareto front: no other point is at most as expensive and at most as slow, and
// better in one of the two. Equal points are on it together.
[[nodiscard]] std::vector<bool> paretoFront(std::span<const CostAndLatency> points);

} // namespace stagecraft
