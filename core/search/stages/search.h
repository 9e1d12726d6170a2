#pragma once

// Inter-operator scheduling: the dynamic program of IOS over endings (Ding et al., MLSys 2021, section 4), its pruning
// and the two baselines. A function over plain values: takes graph and blocks, returns schedule and statistics.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/stage_latency_source.h"
#include "search/options.h"
#include "search/progress.h"
#include "search/result.h"
#include "search/stages/baselines.h"
#include "support/result.h"

#include <stop_token>

namespace stagecraft {

// Errors: WrongUse (r or s below 1, epsilon negative), InvalidInput (stages that cannot all be pinned), DeviceFailed
// (no legal schedule could be measured). After a requested stop, the best schedule so far is returned with termination
// "cancelled"; Cancelled is an error only if no schedule was measured yet. The sequential schedule, with the pinned
// stages if any, is always measured in full, whatever the budget. The callback runs on the calling thread, at most
// every 50 ms and once at the end.
[[nodiscard]] Result<FoundSchedule> searchSchedule(const Graph &graph, const Blocks &blocks, StageLatencySource &source,
                                                   const SearchOptions &options = {},
                                                   const SearchProgressCallback &progress = {},
                                                   std::stop_token stop = {});

} // namespace stagecraft
