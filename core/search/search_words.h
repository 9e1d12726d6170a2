#pragma once

// Text about how a search ended and how far its result may be from the optimum, for the window, the command line and
// reports.

#include "schedule/timed_schedule.h"

#include <optional>
#include <string>

namespace stagecraft {

// "best schedule with barriers (r 3, s 8)": what is proved where a search ended with no gap.
[[nodiscard]] std::string provedText(const SearchRecord &record);

// What a schedule without barriers between stages could save at best, as a share of what was searched for. Empty where
// that is not known, or where merged convolutions made this one faster.
[[nodiscard]] std::optional<double> shareWithoutBarriers(const SearchRecord &record);

// "330.1 us, 15.6 % less": how fast a schedule without barriers between stages could be at best. Empty where that is
// not known.
[[nodiscard]] std::string withoutBarriersText(const SearchRecord &record);

// "best schedule with barriers (r 3, s 8)", "budget used", "proved, for the costed part"; empty without a search.
[[nodiscard]] std::string endingText(const SearchRecord &record);

// "best schedule with barriers (r 3, s 8)", "proved, within 1.2 %", "stopped, within 8.0 % if ...", "not proved,
// within 3.1 % if ..."; empty without a search.
[[nodiscard]] std::string outcomeText(const SearchRecord &record);

// A sentence on what the gap is based on: bounds that always hold, or an assumption, how it fared on measured stages,
// and the gap without it. Empty without a search.
[[nodiscard]] std::string gapBasisText(const SearchRecord &record);

// The number of stages kept and what that costs: "2 stages kept; that costs 3.1 us (0.8 %) more than the best schedule
// without them, 391.2 us". Empty if none were kept.
[[nodiscard]] std::string pinsText(const SearchRecord &record);

// "3 of 10 stages of several groups have a launch order: 1553.5 us instead of 1626.8 us, 4.5 % less; all orders of 8
// stages were tried". Empty if none were looked for.
[[nodiscard]] std::string launchOrdersText(const SearchRecord &record);

} // namespace stagecraft
