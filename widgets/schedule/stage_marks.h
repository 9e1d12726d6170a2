#pragma once

// Marks on the rows of a schedule that are not part of the schedule: the effect of edits on a stage, and pins.

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

struct StageMark {
    bool isPinned = false;
    bool isChanged = false;          // the schedule it was edited from does not have this stage
    bool isMeasured = true;          // false: changed and not measured yet
    std::optional<double> latencyUs; // used if the schedule as a whole has no latency
    double changeUs = 0;             // of the adjacent changed stages together, including the boundaries at both ends
    QString change;                  // "+4.1 µs, slower", on the first of these stages; empty on the others

    friend bool operator==(const StageMark &, const StageMark &) = default;
};

using StageMarks = std::vector<StageMark>; // per stage; empty: no marks

} // namespace stagecraft
