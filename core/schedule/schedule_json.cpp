#include "schedule/schedule_json.h"

#include "schedule/schedule_parts.h"
#include "schedule/verify.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace stagecraft {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

std::optional<std::int64_t> batchOfSchedule(std::string_view text)
{
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("batch") || !json["batch"].is_number_unsigned() ||
        json["batch"].get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    return json["batch"].get<std::int64_t>();
}

std::string toJson(const SearchRecord &search)
{
    return searchRecordJson(search).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string toJson(const Graph &graph, const Schedule &schedule)
{
    return toJson(OperatorNames(graph), schedule);
}

std::string toJson(const OperatorNames &names, const Schedule &schedule)
{
    return scheduleJson(names, schedule).dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<Schedule> scheduleFromJson(std::string_view text, const Graph &graph, const Blocks &blocks,
                                  const ModelReference &model)
{
    try {
        const Json json = Json::parse(text);
        auto schedule = scheduleFrom(json, OperatorNames(graph), model);
        if (!schedule)
            return schedule;
        if (auto legal = verifySchedule(graph, blocks, *schedule); !legal)
            return tl::unexpected(legal.error());
        return schedule;
    } catch (const Json::parse_error &error) {
        return fail(ErrorCode::InvalidInput, "is not JSON: error at byte " + std::to_string(error.byte),
                    "Save the schedule again");
    } catch (const Json::exception &error) {
        return fail(ErrorCode::InvalidInput, std::string("is not a schedule: ") + error.what());
    }
}

} // namespace stagecraft
