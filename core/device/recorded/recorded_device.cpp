#include "device/recorded/recorded_device.h"

#include "schedule/streams/require_stages.h"
#include "support/input_file.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <unordered_map>

namespace stagecraft {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 30;

std::string stageName(const std::vector<std::vector<std::string>> &groups, Strategy strategy)
{
    std::string text;
    const bool isMerged = strategy == Strategy::Merge;
    for (const std::vector<std::string> &group : groups)
        text += fmt::format("{}{}", text.empty() ? "" : isMerged ? " + " : " | ", fmt::join(group, ", "));
    return fmt::format("{{{}}}{}", text, isMerged ? " merged" : strategy == Strategy::Fused ? " fused" : "");
}

struct Replay {
    RecordedLatencies latencies;
    std::unordered_map<std::string, std::size_t> stageByKey;
    std::unordered_map<std::string, std::size_t> scheduleByKey;
    std::unordered_map<std::string, std::size_t> refusedByKey;
};

class RecordedSession : public DeviceSession {
public:
    RecordedSession(std::string id, std::shared_ptr<const Replay> replay, std::shared_ptr<const Graph> graph)
        : m_id(std::move(id)), m_replay(std::move(replay)), m_graph(std::move(graph))
    {
    }

    bool isTable() const override { return true; }
    BoundaryCost boundaryCost() const override
    {
        return m_replay->latencies.kit ? m_replay->latencies.kit->boundary : BoundaryCost{};
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        const Stage &stage = question.stage;
        TRY(check(stage));
        auto groups = operatorNames(*m_graph, stage);
        const std::string key = recordKey(stage.strategy, groups);
        if (const auto no = m_replay->refusedByKey.find(key); no != m_replay->refusedByKey.end())
            return fail(ErrorCode::DeviceFailed,
                        fmt::format("the device of {} refused the stage {}: {}", m_id,
                                    stageName(groups, stage.strategy), m_replay->latencies.refused[no->second].reason));
        const auto found = m_replay->stageByKey.find(key);
        if (found == m_replay->stageByKey.end())
            return fail(ErrorCode::DeviceFailed,
                        fmt::format("{} has no latency of the stage {}", m_id, stageName(groups, stage.strategy)),
                        "measure a schedule that has it on the device, then export again");
        return StageLatency{m_replay->latencies.stages[found->second].timing, LatencyKind::Recorded};
    }

    Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop) override
    {
        TRY(requireStages(schedule, m_id));
        TRY_AS(auto stages, stageLatencies(schedule, stop));
        ScheduleMeasurement measurement;
        measurement.stages = std::move(stages);
        for (std::size_t i = 1; i < schedule.stages.size(); ++i)
            measurement.boundariesUs += boundaryCost().between(schedule.stages[i - 1], schedule.stages[i]);
        if (const auto found = wholeOf(schedule))
            measurement.whole.timing = *found;
        else
            measurement.whole = {sumOf(measurement), MeasuredHow::SumOfStages};
        return measurement;
    }

    // Needs no stage latencies if the whole schedule is recorded.
    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        TRY(requireStages(schedule, m_id));
        for (const Stage &stage : schedule.stages) {
            TRY(check(stage));
        }
        if (auto found = wholeOf(schedule))
            return ScheduleLatency{std::move(*found)};
        return measureSchedule(schedule, std::move(stop)).map([](const ScheduleMeasurement &measurement) {
            return measurement.whole;
        });
    }

    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        TRY_AS(const auto measurement, measureSchedule(schedule, stop));
        Timeline timeline;
        timeline.provenance = Provenance::Recorded;
        timeline.device = m_id;
        timeline.notes = {
            "stages one after another, each with its own recorded latency: their sum is not the latency of "
            "the schedule"};
        double elapsedUs = 0;
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            const auto startNs = std::llround(elapsedUs * 1000);
            elapsedUs += measurement.stages[i].timing.latencyUs;
            timeline.stages.push_back({i, startNs, std::llround(elapsedUs * 1000)});
        }
        timeline.durationNs = std::llround(elapsedUs * 1000);
        return timeline;
    }

