#pragma once

// What putting operators down at a place would do, worked out before it is done: with the operators that have to come
// along, the stages that come of it, and the words for all that. Values; nothing is changed.

#include "model/model.h"
#include "schedule/edit.h"
#include "schedule/edit_places.h"
#include "schedule/schedule.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// What is being edited, and what is known of it.
struct EditContext {
    std::shared_ptr<const Model> model;       // null: nothing can be edited
    std::shared_ptr<const Schedule> schedule; // likewise
    std::optional<int> r;                     // of the search that it comes from; none: no bound
    std::optional<int> s;
    std::function<std::optional<double>(const Stage &)> knownUs; // what a stage takes, where that is kept

    [[nodiscard]] bool isValid() const { return model && model->graph && schedule; }
};

struct PlannedMove {
    EditPlace place;
    Edit edit;
    Result<EditedStages> edited; // what comes of it, or why it cannot be
    bool changesNothing = false;
    std::vector<OperatorId> inTheWay; // that would have to move along; they do where `takesAlong`
    bool takesAlong = false;
    bool unmerges = false; // the stage that it goes into
};

// `takeAlong`: companions move, too, and a stage that could not merge any more is unmerged.
[[nodiscard]] PlannedMove planMove(const EditContext &context, const std::vector<OperatorId> &operators,
                                   const EditPlace &place, bool takeAlong);

// "Move conv3 to stage 2: 84.2 µs, kept; outside r 3: the proof no longer applies", or the verifier's reason and
// whether Shift helps.
[[nodiscard]] QString moveText(const EditContext &context, const std::vector<OperatorId> &operators,
                               const PlannedMove &move);

// The same of any edit that can be done.
[[nodiscard]] QString previewText(const EditContext &context, const EditedStages &edited);

// "conv3: runs before conv1, whose output it reads"
[[nodiscard]] QString reasonText(const Error &error);

// "reads it", "is read by it": why an operator is in the way.
[[nodiscard]] QString companionText(const Graph &graph, const std::vector<OperatorId> &operators, OperatorId companion);

} // namespace stagecraft
