#pragma once

// Stages over two models that run on one device. Each has its stages in order; a step runs the next stage of the first
// alone, the next of the second alone, or the next few stages of both as one concurrent stage. All such schedules are
// paths from no stage to all of both (a dynamic program over pairs of positions); a latency is asked for only where a
// lower bound leaves the stage a place in a schedule that nothing known beats.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "search/interrupt.h"
#include "support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kUnionModels = 2;

// Stages asked for so far, and the latency of the fastest schedule that is known, in microseconds; 0: none.
using UnionProgress = std::function<void(std::int64_t asked, double bestUs)>;

struct UnionOptions {
    std::size_t most = 3; // stages of one model in a step with the other; merged and fused stages are always alone
    // A stage of both takes at least as long as the slowest of the stages in it alone. Where the source knows no
    // bounds of its own.
    bool assumesPartsBound = false;
    Interrupt interrupt = {};
    UnionProgress onProgress = {};
};

struct UnionPlan {
    std::vector<Stage> stages;                    // of the union, all in block 0
    double latencyUs = 0;                         // of its stages and the boundaries between them
    std::array<double, kUnionModels> endsUs = {}; // when the last stage with operators of each model has ended
};

struct UnionStages {
    UnionPlan best;
    // Of all such schedules, those of which no other ends both models as early and one of them earlier; ascending by
    // the end of the first model. Where the search ended early, of those that are known.
    std::vector<UnionPlan> front;
    std::int64_t asked = 0;    // stages of both models
    std::int64_t possible = 0; // that there are
    std::int64_t refused = 0;  // by the device; left out
    bool isProved = false;     // nothing of this kind is faster
    bool isFrontProved = false;
};

// `own`: the stages of each model as stages of the union graph, verified. Errors: those of the source, where it refuses
// a stage of one model alone.
[[nodiscard]] Result<UnionStages> searchUnionStages(const Graph &graph,
                                                    const std::array<std::vector<Stage>, kUnionModels> &own,
                                                    StageLatencySource &source, const UnionOptions &options);

} // namespace stagecraft
