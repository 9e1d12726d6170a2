#pragma once

// What a person is told about how a search ended and how far its result may be from the best. One place for the window,
// the command line and reports.

#include "schedule/schedule.h"

#include <string>

namespace stagecraft {

// "optimal", "budget used", "proved, for the costed part"; empty for what was not searched.
[[nodiscard]] std::string endingText(const SearchRecord &record);

// "optimal", "proved, within 1.2 %", "stopped, within 8.0 % if ...", "not proved, within 3.1 % if ..."; empty where
// there was no search.
[[nodiscard]] std::string outcomeText(const SearchRecord &record);

// A sentence on what the gap rests on: bounds that always hold, or an assumption, how measured stages kept to it, and
// the gap that holds without it. Empty where there was no search.
[[nodiscard]] std::string gapBasisText(const SearchRecord &record);

// What was kept and what that costs: "2 stages kept; that costs 3.1 us (0.8 %) against the best without, 391.2 us".
// Empty where none was.
[[nodiscard]] std::string pinsText(const SearchRecord &record);

} // namespace stagecraft
