#pragma once

// The answer of "co-run", for programs and for people.

#include "answers/co_run_answer.h"
#include "flow/co_run.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct CoRunAnswer {
    const CoRunPlans &found;
    const DeviceInfo &device;
    std::vector<std::int64_t> batches;              // by model
    std::vector<std::optional<double>> deadlinesUs; // by model
    std::optional<QueueArrivals> arrivals = {};     // with --rate
};

[[nodiscard]] answers::CoRun coRunAnswer(const CoRunAnswer &answer);
void printCoRun(const CoRunAnswer &answer);

} // namespace stagecraft
