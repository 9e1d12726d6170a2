#pragma once

// Which operators are worth splitting into parts that run side by side (model/rewrite/split_operators.h). An operator
// is tried by itself: whole, and in parts with the join behind them, each measured on the device. Those that are faster
// in parts are split, if the schedule that a search then finds is faster, too. Of a model with few operators, on a
// device with exact latencies, a schedule is searched for every choice of parts, and the fastest is taken.

#include "device/device.h"
#include "flow/find_schedule.h"
#include "graph/model_reference.h"
#include "model/model.h"
#include "support/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct SplitTrial {
    std::string op;
    std::int64_t parts = 0;  // the count that takes least
    double wholeUs = 0;      // a stage of the operator
    double partsUs = 0;      // a stage of its parts, side by side
    double joinUs = 0;       // a stage of their join
    double leastPartsUs = 0; // of the parts alone, for any count

    [[nodiscard]] double gainUs() const { return wholeUs - partsUs - joinUs; }
};

struct SplitSearch {
    std::vector<SplitTrial> trials; // of each operator that can be split, in the order of the model
    OperatorSplits chosen;          // empty: none is worth it
    double withoutUs = 0;           // the schedule that is found without splits
    std::optional<double> withUs;   // and with the splits that gain by themselves; empty: none does
    bool isExact = false;           // every choice was searched; then `withUs` is the best of them

    // What all parts together gain by themselves, were joins to take no time.
    [[nodiscard]] double freeJoinGainUs() const;
};

struct SplitSearchRequest {
    std::int64_t mostParts = 2;
    SearchRequest search = {};
};

using SessionOpener = std::function<Result<std::unique_ptr<DeviceSession>>(const Model &model)>;
using SplitProgress = std::function<void(std::int64_t measured, std::int64_t all)>; // operators, in any count of parts

// Errors: the session's. Cancelled where it was stopped. WrongUse: the device measures no stages.
[[nodiscard]] Result<SplitSearch> findSplits(const Model &model, const DeviceInfo &device, const SessionOpener &open,
                                             const SplitSearchRequest &request, const SplitProgress &progress,
                                             const std::stop_token &stop);

} // namespace stagecraft
