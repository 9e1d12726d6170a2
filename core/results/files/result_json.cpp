#include "results/files/result_json.h"

#include "results/files/block_search_json.h"
#include "results/files/schedule_parts.h"
#include "support/records/json_record.h"
#include "timing/timing_json.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

template <typename Value>
struct Word {
    Value value;
    std::string_view text;
};

constexpr auto kOrigins = std::to_array<Word<Origin>>({{Origin::Baseline, "baseline"},
                                                       {Origin::Searched, "searched"},
                                                       {Origin::Edited, "edited"},
                                                       {Origin::OpenedFile, "opened"},
                                                       {Origin::OtherDevice, "other device"},
                                                       {Origin::Published, "published"},
                                                       {Origin::Layouts, "layouts"},
                                                       {Origin::Stated, "stated"}});
constexpr auto kStates = std::to_array<Word<ResultState>>({{ResultState::Waiting, "waiting"},
                                                           {ResultState::Running, "running"},
                                                           {ResultState::Done, "done"},
                                                           {ResultState::Failed, "failed"}});
constexpr auto kHows = std::to_array<Word<MeasuredHow>>(
    {{MeasuredHow::SumOfStages, "sum of stages"}, {MeasuredHow::Alone, "alone"}, {MeasuredHow::InRounds, "in rounds"}});
constexpr auto kStrategies =
    std::to_array<Word<Strategy>>({{Strategy::Concurrent, "concurrent"}, {Strategy::Merge, "merge"}});
constexpr auto kProvenances = std::to_array<Word<Provenance>>({{Provenance::Measured, "measured"},
                                                               {Provenance::Recorded, "recorded"},
                                                               {Provenance::Simulated, "simulated"},
                                                               {Provenance::Assumed, "assumed"}});

template <typename Value, std::size_t count>
std::string_view wordFor(const std::array<Word<Value>, count> &table, Value value)
{
    for (const auto &[each, word] : table) {
        if (each == value)
            return word;
    }
    return {};
}

template <typename Value, std::size_t count>
Result<void> readWord(const Json &object, const char *key, const std::string &where,
                      const std::array<Word<Value>, count> &table, Value &value)
{
    std::string text;
    ObjectReader reader(object, where);
    reader.required(key, text);
    if (auto result = reader.result(); !result)
        return result;
    std::string known;
    for (const auto &[each, word] : table) {
        if (word == text) {
            value = each;
            return {};
        }
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    return refuseAt(where, fmt::format(R"("{}" is "{}", not one of {})", key, text, known));
}

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

void addUnlessEmpty(OrderedJson &json, const char *key, const std::string &text)
{
    if (!text.empty())
        json[key] = text;
}

OrderedJson measurementJson(const ResultMeasurement &measurement)
{
    OrderedJson json{{"how", wordFor(kHows, measurement.how)},
                     {"us", measurement.timing.latencyUs},
                     {"provenance", toString(measurement.provenance)},
                     {"at", measurement.atSeconds}};
    if (measurement.timing != Timing::ofLatency(measurement.timing.latencyUs))
        json["timing"] = timingJson(measurement.timing);
    if (measurement.roundGroup != 0)
        json["session"] = measurement.roundGroup;
    if (!measurement.roundsUs.empty())
        json["rounds_us"] = measurement.roundsUs;
    if (measurement.secondsPerRound != 0)
        json["seconds_per_round"] = measurement.secondsPerRound;
    return json;
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

Result<void> readMeasurement(const Json &json, const std::string &where, ResultMeasurement &measurement)
{
    ObjectReader reader(json, where);
    double us = 0;
    reader.required("us", us);
    reader.optional("at", measurement.atSeconds);
    reader.optional("session", measurement.roundGroup);
    reader.optional("seconds_per_round", measurement.secondsPerRound);
    if (auto result = reader.result(); !result)
        return result;
    if (us < 0)
        return refuseAt(where, "\"us\" is negative");
    measurement.timing = Timing::ofLatency(us);
    if (const auto timing = json.find("timing"); timing != json.end() && timing->is_object()) {
        auto read = timingFrom(*timing);
        if (!read)
            return within(where, std::move(read.error()));
        if (*read)
            measurement.timing = **read;
    }
    if (auto how = readWord(json, "how", where, kHows, measurement.how); !how)
        return how;
    if (auto provenance = readWord(json, "provenance", where, kProvenances, measurement.provenance); !provenance)
        return provenance;
    return readRounds(json, where, measurement.roundsUs);
}

Result<void> readStage(const Json &json, const std::string &where, const OperatorNames &names, Stage &stage)
{
    if (auto strategy = readWord(json, "strategy", where, kStrategies, stage.strategy); !strategy)
        return strategy;
    auto groups = groupsFrom(json, names);
    if (!groups)
        return within(where, std::move(groups.error()));
    stage.groups = std::move(*groups);
    stage = normalized(std::move(stage));
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

// The members outside the schedule.
Result<void> readFacts(const Json &json, ScheduleResult &result)
{
    const std::string where = "result";
    std::uint32_t id = ResultId::kInvalid;
    std::uint32_t from = ResultId::kInvalid;
    ObjectReader reader(json, where);
    reader.required("id", id);
    reader.required("device", result.settings.device);
    reader.optional("device_version", result.settings.deviceVersion);
    reader.optional("precision", result.settings.precision);
    reader.required("title", result.title);
    reader.optional("from", from);
    reader.optional("source", result.source);
    reader.optional("made_at", result.madeAtSeconds);
    reader.optional("trouble", result.trouble);
    reader.optional("name", result.name);
    reader.optional("note", result.note);
    reader.optional("pinned", result.isPinned);
    if (auto read = reader.result(); !read)
        return read;
    if (id == 0 || id == ResultId::kInvalid)
        return refuseAt(where, "\"id\" is not a number from 1");
    result.id = ResultId{id};
    result.from = ResultId{from};
    if (auto origin = readWord(json, "origin", where, kOrigins, result.origin); !origin)
        return origin;
    return readWord(json, "state", where, kStates, result.state);
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
    result.schedule = std::make_shared<const Schedule>(std::move(schedule));
    return {};
}

} // namespace

OrderedJson resultJson(const ScheduleResult &result, std::size_t model, const OperatorNames &names)
{
    OrderedJson json{{"id", result.id.value},
                     {"model", model},
                     {"device", result.settings.device},
                     {"device_version", result.settings.deviceVersion},
                     {"precision", result.settings.precision},
                     {"origin", wordFor(kOrigins, result.origin)},
                     {"state", wordFor(kStates, result.state)},
                     {"title", result.title},
                     {"made_at", result.madeAtSeconds},
                     {"asked", searchRecordJson(result.asked)}};
    if (result.from.isValid())
        json["from"] = result.from.value;
    for (const auto &[key, text] : {std::pair{"source", &result.source}, std::pair{"trouble", &result.trouble},
                                    std::pair{"name", &result.name}, std::pair{"note", &result.note}})
        addUnlessEmpty(json, key, *text);
    if (result.isPinned)
        json["pinned"] = true;
    for (const Stage &pin : result.pins)
        json["pinned_stages"].push_back(jsonOf(namedStage(names, pin)));
    if (result.schedule)
        json["schedule"] = scheduleJson(names, *result.schedule);
    for (const BlockSearch &block : result.blocks)
        json["blocks"].push_back(blockSearchJson(block, names));
    for (const ResultMeasurement &measurement : result.measurements)
        json["measurements"].push_back(measurementJson(measurement));
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
