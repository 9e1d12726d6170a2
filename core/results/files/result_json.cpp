#include "results/files/result_json.h"

#include "results/files/block_search_json.h"
#include "results/files/result_record.h"
#include "results/files/schedule_parts.h"
#include "support/records/json_record.h"
#include "timing/timing_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Reads an optional list of objects.
template <typename Read>
Result<void> readList(const Json &object, const char *key, const std::string &where, const Read &read)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return {};
    if (!found->is_array())
        return refuseAt(where, fmt::format("\"{}\" is not a list", key));
    for (std::size_t i = 0; i < found->size(); ++i) {
        const std::string place = fmt::format("{} {}", key, i + 1);
        if (!(*found)[i].is_object())
            return refuseAt(place, "is not a JSON object");
        if (Result<void> one = read((*found)[i], place); !one)
            return one;
    }
    return {};
}

Result<void> readRounds(const Json &object, const std::string &where, std::vector<double> &roundsUs)
{
    const auto found = object.find("rounds_us");
    if (found == object.end())
        return {};
    if (!found->is_array())
        return refuseAt(where, "\"rounds_us\" is not a list");
    for (const Json &us : *found) {
        if (!us.is_number() || us.get<double>() <= 0)
            return refuseAt(where, "\"rounds_us\" has " + us.dump() + ", not a number above 0");
        roundsUs.push_back(us.get<double>());
    }
    return {};
}

Result<void> readMeasurement(const Json &json, const std::string &where, Measurement &measurement)
{
    TRY(readMembers(json, where, measurement));
    const double us = measurement.whole->latencyUs;
    if (us < 0)
        return refuseAt(where, "\"us\" is negative");
    measurement.whole = Timing::ofLatency(us);
    if (const auto timing = json.find("timing"); timing != json.end() && timing->is_object()) {
        auto read = timingFrom(*timing);
        if (!read)
            return within(where, std::move(read.error()));
        if (*read)
            measurement.whole = **read;
    }
    return readRounds(json, where, measurement.roundsUs);
}

Result<void> readStage(const Json &json, const std::string &where, const OperatorNames &names, Stage &stage)
{
    ObjectReader reader(json, where);
    readMember(reader, {"strategy"}, stage.strategy);
    TRY(reader.result());
    if (auto read = readGroups(json, names, stage); !read)
        return within(where, std::move(read.error()));
    return {};
}

Result<void> readPin(const Json &json, const std::string &where, const OperatorNames &names, Stage &pin)
{
    ObjectReader reader(json, where);
    reader.required("block", pin.block);
    return reader.result().and_then([&] { return readStage(json, where, names, pin); });
}

Result<void> readRunnerUp(const Json &json, const std::string &where, std::size_t block, const OperatorNames &names,
                          RunnerUp &runnerUp)
{
    runnerUp.stage.block = block;
    if (auto read = readStage(json, where, names, runnerUp.stage); !read)
        return read;
    return readMembers(json, where, runnerUp);
}

Result<void> readBlock(const Json &json, const std::string &where, const OperatorNames &names, BlockSearch &block)
{
    TRY(readMembers(json, where, block));
    auto read = readList(json, "runners_up", where, [&](const Json &one, const std::string &place) {
        return readRunnerUp(one, place, block.block, names, block.runnersUp.emplace_back());
    });
    if (!read)
        return within(where, std::move(read.error()));
    return {};
}

Result<void> readModel(const Json &json, const std::string &where, ModelShare &share)
{
    TRY(readMembers(json, where, share));
    if (!(share.endsAt > 0 && share.endsAt <= 1) || !(share.aloneUs > 0))
        return refuseAt(where, "\"ends_at_share\" is no share of the latency, or \"alone_us\" is not above 0");
    return {};
}

// The members outside the schedule.
Result<void> readFacts(const Json &json, ScheduleResult &result)
{
    const std::string where = "result";
    TRY(readMembers(json, where, result));
    if (result.id == ResultId{0} || !result.id.isValid())
        return refuseAt(where, "\"id\" is not a number from 1");
    return {};
}

Result<void> readSchedule(const Json &json, const OperatorNames &names, ScheduleResult &result)
{
    const auto asked = json.find("asked");
    if (asked == json.end())
        return refuseAt("result", "\"asked\" is missing");
    TRY_AS(auto record, searchFrom(*asked));
    result.asked = std::move(record);
    const auto found = json.find("schedule");
    if (found == json.end() || found->is_null())
        return {};
    TRY_AS(auto schedule, scheduleFrom(*found, names, result.settings.model));
    result.schedule = std::make_shared<const TimedSchedule>(std::move(schedule));
    return {};
}

} // namespace

OrderedJson resultJson(const ScheduleResult &result, std::size_t model, const OperatorNames &names)
{
    OrderedJson json{{"id", result.id.value}, {"model", model}};
    writeMembers(json, result);
    for (const Stage &pin : result.pins)
        json["pinned_stages"].push_back(jsonOf(namedStage(names, pin)));
    if (result.schedule)
        json["schedule"] = scheduleJson(names, *result.schedule);
    for (const BlockSearch &block : result.blocks)
        json["blocks"].push_back(blockSearchJson(block, names));
    for (const ModelShare &share : result.models)
        json["models"].push_back(jsonOf(share));
    for (const Measurement &measurement : result.measurements)
        json["measurements"].push_back(jsonOf(measurement));
    return json;
}

Result<ScheduleResult> resultFrom(const Json &json, const std::vector<SessionModelPtr> &models,
                                  const std::vector<OperatorNames> &names)
{
    ScheduleResult result;
    std::size_t model = 0;
    ObjectReader reader(json, "result");
    reader.required("model", model);
    TRY(reader.result());
    if (model >= models.size())
        return refuseAt("result", fmt::format("\"model\" is {}, and there are {} models", model, models.size()));
    result.settings.model = models[model]->reference;
    result.settings.batch = models[model]->batch;
    TRY(readFacts(json, result)
            .and_then([&] { return readSchedule(json, names[model], result); })
            .and_then([&] {
                return readList(json, "blocks", "result", [&](const Json &one, const std::string &where) {
                    return readBlock(one, where, names[model], result.blocks.emplace_back());
                });
            })
            .and_then([&] {
                return readList(json, "pinned_stages", "result", [&](const Json &one, const std::string &where) {
                    return readPin(one, where, names[model], result.pins.emplace_back());
                });
            })
            .and_then([&] {
                return readList(json, "models", "result", [&](const Json &one, const std::string &where) {
                    return readModel(one, where, result.models.emplace_back());
                });
            })
            .and_then([&] {
                return readList(json, "measurements", "result", [&](const Json &one, const std::string &where) {
                    return readMeasurement(one, where, result.measurements.emplace_back());
                });
            }));
    const bool isStated = result.origin == Origin::Stated;
    if (isStated && (result.schedule || result.measurements.size() != 1))
        return refuseAt("result", "it is stated, so it has one latency and no schedule");
    if (!result.schedule && !isStated && result.state == ResultState::Done)
        return refuseAt("result", "it is done, but has no schedule");
    if (!result.schedule && !isStated)
        result.measurements.clear();
    return result;
}

} // namespace stagecraft
