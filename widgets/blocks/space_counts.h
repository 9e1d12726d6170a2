#pragma once

// How large the search space of each block of the model is under the options of the tool bar, as far as it is counted.

#include "search/count.h"
#include "search/search.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

struct SpaceCounts {
    SearchOptions options;
    std::vector<std::optional<SpaceCount>> blocks; // none: being counted; empty: nothing to count
};

// "IOS-Both, r = 3, s = 8"; "no pruning" where neither r nor s bounds anything.
[[nodiscard]] QString spaceText(const SearchOptions &options);

// "5,040", "more than 5,040" where the count ended early, "counting..." before there is one.
[[nodiscard]] QString spaceNumberText(const std::optional<SpaceCount> &count, double number);
[[nodiscard]] QString shortSpaceNumberText(const std::optional<SpaceCount> &count, double number); // "25.6k", ">25.6k"

} // namespace stagecraft
