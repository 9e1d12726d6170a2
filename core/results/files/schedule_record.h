#pragma once

// What schedule files consist of, with operators by name. Written; results/files/schedule_parts.h reads.

#include "graph/model_reference_record.h"
#include "schedule/strategy_words.h"
#include "schedule/timed_schedule.h"
#include "search/search_record.h"
#include "support/records/record.h"
#include "timing/recorded_profile_record.h"
#include "timing/simulation_error_record.h"
#include "timing/timing_record.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

struct NamedGroups {
    Strategy strategy = Strategy::Concurrent;
    std::vector<std::vector<std::string>> groups;
    std::vector<std::string> launchOrder = {}; // empty: the device's own
};

void eachMember(Of<NamedGroups> auto &stage, auto &&visit)
{
    visit({"strategy", "concurrent or merge"}, stage.strategy);
    visit({"groups", "its groups, operators by name"}, stage.groups);
    visit({"launch_order", "all operators of a stage, as they are launched; without it as the device does by itself"},
          stage.launchOrder, !stage.launchOrder.empty());
}

struct NamedStage {
    std::size_t block = 0;
    NamedGroups of;
};

void eachMember(Of<NamedStage> auto &stage, auto &&visit)
{
    visit({"block", "of its block", Unit::Index}, stage.block);
    eachMember(stage.of, visit);
}

struct NamedRunnerUp {
    NamedGroups of;
    RunnerUp runnerUp;
};

void eachMember(Of<NamedRunnerUp> auto &other, auto &&visit)
{
    eachMember(other.of, visit);
    eachMember(other.runnerUp, visit);
}

// A timing as members of the object that it belongs to.
void visitTiming(const std::optional<Timing> &timing, auto &&visit)
{
    const Timing known = timing.value_or(Timing{});
    eachMember(known, [&](const Field &field, const auto &value, bool isKnown = true) {
        visit(field, value, isKnown && timing.has_value());
    });
}

struct StageInFile {
    NamedStage stage;
    std::optional<Timing> timing; // alone
};

void eachMember(Of<StageInFile> auto &stage, auto &&visit)
{
    eachMember(stage.stage, visit);
    visit({"latency_us", "of the stage alone", Unit::Us}, stage.timing.value_or(Timing{}).latencyUs,
          stage.timing.has_value());
    visitTiming(stage.timing, visit);
}

inline constexpr std::string_view kScheduleFormat = "stagecraft-schedule";
inline constexpr int kScheduleVersion = 1;

struct EventInFile {
    std::string from;
    std::string to;
};

void eachMember(Of<EventInFile> auto &event, auto &&visit)
{
    visit({"from", "the first operator of what is waited for"}, event.from);
    visit({"to", "the first operator of what waits"}, event.to);
}

struct StreamsInFile {
    using Item = std::variant<std::string, std::vector<std::string>>; // an operator, or several that are merged

    std::vector<std::vector<Item>> streams;
    std::vector<std::string> launchOrder;
    std::vector<EventInFile> events;
};

void eachMember(Of<StreamsInFile> auto &file, auto &&visit)
{
    visit({"streams", "an operator of a stream, or a list of operators that are merged"}, file.streams);
    visit({"launch_order", "of streams: all launches, each by its first operator"}, file.launchOrder);
    visit({"events", "of streams: a wait of one for another"}, file.events);
}

struct ScheduleInFile {
    TimedSchedule schedule;
    std::vector<StageInFile> stages;
    std::optional<StreamsInFile> streams; // instead of stages
};

void eachMember(Of<ScheduleInFile> auto &file, auto &&visit)
{
    const auto namesOf = [](const std::vector<std::pair<std::string, TensorLayout>> &layouts) {
        std::vector<std::pair<std::string, std::string_view>> names;
        for (const auto &[name, layout] : layouts)
            names.emplace_back(name, nameOf(layout));
        return names;
    };
    auto &schedule = file.schedule;
    visit({"format", "\"stagecraft-schedule\""}, kScheduleFormat);
    visit({"version", "1", Unit::Count}, kScheduleVersion);
    visit({"model", "what it was made for"}, schedule.context.model);
    visit({"reading", "how the model was read, where not as usual"}, schedule.context.model.reading,
          !schedule.context.model.reading.isUsual());
    visit({"device", "the device"}, schedule.context.device);
    visit({"device_version",
           "of a simulated device: the simulator that made the latencies; of one that measures: all that "
           "they depend on"},
          schedule.context.deviceVersion, !schedule.context.deviceVersion.empty());
    visit({"batch", "batch size", Unit::Count}, schedule.context.batch);
    visit({"precision", "fp32, tf32, fp16, or what is computed in which"}, schedule.context.precision);
    visit({"provenance", "of the latencies: measured, recorded or simulated"}, schedule.measured.provenance);
    visit({"search", "the search it came from"}, schedule.search);
    visit({"latency_us", "of the whole schedule in one go", Unit::Us}, schedule.latencyUs());
    visitTiming(schedule.measured.whole, visit);
    visit({"calibration", "of a simulated device: what its numbers rest on"}, schedule.measured.calibration,
          !schedule.measured.calibration.empty());
    visit({kSimulationErrorKey, "of a simulated device: how far it is from measured kernels; empty: never judged"},
          schedule.measured.simulationErrors.value_or(std::vector<SimulationError>()),
          schedule.measured.simulationErrors.has_value());
    visit({"profile", "that another program recorded: what the latencies are from"}, schedule.measured.profile,
          schedule.measured.profile.has_value());
    visit({"sum_of_stages", "true: the whole was never timed, and latency_us adds up its parts"},
          schedule.measured.isSumOfStages(), schedule.measured.isSumOfStages());
    visit({"layouts", {}}, namesOf(schedule.layouts.tensors), !schedule.layouts.tensors.empty());
    visit({"reads", {}}, namesOf(schedule.layouts.reads), !schedule.layouts.reads.empty());
    const bool hasStreams = file.streams.has_value();
    visit({"kind", "\"streams\"; files with stages leave it out"}, std::string_view("streams"), hasStreams);
    const StreamsInFile streams = file.streams.value_or(StreamsInFile());
    eachMember(streams, [&](const Field &field, const auto &value) { visit(field, value, hasStreams); });
    visit({"stages", "a stage"}, file.stages, !hasStreams);
}
template <>
inline constexpr std::string_view kPartName<ScheduleInFile> = "schedule";

} // namespace stagecraft
