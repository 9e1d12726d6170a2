#pragma once

// Texts about results that do not depend on a screen.

#include "results/shelf.h"

#include <string>

namespace stagecraft {

// "r 3, s 8", "one operator a stage", "edited from IOS-Both", "opened: mine.schedule.json", "searched for sim:v100".
[[nodiscard]] std::string madeByText(const Shelf &shelf, const ScheduleResult &result);

// "r 3, s 8, single source"; empty without a search.
[[nodiscard]] std::string pruningText(const SearchRecord &record);

// How the model was read, "with units tvm, otherwise by this version"; empty: as usual.
[[nodiscard]] std::string readingText(const ModelReference &model);

// Why a result does not fit, "batch 16, not 1" or "on sim:k80, not sim:v100"; empty if it does.
[[nodiscard]] std::string whyNotFitting(const RunContext &result, const RunContext &chosen);

// "= IOS-Parallel": the other results with the same stages; their origin is added if the name is not enough. Empty if
// there are none.
[[nodiscard]] std::string equalText(const Shelf &shelf, ResultId id);

enum class Proof {
    None, // no search
    Proved,
    Gap, // it may be off the optimum by the gap in its search record
};

[[nodiscard]] Proof proofOf(const ScheduleResult &result);

// "timed in rounds", "timed alone", "sum of stages".
[[nodiscard]] std::string_view toString(MeasuredHow how);

} // namespace stagecraft
