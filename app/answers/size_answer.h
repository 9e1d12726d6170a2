#pragma once

// The answer on sizes of a model: sweep --over.

#include "answers/answer_parts.h"
#include "results/size_point.h"
#include "timing/statistics/rounds.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stagecraft {
namespace answers {

struct SizeGain {
    TimingInRounds times;
    bool hasInterval = false;
};

void eachMember(Of<SizeGain> auto &gain, auto &&visit)
{
    const SpeedupEstimate &against = gain.times.against;
    visit({"latency_us", "of the whole schedule in one go; the geometric mean of the rounds", Unit::Us},
          gain.times.timing.latencyUs);
    visit({"gain", "how many times as fast as the sequential schedule", Unit::Times}, against.speedup);
    visit({"gain_interval", "where schedules were timed in rounds: both ends of its 95 % interval", Unit::Times},
          intervalOf(against), gain.hasInterval);
    visit({"verdict", "against the sequential schedule: faster, slower, same or no difference shown; null: none is "
                      "drawn"},
          statedVerdict(against));
}

} // namespace answers

void eachMember(Of<SizePoint> auto &point, auto &&visit)
{
    const auto gain = [&](std::size_t schedule) {
        return answers::SizeGain{point.times[schedule], point.hasInterval()};
    };
    visit({"size", "value of the parameter", Unit::Count}, point.size);
    visit({"sequential", "the sequential schedule"}, gain(0));
    visit({"greedy", "every ready operator, repeatedly"}, gain(kSizeGreedy));
    visit({"ios_both", "the schedule that was found with both strategies"}, gain(kSizeIos));
    const TimedSchedule none{};
    const TimedSchedule &found = point.found ? *point.found : none;
    visit({"stages", "stages of the schedule that was found", Unit::Count}, found.stages.size());
    visit({"provenance", "of the latencies: measured, recorded or simulated"},
          found.measured.provenance.value_or(Provenance::Measured));
    visit(fields::kCalibration, found.measured.calibration);
    visitSimulationErrors(found.measured.simulationErrors, visit);
    visit({"rounds", "in which they were timed; 0: they are exact, or were timed once", Unit::Count}, point.rounds);
}

namespace answers {

struct CrossedSize {
    std::string schedule;
    SizeCrossing crossing;
};

void eachMember(Of<CrossedSize> auto &crossed, auto &&visit)
{
    visit({"schedule", "IOS-Both or Greedy"}, crossed.schedule);
    visit({"below", "the size before", Unit::Count}, crossed.crossing.below);
    visit({"above", "the size behind", Unit::Count}, crossed.crossing.above);
    visit({"at", "between the two, where the gain passes 1 by 0.5 %, interpolated on logarithmic axes", Unit::Number},
          crossed.crossing.at);
    visit({"gains_above", "whether it gains at the larger size; else at the smaller one"}, crossed.crossing.gainsAbove);
}

struct SweepOver {
    static constexpr Title kTitle{"sweep-over", "stagecraft-cli sweep MODEL --over PARAMETER=FROM..TO --json",
                                  "what schedules gain at several sizes of a model, and where that begins or ends"};
    std::string model;
    std::string device;
    std::string parameter;
    std::vector<SizePoint> points{};
    std::vector<CrossedSize> crossings{};
    std::vector<ImportNote> notes{};
    CostBasis basis;
};

void eachMember(Of<SweepOver> auto &answer, auto &&visit)
{
    visit({"model", "the model, as it was given"}, answer.model);
    visit(fields::kDevice, answer.device);
    visit({"parameter", "what the sizes are of: a parameter of the model, or batch"}, answer.parameter);
    visit({"points", "one size"}, answer.points);
    visit({"crossings", "between which sizes a gain begins or ends; empty: at every size, or at none"},
          answer.crossings);
    visit(fields::kNotes, answer.notes);
    visitBasis(answer.basis, visit);
}

} // namespace answers
} // namespace stagecraft
