#pragma once

// Results for tests of the shelf: schedules of a chain of operators, in one stage each or all in one.

#include "results/shelf.h"
#include "timing/simulator_version.h"

#include <memory>

namespace stagecraft::test {

inline RunContext settingsOf(const std::string &device, std::int64_t batch = 1)
{
    return {{"sample", "abc"}, device, device.starts_with("sim:") ? simulatorVersion() : "", batch, "fp32"};
}

// `stages` stages of one operator each.
inline std::shared_ptr<const TimedSchedule> scheduleOf(std::size_t stages, double latencyUs,
                                                       const SearchRecord &record = {})
{
    TimedSchedule schedule;
    for (std::size_t i = 0; i < stages; ++i)
        schedule.stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
    schedule.measured.whole = Timing::ofLatency(latencyUs);
    schedule.measured.provenance = Provenance::Simulated;
    schedule.search = record;
    return std::make_shared<const TimedSchedule>(std::move(schedule));
}

inline SearchRecord recordOf(const std::string &strategy, std::optional<int> r = 3, std::optional<int> s = 8)
{
    SearchRecord record;
    record.strategy = strategy;
    record.r = r;
    record.s = s;
    record.termination = Termination::Optimal;
    return record;
}

inline ResultId addSearched(Shelf &shelf, const std::string &title, const SearchRecord &record, std::size_t stages,
                            double latencyUs, const RunContext &settings = settingsOf("sim:v100"))
{
    ScheduleResult result;
    result.title = title;
    result.asked = record;
    result.settings = settings;
    result.state = ResultState::Running;
    const ResultId id = shelf.add(std::move(result));
    shelf.setMade(id, scheduleOf(stages, latencyUs, record), {}, 0);
    return id;
}

inline ResultId addSequential(Shelf &shelf, double latencyUs, const RunContext &settings = settingsOf("sim:v100"))
{
    ScheduleResult result;
    result.title = "Sequential";
    result.origin = Origin::Baseline;
    result.asked.strategy = "sequential";
    result.settings = settings;
    const ResultId id = shelf.add(std::move(result));
    shelf.setMade(id, scheduleOf(9, latencyUs), {}, 0);
    return id;
}

inline Measurement measured(double us, double stddevUs, int runs, MeasuredHow how = MeasuredHow::Alone)
{
    return {.how = how, .whole = Timing{us, us, stddevUs, runs, {}}, .provenance = Provenance::Measured};
}

} // namespace stagecraft::test
