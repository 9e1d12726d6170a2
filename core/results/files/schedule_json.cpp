#include "results/files/schedule_json.h"

#include "results/files/reading_json.h"
#include "results/files/schedule_parts.h"
#include "schedule/edit/move_to_blocks.h"
#include "schedule/verify.h"
#include "support/json_depth.h"
#include "support/records/json_fault.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Null if the text is none.
Json parsed(std::string_view text)
{
    return nestsTooDeeply(text) ? Json() : Json::parse(text, nullptr, false);
}

} // namespace

std::optional<std::int64_t> batchOfSchedule(std::string_view text)
{
    const Json json = parsed(text);
    if (!json.is_object() || !json.contains("batch") || !json["batch"].is_number_unsigned() ||
        json["batch"].get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    return json["batch"].get<std::int64_t>();
}

std::optional<std::string> modelOfSchedule(std::string_view text)
{
    const Json json = parsed(text);
    const auto model = json.is_object() ? json.find("model") : json.end();
    if (!json.is_object() || model == json.end() || !model->is_object() || !model->contains("name") ||
        !(*model)["name"].is_string())
        return std::nullopt;
    return (*model)["name"].get<std::string>();
}

Reading readingOfSchedule(std::string_view text)
{
    const Json json = parsed(text);
    Reading reading;
    if (!json.is_object() || !json.contains("reading") || !readReading(json["reading"], reading))
        return {};
    return reading;
}

std::string toJson(const Graph &graph, const TimedSchedule &schedule)
{
    return toJson(OperatorNames(graph), schedule);
}

std::string toJson(const OperatorNames &names, const TimedSchedule &schedule)
{
    return scheduleJson(names, schedule).dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<TimedSchedule> unverifiedScheduleFromJson(std::string_view text, const Graph &graph, const ModelReference &model)
{
    if (nestsTooDeeply(text))
        return fail(ErrorCode::InvalidInput, "is not a schedule: its lists are within each other too deeply",
                    "Save the schedule again");
    try {
        return scheduleFrom(Json::parse(text), OperatorNames(graph), model);
    } catch (const Json::parse_error &error) {
        return fail(ErrorCode::InvalidInput, fmt::format("is not JSON: error at byte {}", error.byte),
                    "Save the schedule again");
    } catch (const Json::exception &error) {
        return fail(ErrorCode::InvalidInput, "is not a schedule: " + jsonFault(error), "Save the schedule again");
    }
}

namespace {

Result<Blocks> blocksOf(const Graph &graph, const TimedSchedule &schedule)
{
    Blocks blocks;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        if (stage.block >= schedule.stages.size())
            return within(fmt::format("stage {}", i + 1),
                          refused("its block has a number that no block can have").value());
        blocks.resize(std::max(blocks.size(), stage.block + 1));
        for (const auto &group : stage.groups)
            blocks[stage.block].operators.insert(blocks[stage.block].operators.end(), group.begin(), group.end());
    }
    for (Block &block : blocks)
        std::ranges::sort(block.operators);
    TRY(verifyBlocks(graph, blocks));
    return blocks;
}

} // namespace

Result<TimedSchedule> scheduleFromJson(std::string_view text, const Graph &graph, const Blocks &blocks,
                                       const ModelReference &model)
{
    auto schedule = unverifiedScheduleFromJson(text, graph, model);
    if (!schedule)
        return schedule;
    const Reading &madeWith = schedule->context.model.reading;
    if (madeWith.joinedAfter != model.reading.joinedAfter || madeWith.cutAfter != model.reading.cutAfter)
        schedule = movedToBlocks(graph, blocks, std::move(*schedule));
    if (!schedule)
        return schedule;
    TRY(verifySchedule(graph, blocks, *schedule));
    return schedule;
}

Result<ScheduleWithBlocks> scheduleWithBlocksFromJson(std::string_view text, const Graph &graph, const Blocks &usual,
                                                      const ModelReference &model)
{
    TRY_AS(auto schedule, unverifiedScheduleFromJson(text, graph, model));
    TRY_AS(auto blocks, schedule.streams ? Result<Blocks>(usual) : blocksOf(graph, schedule));
    TRY(verifySchedule(graph, blocks, schedule));
    return ScheduleWithBlocks{std::move(schedule), std::move(blocks)};
}

} // namespace stagecraft
