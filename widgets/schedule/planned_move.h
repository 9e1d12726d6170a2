#pragma once

// What dropping operators at a place would do, computed beforehand: the operators that have to come along, the
// resulting stages, and the words for it. Plain values; changes nothing.

#include "model/model.h"
#include "schedule/edit/edit.h"
#include "schedule/edit/edit_places.h"
#include "schedule/timed_schedule.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// The edited schedule and what is known of it.
struct EditContext {
    std::shared_ptr<const Model> model;            // null: editing is impossible
    std::shared_ptr<const TimedSchedule> schedule; // null: editing is impossible
    std::optional<int> r;                          // of the search that made it; nullopt: no bound
    std::optional<int> s;
    std::function<std::optional<double>(const Stage &)> knownUs; // the latency of a stage, if known
    std::function<std::optional<double>()> barrierUs;            // what a barrier costs, if known

    [[nodiscard]] bool isValid() const { return model && model->graph && schedule; }
};

struct PlannedMove {
    EditPlace place;
    Edit edit;
    Result<EditedStages> edited; // the resulting stages, or why the move is impossible
    bool changesNothing = false;
    std::vector<OperatorId> inTheWay; // operators that would have to move along; they do if `takesAlong`
    bool takesAlong = false;
    bool unmerges = false; // the target stage becomes unmerged
};

// `takeAlong`: companions move too, and a stage that can no longer merge is unmerged.
[[nodiscard]] PlannedMove planMove(const EditContext &context, const std::vector<OperatorId> &operators,
                                   const EditPlace &place, bool takeAlong);

// "Move conv3 to stage 2: 84.2 µs, simulated; the whole +4.1 µs, slower: stages +1.0 µs, barriers +3.1 µs; outside r 3:
// the proof no longer applies", or the verifier's reason and whether Shift helps. What it gains or costs is said for
// simulated latencies only, which are exact.
[[nodiscard]] QString moveText(const EditContext &context, const std::vector<OperatorId> &operators,
                               const PlannedMove &move);

// The same text for any possible edit.
[[nodiscard]] QString previewText(const EditContext &context, const EditedStages &edited);

// "conv3: runs before conv1, whose output it reads"
[[nodiscard]] QString reasonText(const Error &error);

// "reads it", "is read by it": why an operator is in the way.
[[nodiscard]] QString companionText(const Graph &graph, const std::vector<OperatorId> &operators, OperatorId companion);

} // namespace stagecraft
