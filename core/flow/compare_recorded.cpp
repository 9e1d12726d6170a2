#include "flow/compare_recorded.h"

#include "device/onnxruntime/onnxruntime_options.h"
#include "device/recorded/profile_device.h"
#include "device/simulated/simulated_options.h"
#include "export/file_kind.h"
#include "export/schedule_tables.h"
#include "flow/import_profile.h"
#include "flow/open/schedule_file.h"
#include "flow/profile/operator_runs.h"
#include "flow/profiled_schedule.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "timing/profile_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace stagecraft {
namespace {

std::vector<std::string> pathsIn(const std::string &name)
{
    std::error_code none;
    if (name.find(',') == std::string::npos || std::filesystem::exists(name, none))
        return {name};
    std::vector<std::string> paths;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find(',', at), name.size());
        paths.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    return paths;
}

bool isSchedule(const ProfileFile &file)
{
    const FileKind kind = fileKindOfText(file.bytes);
    return kind == FileKind::Schedule || kind == FileKind::IosJson;
}

// Runs that took no time are no latencies.
Repeats repeatsOf(const TimedSchedule &schedule, std::vector<double> runsUs)
{
    if (std::ranges::any_of(runsUs, [](double us) { return us <= 0; }))
        runsUs.clear();
    return {*schedule.measured.whole, std::move(runsUs)};
}

Result<RecordedResult> checked(RecordedResult result)
{
    const auto latencyUs = result.schedule->latencyUs();
    if (latencyUs && *latencyUs > 0)
        return result;
    return refused("it has no latency of the whole",
                   "Measure the schedule and write it again: optimize or edit with -d DEVICE and -o FILE");
}

Result<RecordedResult> ofSchedule(const RecordedFile &file, const Model &model)
{
    TRY_AS(auto read, scheduleFromFile(file.files.front().bytes, model));
    RecordedResult result{file.name, std::make_shared<const TimedSchedule>(std::move(read)), {}, {}, {}};
    TRY_AS(result, checked(std::move(result)));
    result.repeats = repeatsOf(*result.schedule, {});
    result.runs = operatorRuns(*model.graph, *result.schedule);
    if (const auto &profile = result.schedule->measured.profile)
        result.source = profile->program;
    return result;
}

Result<RecordedResult> ofProfile(RecordedFile file, const Model &model, const std::stop_token &stop)
{
    TRY_AS(const auto imported, importProfile(model, std::move(file.files), stop));
    TRY_AS(auto schedule, profiledSchedule(model, imported));
    RecordedResult result{
        file.name, std::make_shared<const TimedSchedule>(std::move(schedule)), {}, {}, imported.profile.program};
    TRY_AS(result, checked(std::move(result)));
    result.repeats = repeatsOf(*result.schedule, imported.times.runsUs);
    result.runs = operatorRuns(imported, model.graph->size());
    return result;
}

// Without the options behind its name, which say how it runs.
std::string deviceAlone(std::string id)
{
    constexpr std::string_view kSimulated = "sim:";
    constexpr std::string_view kGpu = "gpu:";
    if (isProfileDevice(id))
        id.resize(id.size() - kOfProfile.size());
    if (id.starts_with(kSimulated)) {
        const SimulatedName name = simulatedName(id.substr(kSimulated.size()));
        return std::string(kSimulated) + name.device + name.changes;
    }
    if (id.starts_with(kGpu))
        return id.substr(0, id.find(':', kGpu.size()));
    return isOnnxRuntime(id) ? "onnxruntime" : id;
}

