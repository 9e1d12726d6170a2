#pragma once

// Where rows lie of schedules that stand beside each other, as plain values: every common span (schedule/spans.h) and
// every block header starts level on all pages; inside a span the stages of each schedule run freely. A run of equal
// spans has a line that folds it away.

#include "schedule/spans.h"

#include <cstddef>
#include <set>
#include <vector>

namespace stagecraft {

struct SpanPlace {
    std::size_t span = 0; // of the common spans
    StageRange stages;    // of this schedule
    double top = 0;
    double height = 0; // 0: folded away
    bool isEqual = false;
};

struct FoldPlace {
    std::size_t firstSpan = 0;
    StageRange stages; // of this schedule
    double top = 0;
    double height = 0; // of the line
    bool isFolded = false;
};

// Of one schedule, as ascending as its stages.
struct RowPlaces {
    std::vector<double> headerTops; // a block each
    std::vector<SpanPlace> spans;
    std::vector<FoldPlace> folds;
    double height = 0; // of the page
};

// Equal spans of one block that follow each other, together at least two stages.
struct EqualRun {
    std::size_t firstSpan = 0;
    std::size_t spans = 0;
};

[[nodiscard]] std::vector<EqualRun> equalRuns(const std::vector<CommonSpan> &spans);

// A page for each side of the spans. `folded`: first spans of the runs that are folded away.
[[nodiscard]] std::vector<RowPlaces> placeRows(const std::vector<StageList> &schedules,
                                               const std::vector<CommonSpan> &spans,
                                               const std::set<std::size_t> &folded, double zoom);

} // namespace stagecraft
