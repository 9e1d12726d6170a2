#pragma once

// A schedule by its name, with what it is judged by: what comparisons, exports and reports are made of.

#include "results/pooled_latency.h"
#include "schedule/timed_schedule.h"
#include "timing/timeline/timeline_index.h"

#include <memory>
#include <optional>
#include <string>

namespace stagecraft {

class Shelf;

struct RatedResult {
    std::string name;                                // "IOS-Both"
    std::shared_ptr<const TimedSchedule> schedule;   // with the latency that counts; null: `whyNot` says why
    std::optional<double> speedup{};                 // over the baseline; empty: it is not compared
    std::shared_ptr<const TimelineIndex> timeline{}; // null: none was made
    std::optional<PooledLatency> latency{};          // from all its measurements; empty: the schedule's own
    std::string madeBy{};                            // "r 3, s 8", "edited from IOS-Both"
    std::string origin{};        // of the latency: "simulated", "measured, timed in rounds, 40 runs"
    std::string note{};          // written by a user
    std::string whyNot{};        // there is no schedule
    std::string whyNoTimeline{}; // one was asked for, and could not be made: a sentence
    ResultId id{};               // on a shelf; invalid: on none

    [[nodiscard]] std::optional<double> latencyUs() const; // empty: not measured
    [[nodiscard]] bool leavesOutWork() const { return schedule && schedule->leavesOutWork(); }
};

// What the shelf knows of one of its results: all but `schedule`, `timeline`, `origin` and `whyNot`.
[[nodiscard]] RatedResult ratedResult(const Shelf &shelf, const ScheduleResult &result);

} // namespace stagecraft
