#pragma once

// The size of the search space of each block under the options of the tool bar, as far as it is counted.

#include "search/stages/count.h"
#include "search/stages/search.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

struct SpaceCounts {
    SearchOptions options;
    std::vector<std::optional<SpaceCount>> blocks; // nullopt: being counted; empty: nothing to count
};

// "IOS-Both, r = 3, s = 8"; "no pruning" if neither r nor s is bounded.
[[nodiscard]] QString spaceText(const SearchOptions &options);

// "5,040", "more than 5,040" if counting ended early, "counting..." while there is no count.
[[nodiscard]] QString spaceNumberText(const std::optional<SpaceCount> &count, double number);
[[nodiscard]] QString shortSpaceNumberText(const std::optional<SpaceCount> &count, double number); // "25.6k", ">25.6k"

} // namespace stagecraft
