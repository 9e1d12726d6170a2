#pragma once

// What optimize answers.

#include "answers/schedule_answers.h"
#include "device/member_counts.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/explain/stage_trials.h"
#include "flow/find/baselines_in_rounds.h"
#include "flow/find/find_splits.h"
#include "model/model.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct OptimizeAnswer {
    const Model &model;
    const FoundSchedule &found;
    const std::optional<BaselinesInRounds> &against; // empty: it was not timed with them
    std::optional<StageTrials> why = {};             // of its runners-up
    MemoryLimit memoryLimit = {};                    // where there is one
    std::optional<ScheduleMemory> memory = {};
    std::optional<std::vector<MemberCounts>> members = {}; // of a pool
    std::optional<SplitSearch> splits = {};                // with --try-splits
};

[[nodiscard]] answers::Optimize optimizeAnswer(const OptimizeAnswer &answer);
void printOptimize(const OptimizeAnswer &answer);

} // namespace stagecraft
