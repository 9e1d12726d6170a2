#pragma once

// Why one schedule is faster, as a section of an HTML page: a stacked bar for each result whose parts add up to its
// latency, a table of the parts, and the steps from the first result to each other. Empty: no result has both a latency
// and a timeline. It refers to no other file.

#include "results/rated_result.h"

#include <span>
#include <string>

namespace stagecraft {

inline constexpr const char *kTimePartsStyle =
    ".parts{display:flex;height:1.4em;margin:.15em 0 .6em}.parts span{display:block}"
    ".swatch{display:inline-block;width:.8em;height:.8em;margin:0 .35em 0 .9em}.steps td{padding:.1em .8em}"
    ".steps td.wide{width:60%}.step{height:.9em;min-width:2px}";

[[nodiscard]] std::string timePartsHtml(std::span<const RatedResult> results);

} // namespace stagecraft
