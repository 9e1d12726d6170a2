#pragma once

// Several schedules of one model compared, as values: what is level, what differs, and which stages are counterparts.
// Sides are numbered in the order given. One with streams has launches for stages, in launch order; it has spans and
// times, but no pairs and no links.

#include "graph/graph.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/schedule_time_parts.h"
#include "schedule/compare/stage_pairs.h"
#include "schedule/timed_schedule.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// Two stages, one of each schedule, that share operators.
struct StageLink {
    std::size_t a = 0;
    std::size_t b = 0;
    std::size_t operators = 0; // shared

    friend bool operator==(const StageLink &, const StageLink &) = default;
};

class ComparedSchedules {
public:
    ComparedSchedules() = default; // nothing to compare
    // `timelines`: by side; null, or fewer: not known. `blocks`: of the graph, for streams without stages beside them.
    ComparedSchedules(std::shared_ptr<const Graph> graph, std::vector<std::shared_ptr<const TimedSchedule>> schedules,
                      const std::vector<std::shared_ptr<const TimelineIndex>> &timelines = {},
                      const Blocks &blocks = {});

    [[nodiscard]] bool isEmpty() const { return m_schedules.empty(); }
    [[nodiscard]] const std::shared_ptr<const Graph> &graph() const { return m_graph; }
    [[nodiscard]] const std::vector<std::shared_ptr<const TimedSchedule>> &schedules() const { return m_schedules; }
    [[nodiscard]] const TimedSchedule &schedule(std::size_t side) const { return *m_schedules[side]; }
    [[nodiscard]] std::vector<StageList> stages() const;
    [[nodiscard]] StageRange all(std::size_t side) const; // its stages, or launches
    [[nodiscard]] const ScheduleDifference &difference() const { return m_difference; }
    [[nodiscard]] const std::vector<CommonSpan> &spans() const { return m_spans; }
    // Where a side's time goes; null: it has no timeline.
    [[nodiscard]] const ScheduleTimeParts *timeParts(std::size_t side) const
    {
        return m_timeParts[side] ? &*m_timeParts[side] : nullptr;
    }

    [[nodiscard]] std::optional<std::size_t> spanOf(std::size_t side, std::size_t stage) const;
    [[nodiscard]] bool hasStreams() const; // a side has
    // What a side takes in a span: its stages, each timed alone, and, beside streams, also the barriers between them
    // and the one after them, where their cost is known; or its launches. Empty: not known.
    [[nodiscard]] std::optional<double> spanUs(std::size_t span, std::size_t side) const;
    [[nodiscard]] bool isEqual(std::size_t span, std::size_t sideA, std::size_t sideB) const;
    [[nodiscard]] std::vector<StagePair> pairs(std::size_t span, std::size_t sideA, std::size_t sideB) const;
    // The counterpart of one side's stage on another side; nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> counterpart(std::size_t side, std::size_t stage, std::size_t other) const;
    // All pairs of stages in a span that share operators.
    [[nodiscard]] std::vector<StageLink> links(std::size_t span, std::size_t sideA, std::size_t sideB) const;
    // The stages of a block, or its launches; empty: it has none.
    [[nodiscard]] StageRange rangeOfBlock(std::size_t side, std::size_t block) const;

    // The next unequal span after `from` (nullopt: from the start or the end), or the previous one if the direction is
    // negative. nullopt after the last.
    [[nodiscard]] std::optional<std::size_t> nextDifference(std::optional<std::size_t> from, int direction) const;
    [[nodiscard]] std::size_t differences() const; // unequal spans

private:
    std::shared_ptr<const Graph> m_graph;
    std::vector<std::shared_ptr<const TimedSchedule>> m_schedules;
    ScheduleDifference m_difference;
    std::vector<CommonSpan> m_spans;
    std::vector<LatenciesUs> m_spansUs;                        // by span
    std::vector<std::optional<ScheduleTimeParts>> m_timeParts; // by side
};

} // namespace stagecraft
