#pragma once

// What a result is called and what is said of it, in words that need no screen.

#include "shelf/shelf.h"

#include <string>

namespace stagecraft {

// "r 3, s 8", "one operator a stage", "edited from IOS-Both", "opened: mine.schedule.json", "searched for sim:v100".
[[nodiscard]] std::string madeByText(const Shelf &shelf, const ScheduleResult &result);

// "r 3, s 8, single source"; empty of what was not searched.
[[nodiscard]] std::string pruningText(const SearchRecord &record);

// Why a result does not fit, "batch 16, not 1" or "on sim:k80, not sim:v100"; empty where it does.
[[nodiscard]] std::string whyNotFitting(const MeasurementSettings &result, const MeasurementSettings &chosen);

// "= IOS-Parallel": the others with the same stages; what made it is said where the name is not enough. Empty: there
// are none.
[[nodiscard]] std::string equalText(const Shelf &shelf, ResultId id);

enum class Proof {
    None, // there was no search
    Proved,
    Gap, // it may be off the optimum by as much as its search record says
};

[[nodiscard]] Proof proofOf(const ScheduleResult &result);

// "timed in rounds", "timed alone", "sum of stages".
[[nodiscard]] std::string_view toString(MeasuredHow how);

} // namespace stagecraft
