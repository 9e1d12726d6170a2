#include "cli/schedule_names.h"

#include "cli/command_line.h"
#include "flow/open/schedule_file.h"
#include "flow/open_model.h"
#include "schedule/streams/require_stages.h"
#include "support/closest_name.h"
#include "support/error_text.h"
#include "support/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace stagecraft {
namespace {

std::vector<std::string> kindNames()
{
    std::vector<std::string> names;
    for (const ScheduleKind kind : kScheduleKinds)
        names.emplace_back(toString(kind));
    return names;
}

// The schedule for the model as it is open. `origin` names it, for people.
Result<TimedSchedule> usedBy(const Model &model, const std::string &origin, Result<TimedSchedule> schedule)
{
    if (!schedule)
        return schedule;
    if (schedule->isOfProfile() && schedule->context.batch != model.graph->batch())
        return refuseBatchOfProfile(schedule->context.batch, model);
    if (schedule->context.batch != model.graph->batch())
        std::cerr << "note: " << origin << " was made for batch " << schedule->context.batch
                  << ", but is used at batch " << model.graph->batch() << '\n';
    schedule->context.model = model.reference();
    schedule->context.batch = model.graph->batch();
    return schedule;
}

// A recording has limited contents; the schedules that it has are still compared.
bool isNotRecorded(const Error &error, const DeviceInfo &device)
{
    return device.provenance == Provenance::Recorded && error.code == ErrorCode::DeviceFailed;
}

} // namespace

tl::unexpected<Error> refuseBatchOfProfile(std::int64_t recorded, const Model &model)
{
    return fail(ErrorCode::WrongUse,
                fmt::format("the latencies of the profile were recorded at batch {}, and {} is open at batch {}",
                            recorded, model.name, model.graph->batch()),
                fmt::format("Use --batch {}", recorded));
}

bool isScheduleFile(const std::string &spec)
{
    std::error_code error;
    return spec.find_first_of("./") != std::string::npos || std::filesystem::exists(spec, error);
}

Result<TimedSchedule> readScheduleFile(const std::string &file, const Model &model)
{
    TRY_AS(const auto text, readTextFile(file));
    auto read = scheduleFromFile(text, model);
    if (!read)
        return within(file, std::move(read.error()));
    return usedBy(model, file, std::move(read));
}

Result<TimedSchedule> embeddedSchedule(const OpenedModel &opened)
{
    if (opened.embedded)
        return *opened.embedded;
    return fail(
        ErrorCode::WrongUse, "--schedule embedded: " + opened.model.source + " has no schedule in it",
        "Use sequential, greedy or a schedule file; export --format onnx and ios-json write models with a schedule");
}

Result<void> checkScheduleName(const std::string &spec, const std::vector<std::string> &names)
{
    if (std::ranges::find(names, spec) != names.end() || isScheduleFile(spec))
        return {};
    return fail(ErrorCode::WrongUse,
                "--schedule: there is no schedule and no file named " + (spec.empty() ? "\"\"" : spec),
                didYouMean(spec, names) + "Use " + listed(names) + " or a schedule file");
}

Result<void> checkKnownSchedule(const std::string &spec)
{
    const auto kind = scheduleKindFromString(spec);
    if (!isScheduleFile(spec) && (streamKindFromString(spec) || kind == ScheduleKind::Wavefront))
        return fail(ErrorCode::WrongUse, "--schedule: " + spec + " is made for a device first",
                    "Use optimize --strategy " + spec + " -o FILE, then --schedule FILE; compare --schedule " + spec +
                        " does both");
    if (!isScheduleFile(spec) && kind && *kind != ScheduleKind::Sequential && *kind != ScheduleKind::Greedy)
        return fail(ErrorCode::WrongUse, "--schedule: " + spec + " has to be searched for first",
                    "Use optimize --strategy " + spec.substr(spec.find('-') + 1) +
                        " -o FILE, then --schedule FILE; compare --schedule " + spec + " does both");
    return checkScheduleName(spec, {"sequential", "greedy", kEmbeddedSchedule});
}

