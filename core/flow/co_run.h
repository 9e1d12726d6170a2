#pragma once

// Two models on one device at a time: plans for both together, and when each model has its result.

#include "device/device.h"
#include "flow/co_run/request_queue.h"
#include "flow/explain/memory_of_schedule.h"
#include "measure/rounds.h"
#include "model/model.h"
#include "schedule/compare/schedule_time_parts.h"
#include "search/progress.h"
#include "search/result.h"
#include "search/streams/stream_search.h"
#include "search/union/union_stages.h"
#include "support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

enum class CoRunKind {
    OneAfterAnother, // each model's own schedule
    SideBySide,      // without a plan: each model's operators, one after another, on a stream of its own
    Stages,          // over both
    Streams,
};

[[nodiscard]] std::string_view toString(CoRunKind kind); // "one-after-another", "side-by-side", "stages", "streams"

// The model has its result by then.
struct CoRunDeadline {
    std::size_t model = 0;
    double us = 0;
};

struct CoRunRequest {
    SearchOptions alone = {};              // for each model's own schedule
    std::optional<double> maxSeconds = {}; // of the search for stages over both, and of that for streams; each
    int rounds = kDefaultRounds;           // on a device whose latencies carry noise; 0: none
    std::optional<CoRunDeadline> deadline = {};
};

struct CoRunPlan {
    CoRunKind kind = CoRunKind::OneAfterAnother;
    std::string variant; // which of its kind: "resnet50 first"; empty: the usual one
    TimedSchedule schedule = {};
    std::array<double, kUnionModels> endsUs{};          // when each model has its result
    std::shared_ptr<const TimelineIndex> timeline = {}; // of a run of its own
    bool isOnFront = false; // no other plan ends both models as early and one of them earlier
    std::optional<ScheduleTimeParts> parts = {};
    std::optional<SpeedupEstimate> against = {}; // one after another, in the same rounds

    [[nodiscard]] double latencyUs() const { return schedule.latencyUs().value_or(0); }
};

[[nodiscard]] std::string nameOf(const CoRunPlan &plan); // "streams, resnet50 first"
[[nodiscard]] std::string inTurnStrategy();              // of the search record of one after another

struct CoRunPlans {
    Model both; // the union; its blocks are those of the chosen plan
    std::array<FoundSchedule, kUnionModels> alone;
    std::vector<CoRunPlan> plans; // the first is one after another
    std::size_t chosen = 0;
    UnionStages overBoth; // its plans are among those above
    std::optional<StreamSearchRecord> streams;
    std::optional<Error> noStreams; // the device does not run them
    int rounds = 0;
    std::optional<ScheduleMemory> memory; // of the chosen plan
    std::optional<ScheduleMemory> memoryOneAfterAnother;
    bool isStopped = false;

    [[nodiscard]] const CoRunPlan &plan() const { return plans[chosen]; }
    [[nodiscard]] double aloneUs(std::size_t model) const { return alone[model].schedule.latencyUs().value_or(0); }
};

// A session on each model's own graph, and one on that of the union.
struct CoRunSessions {
    std::array<DeviceSession *, kUnionModels> own{};
    DeviceSession *both = nullptr;
};

struct CoRunCallbacks {
    std::array<SearchProgressCallback, kUnionModels> alone = {};
    UnionProgress stages = {};
    StreamProgress streams = {};
    RoundsCallback rounds = {};
};

// When each model has its result: at the share of the latency at which its last kernel ends.
[[nodiscard]] std::array<double, kUnionModels> endsOfModels(std::span<const UnionPart> parts, const Timeline &timeline,
                                                            double latencyUs);

// The fastest plan for `both`, the union of the models (model/union/model_union.h); with a deadline, of the plans that
// meet it, the one that ends the other model first. A stop during the search over both keeps the best so far; before
// that, Cancelled. When a model has its result: at the share of the latency at which its last kernel ends in a timeline
// of the plan. Errors: those of the sessions; WrongUse: the device does not measure stages; InvalidInput: no plan meets
// the deadline.
[[nodiscard]] Result<CoRunPlans> coRun(std::span<const Model> models, Model both, const CoRunSessions &sessions,
                                       const DeviceInfo &device, const CoRunRequest &request,
                                       const CoRunCallbacks &callbacks, const std::stop_token &stop);

// Latencies of requests that arrive so: with the chosen plan, or one after another.
[[nodiscard]] QueueAnswer queueOf(const CoRunPlans &found, const QueueArrivals &arrivals, bool isTogether);

} // namespace stagecraft
