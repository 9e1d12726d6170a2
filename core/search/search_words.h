#pragma once

// Text about how a search ended and how far its result may be from the optimum, for the window, the command line and
// reports.

#include "schedule/timed_schedule.h"

#include <string>

namespace stagecraft {

// "optimal", "budget used", "proved, for the costed part"; empty without a search.
[[nodiscard]] std::string endingText(const SearchRecord &record);

// "optimal", "proved, within 1.2 %", "stopped, within 8.0 % if ...", "not proved, within 3.1 % if ..."; empty without a
// search.
[[nodiscard]] std::string outcomeText(const SearchRecord &record);

// A sentence on what the gap is based on: bounds that always hold, or an assumption, how it fared on measured stages,
// and the gap without it. Empty without a search.
[[nodiscard]] std::string gapBasisText(const SearchRecord &record);

// The number of stages kept and what that costs: "2 stages kept; that costs 3.1 us (0.8 %) more than the best schedule
// without them, 391.2 us". Empty if none were kept.
[[nodiscard]] std::string pinsText(const SearchRecord &record);

} // namespace stagecraft
