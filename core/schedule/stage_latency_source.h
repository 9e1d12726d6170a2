#pragma once

// Where the search gets latencies: a table, a simulator, a GPU in another process. The search does not know which.

#include "schedule/stage_features.h"
#include "schedule/stage_signature.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"
#include "timing/provenance.h"
#include "timing/timing.h"

#include <stop_token>
#include <vector>

namespace stagecraft {

// Cost between two consecutive stages, in microseconds. A device synchronises its streams only if one of the two stages
// has several groups; otherwise `chainUs` is paid. Neither is part of a stage's own latency.
struct BoundaryCost {
    double barrierUs = 0;
    double chainUs = 0;

    [[nodiscard]] double between(const Stage &earlier, const Stage &later) const
    {
        return earlier.concurrentGroups() > 1 || later.concurrentGroups() > 1 ? barrierUs : chainUs;
    }
};

// Where the latency of a stage comes from.
enum class LatencyKind {
    Measured, // now, on the device
    Stored,   // measured before on the same device: takes no measurement
    Repeated, // measured before, but disturbed, and therefore measured again, now
    Recorded, // on another device or another day, replayed
    Simulated,
};

// It took a measurement.
[[nodiscard]] constexpr bool isMeasurement(LatencyKind kind)
{
    return kind == LatencyKind::Measured || kind == LatencyKind::Repeated;
}

[[nodiscard]] constexpr LatencyKind kindOf(Provenance provenance)
{
    switch (provenance) {
    case Provenance::Measured: return LatencyKind::Measured;
    case Provenance::Recorded: return LatencyKind::Recorded;
    case Provenance::Simulated:
    case Provenance::Assumed: return LatencyKind::Simulated;
    }
    return LatencyKind::Measured;
}

struct StageLatency {
    Timing timing;
    LatencyKind kind = LatencyKind::Measured;
};

// A stage that is asked for. A caller that knows its signature passes it on, so that it is computed once; a stage with
// a signature is legal (schedule/verify.h). Valid for one call: it refers to its arguments.
struct StageQuestion {
    const Stage &stage;
    const StageSignature *signature = nullptr;

    StageQuestion(const Stage &asked) : stage(asked) {} // NOLINT(google-explicit-constructor): a stage is a question
    StageQuestion(const Stage &asked, const StageSignature &signedAs) : stage(asked), signature(&signedAs) {}
};

// A stage that is likely to be asked for.
struct WantedStage {
    Stage stage;
    StageSignature signature;
};

// The latency of a schedule is the sum of its stages' latencies and of the boundaries between consecutive stages.
class StageLatencySource {
public:
    virtual ~StageLatencySource() = default;

    // Latency of the stage alone, greater than zero; the same for stages with the same signature (unless isTable).
    // ErrorCode::DeviceFailed: the stage is unavailable, and the search goes on without it. Cancelled: a stop was
    // requested. InvalidInput: the stage is not legal.
    [[nodiscard]] virtual Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) = 0;

    // No question will be answered any more: the device is lost for good.
    [[nodiscard]] virtual bool isLost() const { return false; }

    // How many stages can be measured at a time. Above 1, it helps to say what is going to be asked for (want).
    [[nodiscard]] virtual std::size_t atATime() const { return 1; }
    // What is likely to be asked for next, most promising first; takes the place of what was wanted before and is not
    // under way. An answer is kept until it is asked for. Nothing has to be asked for afterwards.
    virtual void want(std::vector<WantedStage>) {} // NOLINT(performance-unnecessary-value-param): others keep them

    [[nodiscard]] virtual BoundaryCost boundaryCost() const { return {}; }

    // A table of recorded latencies, keyed by operator names: stages with the same signature may have different
    // latencies, nothing bounds one from another, and asking costs nothing. The search asks for every stage.
    [[nodiscard]] virtual bool isTable() const { return false; }

    // Answers are measurements, so one stage's may exceed that of a stage that contains it. The search then reports how
    // far it trusts its bounds (SearchRecord::gap).
    [[nodiscard]] virtual bool isNoisy() const { return false; }

    // It has the latencies of some stages, and no others can be had from it now. The search takes those that it has,
    // bounds the others from below like stages that it has not asked for, and says which of them a faster schedule
    // could have (FoundSchedule::wanted).
    [[nodiscard]] virtual bool isPartial() const { return false; }
    // Of a partial source: it has the latency of the stage, or knows that the device refuses it.
    [[nodiscard]] virtual bool has(const StageQuestion &) const { return true; }

    // A group runs its operators one after another, and takes as long as they take alone: true of a GPU's stream that
    // no host slows down. The search then bounds a group by its operators, and reports how the measured groups agree.
    [[nodiscard]] virtual bool chainsAddUp() const { return false; }

    // What is known of the device, from any network, to learn an order of questions from.
    [[nodiscard]] virtual std::vector<StageSample> samples() { return {}; }

    // A lower bound on the stage's latency without a measurement; 0 if nothing is known.
    [[nodiscard]] virtual double lowerBoundUs(const Stage &) const { return 0; }

    // What the operator adds at least to any concurrent stage, one entry per resource that operators share (SMs,
    // memory, the launching host): for each entry, the sum over a stage's operators is at most its latency; single
    // entries may be negative. Empty if nothing is known, otherwise of the same length for every operator.
    [[nodiscard]] virtual std::vector<double> sharesUs(OperatorId) const { return {}; }
};

} // namespace stagecraft
