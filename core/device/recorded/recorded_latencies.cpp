#include "device/recorded/recorded_latencies.h"

#include "graph/graph.h"
#include "support/json_depth.h"
#include "timing/timing_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft {
namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "stagecraft-latencies";
constexpr int kVersion = 1;

Result<json> objectFrom(std::string_view line)
{
    if (nestsTooDeeply(line))
        return refused("its lists are within each other too deeply");
    json value = json::parse(line, nullptr, false);
    if (value.is_discarded())
        return refused("the line is not JSON");
    if (!value.is_object())
        return refused("the line is not a JSON object");
    return value;
}

Result<std::string> textOf(const json &object, const char *key)
{
    const auto found = object.find(key);
    if (found == object.end())
        return refused(fmt::format("the header lacks \"{}\"", key));
    if (!found->is_string())
        return refused(fmt::format("\"{}\" is not text", key));
    return found->get<std::string>();
}

std::string optionalText(const json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<std::optional<KitContext>> kitFrom(const json &header)
{
    const auto found = header.find("kit");
    if (found == header.end())
        return std::nullopt;
    if (!found->is_object())
        return refused("the header's \"kit\" is not a JSON object");
    const auto isUs = [&](const char *key) {
        return found->contains(key) && (*found)[key].is_number() && (*found)[key].get<double>() >= 0;
    };
    if (!isUs("barrier_us") || !isUs("chain_us"))
        return refused("the header's \"kit\" lacks barrier_us or chain_us, which are numbers of at least 0");
    const auto round = found->find("round");
    if (round == found->end() || !round->is_number_integer() || *round < json(1))
        return refused("the round of the header's \"kit\" is not a positive whole number");
    const auto chains = found->find("chains_add_up");
    return KitContext{optionalText(*found, "model_sha256"), round->get<std::int64_t>(),
                      BoundaryCost{(*found)["barrier_us"].get<double>(), (*found)["chain_us"].get<double>()},
                      chains != found->end() && *chains == json(true)};
}

Result<RecordedLatencies> headerFrom(const json &object)
{
    const auto format = object.find("format");
    if (format == object.end() || *format != json(kFormat))
        return refused("the first line does not say \"format\": \"stagecraft-latencies\"",
                       "give a .latencies.jsonl file, as stagecraft-cli latencies export writes it");
    const auto version = object.find("version");
    if (version == object.end() || !version->is_number_integer())
        return refused("the header lacks a version number");
    if (*version != json(kVersion))
        return refused(fmt::format("version {} of the format is not known, only version 1", version->dump()),
                       "open the file with a newer Stagecraft");
    RecordedLatencies header;
    for (const auto &[key, member] :
         {std::pair{"device", &RecordedLatencies::device}, std::pair{"precision", &RecordedLatencies::precision},
          std::pair{"model", &RecordedLatencies::model}}) {
        TRY_AS(auto text, textOf(object, key));
        header.*member = std::move(text);
    }
    const auto batch = object.find("batch");
    if (batch == object.end() || !batch->is_number_integer() || *batch < json(1))
        return refused("the header's batch is not a positive whole number");
    header.batch = batch->get<std::int64_t>();
    for (const auto &[key, member] :
         {std::pair{"fingerprint", &RecordedLatencies::fingerprint}, std::pair{"engine", &RecordedLatencies::deviceId}})
        header.*member = optionalText(object, key);
    TRY_AS(auto kit, kitFrom(object));
    header.kit = std::move(kit);
    return header;
}

Result<std::vector<std::vector<std::string>>> groupsFrom(const json &object)
{
    const auto groups = object.find("groups");
    if (groups == object.end() || !groups->is_array() || groups->empty())
        return refused("the stage has no groups");
    std::vector<std::vector<std::string>> names;
    std::unordered_set<std::string> seen;
    for (const json &group : *groups) {
        if (!group.is_array() || group.empty())
            return refused("a group of the stage has no operators");
        std::vector<std::string> &last = names.emplace_back();
        for (const json &name : group) {
            if (!name.is_string())
                return refused("an operator of the stage is not a name");
            last.push_back(name.get<std::string>());
            if (!seen.insert(last.back()).second)
                return refused("operator " + last.back() + " is in the stage twice");
        }
    }
    return names;
}

// Reads strategy and groups.
Result<RecordedStage> namedStageFrom(const json &object)
{
    RecordedStage stage;
    const auto strategyText = object.find("strategy");
    const std::optional<Strategy> strategy = strategyText != object.end() && strategyText->is_string()
                                                 ? strategyFromString(strategyText->get<std::string>())
                                                 : std::nullopt;
    if (!strategy)
        return refused("the stage's strategy is not \"concurrent\", \"merge\" or \"fused\"");
    stage.strategy = *strategy;
    TRY_AS(auto groups, groupsFrom(object));
    stage.groups = std::move(groups);
    return stage;
}

// `what` the timing belongs to, for errors: "stage", "schedule".
Result<Timing> requiredTiming(const json &object, const std::string &what)
{
    const auto latency = object.find("latency_us");
    if (latency == object.end() || !latency->is_number() || !(latency->get<double>() > 0))
        return refused("the " + what + "'s latency_us is not a positive number");
    auto timing = timingFrom(object);
    if (!timing)
        return refused("the " + what + "'s " + timing.error().message);
    return std::move(**timing);
}

Result<RecordedStage> stageFrom(const json &object)
{
    auto stage = namedStageFrom(object);
    if (!stage)
        return stage;
    TRY_AS(auto timing, requiredTiming(object, "stage"));
    stage->timing = std::move(timing);
    stage->signature = optionalText(object, "signature");
    return stage;
}

Result<RecordedSchedule> scheduleFrom(const json &object)
{
    const auto stages = object.is_object() ? object.find("stages") : object.end();
    if (!object.is_object() || stages == object.end() || !stages->is_array() || stages->empty())
        return refused("the schedule has no stages");
    RecordedSchedule schedule;
    std::unordered_set<std::string> seen;
    for (const json &each : *stages) {
        if (!each.is_object())
            return refused("a stage of the schedule is not a JSON object");
        TRY_AS(auto stage, namedStageFrom(each));
        for (const std::vector<std::string> &group : stage.groups) {
            for (const std::string &name : group) {
                if (!seen.insert(name).second)
                    return refused("operator " + name + " is in the schedule twice");
            }
        }
        schedule.stages.push_back(std::move(stage));
    }
    TRY_AS(auto whole, requiredTiming(object, "schedule"));
    schedule.whole = std::move(whole);
    return schedule;
}

Result<std::vector<RecordedSchedule>> schedulesFrom(const json &header)
{
    std::vector<RecordedSchedule> schedules;
    const auto list = header.find("schedules");
    if (list == header.end())
        return schedules;
    if (!list->is_array())
        return refused("\"schedules\" is not a list");
    std::unordered_map<std::string, double> latencyByKey;
    for (const json &object : *list) {
        auto schedule = scheduleFrom(object);
        if (schedule) {
            const auto [known, isNew] = latencyByKey.emplace(recordKey(schedule->stages), schedule->whole.latencyUs);
            if (!isNew && known->second != schedule->whole.latencyUs)
                schedule = refused("another schedule of the same stages has another latency", "keep one of the two");
        }
        if (!schedule)
            return within(fmt::format("schedule {}", schedules.size() + 1), schedule.error());
        schedules.push_back(std::move(*schedule));
    }
    return schedules;
}

std::string lineName(std::size_t line)
{
    return fmt::format("line {}", line);
}

} // namespace

