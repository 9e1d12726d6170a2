#pragma once

// One line on standard error that shows the progress of long work, only on a terminal. It fits the current width and
// disappears before anything else is written; at the end one line stays that says how long the work took. Threads: used
// by one thread.

#include "device/device.h"
#include "measure/rounds.h"
#include "search/stages/search.h"

#include <string>
#include <vector>

namespace stagecraft {

// The first part names the work; of the others, most important first, those that fit are shown.
void showProgress(const std::vector<std::string> &parts);

// The callback for a search; does nothing without a terminal. `members`: of a pool, as long as the search runs; else
// null.
[[nodiscard]] SearchProgressCallback terminalProgress(const std::string &title, Provenance provenance,
                                                      const CostBasis &basis, const DeviceMembers *members = nullptr);

void showRounds(const RoundsProgress &progress); // "timing in rounds, 3 of 8"

void clearProgress();

// Leaves the final line, if anything was shown. Call it before the answer is printed.
void endProgress();

// "a, b" with as many parts as fit into that many columns; the first is cut if it does not fit.
[[nodiscard]] std::string fitted(const std::vector<std::string> &parts, std::size_t columns);

// "7.3 s", "2 min 05 s"
[[nodiscard]] std::string secondsText(double seconds);

} // namespace stagecraft
