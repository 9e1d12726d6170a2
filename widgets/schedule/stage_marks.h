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
    // Of adjacent changed stages together, including the boundaries at both ends, on the first of these stages.
    QString change;      // "+4.1 µs, slower"; empty on the others
    QString parts;       // what it adds up from: "stages +13.0 µs, barriers +12.3 µs"; empty: from stages alone
    double changeUs = 0; // 0: no difference is shown
    QString verdict;     // on a device whose latencies carry noise: what `change` rests on

    friend bool operator==(const StageMark &, const StageMark &) = default;
};

using StageMarks = std::vector<StageMark>; // per stage; empty: no marks

} // namespace stagecraft
