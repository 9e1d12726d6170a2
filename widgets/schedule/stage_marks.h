#pragma once

// What stands on rows of a schedule beside what the schedule itself says: what editing did to a stage, and what a
// person pinned.

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

struct StageMark {
    bool isPinned = false;
    bool isChanged = false;          // what it was edited from does not have this stage
    bool isMeasured = true;          // false: changed and not measured yet
    std::optional<double> latencyUs; // where the schedule as a whole has none
    double changeUs = 0;             // of the stages around it that changed together, with the boundaries at both ends
    QString change;                  // "+4.1 µs, slower", at the first of them; empty elsewhere

    friend bool operator==(const StageMark &, const StageMark &) = default;
};

using StageMarks = std::vector<StageMark>; // per stage; empty: none has any

} // namespace stagecraft