class ContextDifferences {
public:
    ContextDifferences(const RecordedResult &before, const RecordedResult &after)
        : m_before(*before.schedule), m_after(*after.schedule)
    {
        const RunContext &one = m_before.context;
        const RunContext &other = m_after.context;
        const bool isSimulated = m_before.hasExactLatencies() && m_after.hasExactLatencies();
        const bool areDevicesKnown = one.device != profileDeviceId({}) && other.device != profileDeviceId({});
        const bool isSameDevice = deviceAlone(one.device) == deviceAlone(other.device);
        if (!one.isOnSameDevice(other))
            add(isSameDevice ? "options of the device" : "device", one.device, other.device,
                areDevicesKnown && !isSameDevice);
        add("batch", fmt::format("{}", one.batch), fmt::format("{}", other.batch), true);
        add("provenance", provenanceOf(m_before), provenanceOf(m_after), true);
        add("kind of latency", kindOf(m_before), kindOf(m_after), true);
        add("precision", one.precision, other.precision, false);
        add(isSimulated ? "simulator" : "driver", one.deviceVersion, other.deviceVersion, isSimulated);
        add("file of the model", one.model.sha256, other.model.sha256, false);
        add("recorded by", before.source, after.source, false);
        if (!m_before.isOfProfile() && !m_after.isOfProfile()) // which say no more than what overlapped
            add("order", orderText(m_before), orderText(m_after), false);
    }

    std::vector<ContextDifference> all;

private:
    static std::string kindOf(const TimedSchedule &schedule)
    {
        return schedule.measured.isSumOfStages() ? "sum of stages" : "whole schedule";
    }

    // What a file does not say is not different.
    void add(const char *what, const std::string &before, const std::string &after, bool forbids)
    {
        const auto isSaid = [](const std::string &text) { return !text.empty() && text != kPrecisionNotStated; };
        if (before != after && isSaid(before) && isSaid(after))
            all.push_back({what, before, after, forbids});
    }

    const TimedSchedule &m_before;
    const TimedSchedule &m_after;
};

RecordedChange changeOf(const Graph &graph, const RecordedResult &before, const RecordedResult &after,
                        std::size_t comparisons)
{
    RecordedChange change{ContextDifferences(before, after).all, {}, {}};
    if (!change.isComparable()) {
        change.operators = operatorChanges(graph, before.runs, after.runs, OperatorTimes::NotComparable);
        return change;
    }
    const bool areExact = before.schedule->hasExactLatencies(); // and the other's: their provenance is the same
    change.operators =
        operatorChanges(graph, before.runs, after.runs, areExact ? OperatorTimes::Exact : OperatorTimes::Repeated);
    if (areExact)
        change.judged = {judgeExact(before.repeats.timing.latencyUs, after.repeats.timing.latencyUs), JudgedBy::Exact};
    else
        change.judged = judgeRepeats(before.repeats, after.repeats, comparisons);
    return change;
}

} // namespace

Result<RecordedFile> openRecordedFile(const std::string &name, const std::stop_token &stop)
{
    RecordedFile opened{name, {}, false, {}};
    for (const std::string &path : pathsIn(name)) {
        TRY_AS(auto file, openProfileFile(path, stop));
        const bool isProfile = readerOf(file.bytes) != nullptr;
        if (!isProfile && !isSchedule(file))
            return within(path,
                          fail(ErrorCode::InvalidInput, "it is neither a schedule file nor a profile",
                               "Give schedule files with latencies, or profiles of PyTorch, ONNX Runtime, TensorRT or "
                               "Nsight Systems")
                              .value());
        if (!opened.files.empty() && !(isProfile && opened.isProfile))
            return within(path, fail(ErrorCode::InvalidInput, "only the files of one profile are named together",
                                     "Name schedule files one by one, without commas")
                                    .value());
        opened.isProfile = isProfile;
        if (!isProfile)
            opened.model = modelOfSchedule(file.bytes);
        opened.files.push_back(std::move(file));
    }
    return opened;
}

Result<RecordedResult> recordedResult(RecordedFile file, const Model &model, const std::stop_token &stop)
{
    const std::string path = file.path();
    auto result = file.isProfile ? ofProfile(std::move(file), model, stop) : ofSchedule(file, model);
    if (result || result.error().code == ErrorCode::Cancelled)
        return result;
    const bool isNamed = !result.error().context.empty() && result.error().context.front() == path;
    return isNamed ? result : within(path, std::move(result.error()));
}

RecordedComparison compareRecorded(const Model &model, std::vector<RecordedResult> results)
{
    RecordedComparison comparison{model.name, {}, {}};
    for (std::size_t i = 1; i < results.size(); ++i)
        comparison.changes.push_back(changeOf(*model.graph, results.front(), results[i], results.size() - 1));
    comparison.results = std::move(results);
    return comparison;
}

} // namespace stagecraft