Result<std::vector<ComparedSchedule>> comparedSchedules(const std::vector<std::string> &names,
                                                        const OpenedModel &opened)
{
    const Model &model = opened.model;
    std::vector<ComparedSchedule> compared;
    for (const std::string &name : names) {
        if (std::ranges::find(compared, name, &ComparedSchedule::name) != compared.end())
            return fail(ErrorCode::WrongUse, "--schedule: " + name + " is given twice", "Give every schedule once");
        if (const auto kind = scheduleKindFromString(name)) {
            compared.push_back({name, std::string(title(*kind)), kind, {}});
            continue;
        }
        if (const auto streams = streamKindFromString(name)) {
            compared.push_back({name, std::string(title(*streams)), std::nullopt, {}, streams});
            continue;
        }
        std::vector<std::string> known = kindNames();
        for (const StreamKind kind : kStreamKinds)
            known.emplace_back(toString(kind));
        for (const ScheduleKind kind : kFusingKinds)
            known.emplace_back(toString(kind));
        known.emplace_back(kEmbeddedSchedule);
        TRY(checkScheduleName(name, known));
        TRY_AS(auto read, name == kEmbeddedSchedule
                              ? usedBy(model, "the schedule in " + model.source, embeddedSchedule(opened))
                              : readScheduleFile(name, model));
        compared.push_back({name, name, std::nullopt, std::move(read)});
    }
    return compared;
}

Result<void> requireStages(const ComparedSchedule &compared, std::string_view what)
{
    if (!compared.streams)
        return requireStages(compared.read, what);
    return fail(ErrorCode::WrongUse,
                fmt::format("{} takes schedules with stages, and {} has streams", what, compared.name),
                "Leave " + compared.name + " out");
}

std::vector<std::string> comparedUnlessTold(const DeviceSession &session)
{
    if (session.measuresStages())
        return kindNames();
    std::vector<std::string> names{std::string(toString(ScheduleKind::Sequential)),
                                   std::string(toString(ScheduleKind::Greedy))};
    for (const StreamKind kind : {StreamKind::ByDepth, StreamKind::Searched})
        names.emplace_back(toString(kind));
    return names;
}

std::size_t baselinesOf(const std::vector<ComparedSchedule> &shown)
{
    const auto isBaseline = [](const ComparedSchedule &one) {
        return one.kind == ScheduleKind::Sequential || one.kind == ScheduleKind::Greedy;
    };
    return static_cast<std::size_t>(std::ranges::find_if_not(shown, isBaseline) - shown.begin());
}

Result<FoundSchedule> makeCompared(const ComparedSchedule &compared, const Model &model, DeviceSession &session,
                                   const DeviceInfo &device, const SearchOptions &search, const std::stop_token &stop)
{
    if (compared.kind)
        return findSchedule(model, session, device, {*compared.kind, search},
                            {terminalProgress(compared.title, device.provenance, latencyBasis(model, device))}, stop);
    if (compared.streams)
        return findSchedule(model, session, device,
                            {.options = search, .streams = StreamsWanted{.kind = *compared.streams}},
                            {terminalProgress(compared.title, device.provenance, latencyBasis(model, device))}, stop);
    FoundSchedule made;
    made.schedule = compared.read;
    if (made.schedule.isOfProfile())
        return made;           // as it was recorded
    made.schedule.search = {}; // the cost of an earlier search is not part of this comparison
    if (auto measured = measureInto(made.schedule, model, session, device, stop); !measured)
        return withinModel(model, std::move(measured.error()));
    return made;
}

Result<MadeSchedules> makeAllCompared(const std::vector<ComparedSchedule> &compared, const Model &model,
                                      DeviceSession &session, const DeviceInfo &device, const SearchOptions &search,
                                      const std::stop_token &stop)
{
    MadeSchedules all;
    for (const ComparedSchedule &which : compared) {
        auto one = makeCompared(which, model, session, device, search, stop);
        clearProgress();
        if (stop.stop_requested() && !all.made.empty())
            break; // show those that are done
        if (!one && isNotRecorded(one.error(), device)) {
            std::cerr << "note: " << which.title << " is left out: " << errorText(one.error()) << '\n';
            continue;
        }
        TRY(one);
        tellRefusals(one->refusal, one->schedule, which.title);
        all.made.push_back(std::move(*one));
        all.which.push_back(which);
    }
    return all;
}

} // namespace stagecraft
