#pragma once

// One line on standard error that says how far long work is, where that is a terminal; nothing of the kind elsewhere.
// It fits the width the terminal has at the moment, goes away before anything else is written, and when the work is
// done one line stays that says how long it took. To be used by one thread.

#include "search/search.h"

#include <string>
#include <vector>

namespace stagecraft {

// The first part is what is worked on; of the others, most important first, those that fit are shown.
void showProgress(const std::vector<std::string> &parts);

// Of a search; silent without a terminal.
[[nodiscard]] SearchProgressCallback terminalProgress(const std::string &title, Provenance provenance,
                                                      const CostBasis &basis);

void clearProgress();

// Leaves the last line, if anything was shown: what took how long. Before the answer is printed.
void endProgress();

// "a, b" with as many parts as fit into that many columns; the first is cut rather than left out.
[[nodiscard]] std::string fitted(const std::vector<std::string> &parts, std::size_t columns);

// "7.3 s", "2 min 05 s"
[[nodiscard]] std::string secondsText(double seconds);

} // namespace stagecraft