private:
    // All other illegal stages are not in the recording anyway.
    [[nodiscard]] Result<void> check(const Stage &stage) const
    {
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                if (id.index() >= m_graph->size())
                    return fail(ErrorCode::InvalidInput, "the stage names an operator the model does not have");
            }
        }
        if (!stage.launchOrder.empty())
            return fail(ErrorCode::DeviceFailed,
                        fmt::format("{} has no latencies of stages with a launch order, and the stage {} has one", m_id,
                                    stageName(operatorNames(*m_graph, stage), stage.strategy)),
                        "measure the schedule on a device that executes it, or leave the launch order out");
        return {};
    }

    [[nodiscard]] std::optional<Timing> wholeOf(const Schedule &schedule) const
    {
        const auto found = m_replay->scheduleByKey.find(recordKey(namedStages(*m_graph, schedule)));
        if (found == m_replay->scheduleByKey.end())
            return std::nullopt;
        return m_replay->latencies.schedules[found->second].whole;
    }

    // Includes what happens between stages only as far as the recording tells it.
    static Timing sumOf(const ScheduleMeasurement &measurement)
    {
        Timing sum;
        sum.meanUs = sum.latencyUs = measurement.boundariesUs;
        double variance = 0;
        for (const StageLatency &stage : measurement.stages) {
            sum.meanUs += stage.timing.meanUs;
            sum.latencyUs += stage.timing.latencyUs;
            variance += stage.timing.stddevUs * stage.timing.stddevUs;
        }
        sum.stddevUs = std::sqrt(variance);
        return sum;
    }

    std::string m_id;
    std::shared_ptr<const Replay> m_replay;
    std::shared_ptr<const Graph> m_graph;
};

class RecordedDevice : public Device {
public:
    RecordedDevice(std::string id, std::shared_ptr<const Replay> replay)
        : m_id(std::move(id)), m_replay(std::move(replay))
    {
    }

    DeviceInfo info() const override
    {
        const RecordedLatencies &latencies = m_replay->latencies;
        DeviceInfo info;
        info.id = m_id;
        info.title = latencies.device + " (recorded)";
        info.provenance = Provenance::Recorded;
        info.precision = latencies.precision;
        info.facts = {{"recorded on", latencies.device},
                      {"model", latencies.model},
                      {"batch", std::to_string(latencies.batch)},
                      {"precision", latencies.precision},
                      {"stages", std::to_string(latencies.stages.size())},
                      {"whole schedules", std::to_string(latencies.schedules.size())}};
        return info;
    }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        const RecordedLatencies &latencies = m_replay->latencies;
        if (graph->batch() != latencies.batch)
            return fail(ErrorCode::WrongUse,
                        fmt::format("{} was recorded at batch {}, the model is at batch {}", m_id, latencies.batch,
                                    graph->batch()),
                        fmt::format("open the model at batch {}", latencies.batch));
        if (!knowsAnyOperator(*graph))
            return fail(ErrorCode::WrongUse,
                        fmt::format("{} was recorded for {}: none of its operators is in {}", m_id, latencies.model,
                                    graph->name()),
                        "open the model it was recorded for");
        return std::make_unique<RecordedSession>(m_id, m_replay, std::move(graph));
    }

private:
    bool knowsAnyOperator(const Graph &graph) const
    {
        for (const RecordedStage &stage : m_replay->latencies.stages) {
            for (const std::vector<std::string> &group : stage.groups) {
                for (const std::string &name : group) {
                    if (graph.find(name))
                        return true;
                }
            }
        }
        return m_replay->latencies.stages.empty();
    }

    std::string m_id;
    std::shared_ptr<const Replay> m_replay;
};

} // namespace

std::unique_ptr<Device> makeRecordedDevice(std::string id, RecordedLatencies latencies)
{
    auto replay = std::make_shared<Replay>();
    replay->latencies = std::move(latencies);
    const std::vector<RecordedStage> &stages = replay->latencies.stages;
    for (std::size_t i = 0; i < stages.size(); ++i)
        replay->stageByKey.emplace(recordKey(stages[i].strategy, stages[i].groups), i);
    const std::vector<RecordedSchedule> &schedules = replay->latencies.schedules;
    for (std::size_t i = 0; i < schedules.size(); ++i)
        replay->scheduleByKey.emplace(recordKey(schedules[i].stages), i);
    const std::vector<RefusedStage> &refused = replay->latencies.refused;
    for (std::size_t i = 0; i < refused.size(); ++i)
        replay->refusedByKey.emplace(recordKey(refused[i].stage.strategy, refused[i].stage.groups), i);
    return std::make_unique<RecordedDevice>(std::move(id), std::move(replay));
}

Result<std::unique_ptr<Device>> openRecordedDevice(const std::string &path)
{
    auto text = readInputFile(path, kMaxFileBytes, ReadFrom::FilesAndPipes);
    if (!text)
        return within(path, std::move(text.error()));
    Result<RecordedLatencies> latencies = recordedLatenciesFromText(*text);
    if (!latencies)
        return within(path, latencies.error());
    return makeRecordedDevice("rec:" + path, std::move(*latencies));
}

} // namespace stagecraft
