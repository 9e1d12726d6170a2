#include "flow/open/schedule_file.h"

#include "export/file_kind.h"
#include "flow/open/ios_schedule.h"
#include "model/ios_json.h"
#include "model/rewrite/cut_blocks.h"
#include "results/files/schedule_json.h"

#include <utility>

namespace stagecraft {
namespace {

Result<ScheduleWithBlocks> ofIosFile(const SourceGraph &source, const Graph &graph)
{
    Blocks usual = cutLongBlocks(graph, source.blocks);
    if (auto schedule = iosSchedule(source.iosStages, graph, usual))
        return ScheduleWithBlocks{std::move(*schedule), std::move(usual)};
    return iosScheduleWithBlocks(source.iosStages, graph);
}

Result<ScheduleWithBlocks> ofUnion(const std::string &text, const Model &model)
{
    return scheduleWithBlocksFromJson(text, *model.graph, model.blocks, model.reference());
}

} // namespace

Result<TimedSchedule> scheduleFromFile(const std::string &text, const Model &model)
{
    const ModelReference reference = model.reference();
    if (!model.parts.empty())
        return ofUnion(text, model).map([](ScheduleWithBlocks read) { return std::move(read.schedule); });
    if (fileKindOfText(text) != FileKind::IosJson)
        return scheduleFromJson(text, *model.graph, model.blocks, reference);
    TRY_AS(const auto stages, iosStagesFrom(text));
    return iosSchedule(stages, *model.graph, model.blocks).map([&](TimedSchedule schedule) {
        schedule.context.model = reference;
        return schedule;
    });
}

Result<TimedSchedule> scheduleAndBlocksFromFile(const std::string &text, Model &model)
{
    if (model.parts.empty())
        return scheduleFromFile(text, model);
    TRY_AS(auto read, ofUnion(text, model));
    model.blocks = std::move(read.blocks);
    return std::move(read.schedule);
}

std::optional<TimedSchedule> embeddedSchedule(const SourceGraph &source, Model &model)
{
    if (source.schedule.empty() && source.iosStages.empty())
        return std::nullopt;
    const ModelReference reference = model.reference();
    auto read = source.iosStages.empty()
                    ? scheduleWithBlocksFromJson(source.schedule, *model.graph, cutBlocks(*model.graph), reference)
                    : ofIosFile(source, *model.graph);
    if (!read) {
        model.report.notes.push_back({ImportNote::Severity::Warning, {}, scheduleNote(read.error())});
        return std::nullopt;
    }
    read->schedule.context.model = reference;
    model.blocks = std::move(read->blocks);
    return std::move(read->schedule);
}

} // namespace stagecraft