Result<RecordedLatencies> recordedLatenciesFromText(std::string_view text)
{
    RecordedLatencies latencies;
    std::unordered_map<std::string, const RecordedStage *> firstByKey;
    std::vector<std::string> keys;
    std::size_t line = 0;
    bool headerRead = false;
    while (!text.empty()) {
        ++line;
        const std::size_t end = text.find('\n');
        const std::string_view content = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (content.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        const Result<json> object = objectFrom(content);
        if (!object && latencies.kit && end == std::string_view::npos) {
            latencies.cutLine = line;
            break;
        }
        if (!object)
            return within(lineName(line), object.error());
        if (!headerRead) {
            Result<RecordedLatencies> header = headerFrom(*object);
            if (!header)
                return within(lineName(line), header.error());
            latencies = std::move(*header);
            auto schedules = schedulesFrom(*object);
            if (!schedules)
                return within(lineName(line), schedules.error());
            latencies.schedules = std::move(*schedules);
            headerRead = true;
            continue;
        }
        if (latencies.kit && object->contains("refused")) {
            auto stage = namedStageFrom(*object);
            if (!stage)
                return within(lineName(line), stage.error());
            stage->line = line;
            latencies.refused.push_back({std::move(*stage), optionalText(*object, "refused")});
            continue;
        }
        Result<RecordedStage> stage = stageFrom(*object);
        if (!stage)
            return within(lineName(line), stage.error());
        stage->line = line;
        latencies.stages.push_back(std::move(*stage));
    }
    if (!headerRead)
        return refused("the file is empty", "Export the latencies again");
    for (const RecordedStage &stage : latencies.stages) {
        const auto [first, isNew] = firstByKey.emplace(recordKey(stage.strategy, stage.groups), &stage);
        if (!isNew && first->second->timing.latencyUs != stage.timing.latencyUs)
            return within(lineName(stage.line),
                          refused(fmt::format("the stage has another latency on line {}", first->second->line),
                                  "keep one of the two lines")
                              .value());
    }
    return latencies;
}

std::string toText(const RecordedLatencies &latencies)
{
    // Names come from model files: bytes that are not UTF-8 must not throw.
    const auto dump = [](const nlohmann::ordered_json &object) {
        return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
    };
    nlohmann::ordered_json header{{"format", kFormat},
                                  {"version", kVersion},
                                  {"device", latencies.device},
                                  {"batch", latencies.batch},
                                  {"precision", latencies.precision},
                                  {"model", latencies.model}};
    if (!latencies.fingerprint.empty()) {
        header["fingerprint"] = latencies.fingerprint;
        header["engine"] = latencies.deviceId;
    }
    if (latencies.kit)
        header["kit"] = {{"model_sha256", latencies.kit->modelHash},
                         {"round", latencies.kit->round},
                         {"barrier_us", latencies.kit->boundary.barrierUs},
                         {"chain_us", latencies.kit->boundary.chainUs},
                         {"chains_add_up", latencies.kit->chainsAddUp}};
    for (const RecordedSchedule &schedule : latencies.schedules) {
        nlohmann::ordered_json stages = nlohmann::ordered_json::array();
        for (const RecordedStage &stage : schedule.stages)
            stages.push_back({{"strategy", toString(stage.strategy)}, {"groups", stage.groups}});
        nlohmann::ordered_json object{{"stages", std::move(stages)}};
        addTiming(object, schedule.whole);
        header["schedules"].push_back(std::move(object));
    }
    std::string text = dump(header);
    for (const RecordedStage &stage : latencies.stages) {
        nlohmann::ordered_json object{{"strategy", toString(stage.strategy)}, {"groups", stage.groups}};
        addTiming(object, stage.timing);
        if (!stage.signature.empty())
            object["signature"] = stage.signature;
        text += dump(object);
    }
    for (const RefusedStage &each : latencies.refused)
        text += dump(
            {{"strategy", toString(each.stage.strategy)}, {"groups", each.stage.groups}, {"refused", each.reason}});
    return text;
}

std::string recordKey(Strategy strategy, std::vector<std::vector<std::string>> groups)
{
    if (strategy == Strategy::Merge) {
        std::vector<std::vector<std::string>> apart;
        for (const std::vector<std::string> &group : groups) {
            for (const std::string &name : group)
                apart.push_back({name});
        }
        groups = std::move(apart);
    }
    for (std::vector<std::string> &group : groups)
        std::sort(group.begin(), group.end());
    std::sort(groups.begin(), groups.end());
    // Lengths instead of separators, so that names may contain any character.
    std::string key(toString(strategy));
    for (const std::vector<std::string> &group : groups) {
        key += fmt::format("|{}", group.size());
        for (const std::string &name : group)
            key += fmt::format(" {}:{}", name.size(), name);
    }
    return key;
}

std::string recordKey(const std::vector<RecordedStage> &schedule)
{
    std::string key;
    for (const RecordedStage &stage : schedule)
        key += '{' + recordKey(stage.strategy, stage.groups) + '}';
    return key;
}

std::vector<RecordedStage> namedStages(const Graph &graph, const Schedule &schedule)
{
    std::vector<RecordedStage> stages;
    for (const Stage &stage : schedule.stages)
        stages.push_back({stage.strategy, operatorNames(graph, stage)});
    return stages;
}

std::vector<std::vector<std::string>> operatorNames(const Graph &graph, const Stage &stage)
{
    std::vector<std::vector<std::string>> names;
    for (const std::vector<OperatorId> &group : stage.groups) {
        std::vector<std::string> &last = names.emplace_back();
        for (const OperatorId id : group)
            last.push_back(graph.op(id).name);
    }
    return names;
}

} // namespace stagecraft
