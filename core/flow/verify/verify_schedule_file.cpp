#include "flow/verify/verify_schedule_file.h"

#include "export/file_kind.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/open/ios_schedule.h"
#include "flow/open/schedule_file.h"
#include "flow/verify/verify_program.h"
#include "model/ios_json.h"
#include "plan/memory_use.h"
#include "plan/planned_program.h"
#include "results/files/schedule_json.h"
#include "schedule/streams/stream_events.h"
#include "schedule/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft {
namespace {

// Of the file, as far as it can be read; an illegal one of the IOS project cannot.
Result<TimedSchedule> readSchedule(const std::string &text, const Model &model)
{
    if (fileKindOfText(text) != FileKind::IosJson)
        return unverifiedScheduleFromJson(text, *model.graph, {model.name, model.sha256});
    TRY_AS(const auto stages, iosStagesFrom(text));
    return iosSchedule(stages, *model.graph, model.blocks);
}

// With every wait that edges need besides its own.
TimedSchedule withAllWaits(const Graph &graph, TimedSchedule schedule)
{
    const Streams needed = withNeededEvents(graph, *schedule.streams);
    for (std::size_t i = 0; i < needed.launches.size(); ++i) {
        auto &waits = schedule.streams->launches[i].waits;
        for (const std::uint32_t before : needed.launches[i].waits) {
            if (!std::ranges::binary_search(waits, before))
                waits.insert(std::ranges::upper_bound(waits, before), before);
        }
    }
    return schedule;
}

// What is wrong with it but for waits that are missing.
Result<void> checkLegality(const Model &model, const TimedSchedule &schedule)
{
    return verifySchedule(*model.graph, model.blocks,
                          schedule.streams ? withAllWaits(*model.graph, schedule) : schedule);
}

std::string reasonOf(const Error &error)
{
    return fmt::format("{}{}{}", fmt::join(error.context, ": "), error.context.empty() ? "" : ": ", error.message);
}

} // namespace

Result<VerifiedPlan> verifyPlannedSchedule(const TimedSchedule &schedule, const Model &model,
                                           const std::stop_token &stop)
{
    const Graph &graph = *model.graph;
    if (const auto legal = checkLegality(model, schedule); !legal) {
        VerifiedPlan verified;
        verified.faults.push_back({"illegal schedule", reasonOf(legal.error()), legal.error().remedy});
        verified.notShown.emplace_back("memory is planned for legal schedules only");
        return verified;
    }
    DeviceInfo device;
    device.precision = schedule.context.precision;
    const auto arranged = plan::plannedArena(graph, schedule, elementBytesOf(device));
    const plan::LaunchedProgram program = plan::plannedProgram(graph, schedule, arranged ? &*arranged : nullptr);
    TRY_AS(auto verified, verifyProgram(program, stop));
    const Synchronisation needs = synchronisationOf(schedule);
    verified.events = needs.events;
    verified.barriers = needs.barriers;
    if (arranged) {
        verified.buffers = static_cast<std::size_t>(
            std::ranges::count_if(arranged->buffers, [](const plan::BufferLife &buffer) { return buffer.bytes > 0; }));
        verified.sharingPairs = sharingPairs(program);
        verified.notShown.emplace_back("the workspace of kernels, which a schedule file does not state");
    } else {
        verified.notShown.push_back("memory: " + reasonOf(arranged.error()));
    }
    return verified;
}

Result<VerifiedPlan> verifyScheduleFile(const std::string &text, const Model &model, const std::stop_token &stop)
{
    if (!model.parts.empty()) {
        Model own = model; // with the blocks of the schedule, if it is legal with them
        if (const auto schedule = scheduleAndBlocksFromFile(text, own))
            return verifyPlannedSchedule(*schedule, own, stop);
    }
    TRY_AS(const auto schedule, readSchedule(text, model));
    return verifyPlannedSchedule(schedule, model, stop);
}

} // namespace stagecraft
