#pragma once

// Row positions of schedules shown side by side, as plain values: common spans (schedule/compare/spans.h) and block
// headers start level on all pages; inside a span the stages of each schedule follow each other freely. A run of equal
// spans has a line that folds it. Streams beside them start level where they have a cut in common with all of them.

#include "schedule/compare/spans.h"
#include "schedule/streams/streams.h"

#include <cstddef>
#include <limits>
#include <set>
#include <span>
#include <vector>

namespace stagecraft {

inline constexpr double kAnyWidth = std::numeric_limits<double>::infinity(); // no stage has to be a list

struct SpanPlace {
    std::size_t span = 0; // index among the common spans
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

// For one schedule, in stage order.
struct RowPlaces {
    std::vector<double> headerTops; // of the blocks that begin with a span
    std::vector<SpanPlace> spans;
    std::vector<FoldPlace> folds;
    double height = 0;        // of the page
    double width = kAnyWidth; // of the narrowest page: decides on all of them which stages are lists
};

// Consecutive equal spans of one block with at least two stages in total.
struct EqualRun {
    std::size_t firstSpan = 0;
    std::size_t spans = 0;
};

// Streams beside stages, and where they start level.
struct StreamsBeside {
    const Streams *streams = nullptr;
    // By span of the stages: the launches until the next common cut; none where the streams have no cut before it.
    std::vector<StageRange> launches;
};

// `spans`: of `schedules`, which are all legal for one graph, as the streams are.
[[nodiscard]] StreamsBeside streamsBeside(const Streams &streams, const std::vector<StageList> &schedules,
                                          const std::vector<CommonSpan> &spans);

[[nodiscard]] std::vector<EqualRun> equalRuns(const std::vector<CommonSpan> &spans);

// One page per side of the spans, then one for each of `beside`, whose spans are of launches. `folded`: first spans of
// the folded runs. `width`: of the narrowest page.
[[nodiscard]] std::vector<RowPlaces> placeRows(const std::vector<StageList> &schedules,
                                               const std::vector<CommonSpan> &spans,
                                               const std::set<std::size_t> &folded, double zoom,
                                               double width = kAnyWidth, std::span<const StreamsBeside> beside = {});

} // namespace stagecraft
