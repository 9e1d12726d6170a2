#pragma once

// What the search asks for latencies. It does not know what answers: a table, a simulator, a GPU in another process.

#include "schedule/schedule.h"
#include "schedule/stage_signature.h"
#include "support/provenance.h"
#include "support/result.h"
#include "support/timing.h"

#include <stop_token>
#include <vector>

namespace stagecraft {

// Cost between two consecutive stages, in microseconds. A device synchronises its streams only where one of the two
// stages has several groups; `chainUs` is paid otherwise. Neither is part of a stage's own latency.
struct BoundaryCost {
    double barrierUs = 0;
    double chainUs = 0;

    [[nodiscard]] double between(const Stage &earlier, const Stage &later) const
    {
        return earlier.concurrentGroups() > 1 || later.concurrentGroups() > 1 ? barrierUs : chainUs;
    }
};

// Where the latency of a stage comes from.
enum class LatencyOrigin {
    Measured, // now, on the device
    Stored,   // measured before on the same device: it cost no measurement
    Recorded, // on another device or another day, replayed
    Simulated,
};

[[nodiscard]] constexpr LatencyOrigin originOf(Provenance provenance)
{
    switch (provenance) {
    case Provenance::Measured: return LatencyOrigin::Measured;
    case Provenance::Recorded: return LatencyOrigin::Recorded;
    case Provenance::Simulated: return LatencyOrigin::Simulated;
    }
    return LatencyOrigin::Measured;
}

struct StageLatency {
    Timing timing;
    LatencyOrigin origin = LatencyOrigin::Measured;
};

// A stage that is asked for. Whoever has its signature already passes it on, so that it is signed once; what has one is
// legal (schedule/verify.h). For the time of one call: it refers to what it was made of.
struct StageQuestion {
    const Stage &stage;
    const StageSignature *signature = nullptr;

    StageQuestion(const Stage &asked) : stage(asked) {} // NOLINT(google-explicit-constructor): a stage is a question
    StageQuestion(const Stage &asked, const StageSignature &signedAs) : stage(asked), signature(&signedAs) {}
};

// The latency of a schedule is the sum of its stages' latencies and of the boundaries between consecutive stages.
class StageLatencySource {
public:
    virtual ~StageLatencySource() = default;

    // Of the stage alone, greater than zero; the same for stages with the same signature (unless isTable).
    // ErrorCode::DeviceFailed: this stage cannot be had (the search goes on without it). Cancelled: the stop was seen.
    // InvalidInput: the stage is not legal.
    [[nodiscard]] virtual Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) = 0;

    [[nodiscard]] virtual BoundaryCost boundaryCost() const { return {}; }

    // A table of recorded latencies, keyed by operator names: stages with the same signature may then have different
    // latencies, nothing bounds one from another, and asking costs nothing. The search asks for every stage.
    [[nodiscard]] virtual bool isTable() const { return false; }

    // Answers are measurements, so one stage's may come out above that of a stage that contains it. The search then
    // says how far it trusts its bounds (SearchRecord::gap).
    [[nodiscard]] virtual bool isNoisy() const { return false; }

    // A lower bound on the stage's latency that costs no measurement; 0 if nothing is known.
    [[nodiscard]] virtual double lowerBoundUs(const Stage &) const { return 0; }

    // What the operator adds at least to any stage of concurrent execution, one entry for each thing that operators
    // share (SMs, memory, the launching host): of each entry, the sum over a stage's operators is at most its latency;
    // one operator's may be negative. Empty if nothing is known, else of the same length for every operator.
    [[nodiscard]] virtual std::vector<double> sharesUs(OperatorId) const { return {}; }
};

} // namespace stagecraft
