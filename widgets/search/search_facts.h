#pragma once

// What the line of a search says, as label and value: while it runs, and when it is done.

#include "schedule/timed_schedule.h"
#include "search/progress.h"
#include "timing/provenance.h"
#include "widgets/base/fact_strip.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

// The search that a line of numbers is about, which need not be of the model and device in the fields.
struct RunningSearch {
    QString name; // "IOS-Both of inception_v3"
    std::optional<Provenance> provenance = {};
    bool leavesOutWork = false; // some operators of its model have no cost: its latencies are lower bounds
    QString members = {};       // of a pool: "3 of 4 members"
};

[[nodiscard]] Fact latencyFact(const QString &what, double us, const RunningSearch &search);
[[nodiscard]] std::vector<Fact> progressFacts(const RunningSearch &search, const SearchProgress &progress,
                                              const QString &timeLeft);
// `what` names the result and its model. `faster`: a baseline with its latency, if one is; else empty.
[[nodiscard]] std::vector<Fact> resultFacts(const QString &what, const TimedSchedule &schedule, const QString &faster);

} // namespace stagecraft
