#pragma once

// One measurement of a schedule: of the whole, of its stages, or both.

#include "timing/provenance.h"
#include "timing/recorded_profile.h"
#include "timing/simulation_error.h"
#include "timing/timing.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

enum class MeasuredHow {
    SumOfStages, // never timed as a whole: a search was stopped, or whole schedules were not recorded
    Alone,       // as a whole
    InRounds,    // as a whole, in rounds with others, so that drift affects all alike
};

struct Measurement {
    MeasuredHow how = MeasuredHow::Alone;
    std::optional<Timing> whole = {};            // latency alone if it is exact; empty until measured
    std::vector<Timing> stages = {};             // each alone; empty until measured, otherwise one per stage
    std::optional<Provenance> provenance = {};   // of the latencies
    std::string calibration = {};                // simulated devices: what their numbers are based on; otherwise empty
    SimulationErrors simulationErrors = {};      // of a simulated device; empty: another one, or not known
    std::optional<RecordedProfile> profile = {}; // that another program recorded: what the latencies are from
    std::int64_t atSeconds = 0;                  // since 1970; 0: not known
    std::int64_t roundGroup = 0;                 // rounds: results of one group were timed together; 0: none
    std::vector<double> roundsUs = {};
    double secondsPerRound = 0;

    // `whole` adds up stages: the whole was never timed.
    [[nodiscard]] bool isSumOfStages() const { return how == MeasuredHow::SumOfStages; }

    friend bool operator==(const Measurement &, const Measurement &) = default;
};

} // namespace stagecraft
