#include "results/files/schedule_parts.h"

#include "results/files/cost_json.h"
#include "support/records/object_reader.h"
#include "timing/timing_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kFormat = "stagecraft-schedule";
constexpr int kVersion = 1;

// Infinity becomes null, as JSON lacks it.
OrderedJson assumptionJson(const BoundAssumption &assumption)
{
    return {{"text", assumption.text},
            {"stages_checked", assumption.stagesChecked},
            {"stages_broken", assumption.stagesBroken},
            {"worst", assumption.worst},
            {"gap_without", assumption.gapWithout},
            {"allowed", assumption.allowed}};
}

OrderedJson stageJson(const OperatorNames &names, const Schedule &schedule, std::size_t index)
{
    const Stage &stage = schedule.stages[index];
    OrderedJson json{
        {"block", stage.block}, {"strategy", toString(stage.strategy)}, {"groups", groupsJson(names, stage)}};
    if (!schedule.stageTimings.empty())
        addTiming(json, schedule.stageTimings[index]);
    return json;
}

using NamedLayouts = std::vector<std::pair<std::string, TensorLayout>>;

OrderedJson layoutsJson(const NamedLayouts &layouts)
{
    OrderedJson json = OrderedJson::object();
    for (const auto &[name, layout] : layouts)
        json[name] = nameOf(layout);
    return json;
}

Result<NamedLayouts> layoutsFrom(const Json &file, const char *key)
{
    const auto found = file.find(key);
    if (found == file.end() || found->is_null())
        return NamedLayouts{};
    if (!found->is_object())
        return refuseAt("schedule", fmt::format("\"{}\" is not an object of layouts by name", key));
    NamedLayouts layouts;
    for (const auto &[name, value] : found->items()) {
        const auto layout = value.is_string() ? tensorLayoutOf(value.get<std::string>()) : std::nullopt;
        if (!layout)
            return refuseAt(key, fmt::format("the layout of {} is {}, which is not NCHW, NHWC, nChw8c or nChw16c", name,
                                             value.dump()));
        layouts.emplace_back(name, *layout);
    }
    return layouts;
}

Result<void> readUncosted(const Json &search, CostBasis &costs)
{
    const auto found = search.find("uncosted");
    if (found == search.end() || found->is_null())
        return {};
    if (!found->is_array())
        return refuseAt("search", "\"uncosted\" is not a list");
    for (const Json &entry : *found) {
        if (!entry.is_object())
            return refuseAt("search", "an entry of \"uncosted\" is not an object");
        UncostedWork &work = costs.uncosted.emplace_back();
        ObjectReader reader(entry, "search: uncosted");
        reader.required("operator", work.operatorName);
        reader.optional("type", work.type);
        reader.required("reason", work.reason);
        reader.required("count", work.count);
        reader.optional("loses_shapes", work.losesShapes);
        if (auto result = reader.result(); !result)
            return result;
    }
    return {};
}

Result<void> readAssumption(const Json &json, BoundAssumption &assumption)
{
    if (!json.is_object())
        return refuseAt("search", "\"assumption\" is not an object");
    ObjectReader reader(json, "search: assumption");
    reader.optional("text", assumption.text);
    reader.optional("stages_checked", assumption.stagesChecked);
    reader.optional("stages_broken", assumption.stagesBroken);
    reader.optional("worst", assumption.worst);
    reader.orInfinity("gap_without", assumption.gapWithout);
    reader.optional("allowed", assumption.allowed);
    return reader.result();
}

class ScheduleReader {
public:
    ScheduleReader(const OperatorNames &names, const ModelReference &model) : m_names(names), m_model(model) {}

    Result<Schedule> read(const Json &json)
    {
        if (!json.is_object())
            return refuseAt("schedule", "is not a JSON object");
        TRY(readHeader(json));
        const auto stages = json.find("stages");
        if (stages == json.end() || !stages->is_array())
            return refuseAt("schedule", "\"stages\" is not a list");
        for (std::size_t i = 0; i < stages->size(); ++i) {
            if (auto stage = readStage((*stages)[i]); !stage)
                return within(fmt::format("stage {}", i + 1), stage.error());
        }
        if (!m_schedule.stageTimings.empty() && m_schedule.stageTimings.size() != m_schedule.stages.size())
            return refuseAt("schedule", "some stages have a latency and some have none");
        return std::move(m_schedule);
    }

private:
    Result<void> readHeader(const Json &json)
    {
        std::string format;
        int version = 0;
        ObjectReader identity(json, "schedule");
        identity.required("format", format);
        identity.required("version", version);
        if (auto result = identity.result(); !result)
            return result;
        if (format != kFormat)
            return refuseAt("schedule", fmt::format(R"("format" is "{}", not "{}")", format, kFormat));
        if (version != kVersion)
            return refuseAt("schedule", fmt::format("version {} is not known, only version {}", version, kVersion));

        std::string provenance;
        ObjectReader header(json, "schedule");
        header.optional("device", m_schedule.device);
        header.optional("calibration", m_schedule.calibration);
        header.optional("batch", m_schedule.batch);
        header.optional("precision", m_schedule.precision);
        header.optional("provenance", provenance);
        header.optional("sum_of_stages", m_schedule.isSumOfStages);
        if (auto result = header.result(); !result)
            return result;
        auto timing = timingFrom(json);
        if (!timing)
            return within("schedule", std::move(timing.error()));
        m_schedule.timing = std::move(*timing);
        if (!provenance.empty()) {
            m_schedule.provenance = provenanceFromString(provenance);
            if (!m_schedule.provenance)
                return refuseAt("schedule", fmt::format(R"("provenance" is "{}", not measured, recorded or simulated)",
                                                        provenance));
        }
        if (auto model = readModel(json); !model)
            return model;
        for (const auto &[key, layouts] :
             {std::pair{"layouts", &m_schedule.layouts.tensors}, std::pair{"reads", &m_schedule.layouts.reads}}) {
            TRY_AS(auto read, layoutsFrom(json, key));
            *layouts = std::move(read);
        }
        const auto search = json.find("search");
        if (search == json.end() || search->is_null())
            return {};
        if (!search->is_object())
            return refuseAt("schedule", "\"search\" is not an object");
        TRY_AS(auto record, searchFrom(*search));
        m_schedule.search = std::move(record);
        return {};
    }

    Result<void> readModel(const Json &json)
    {
        const auto found = json.find("model");
        if (found == json.end() || !found->is_object())
            return refuseAt("schedule", "\"model\" is not an object");
        ObjectReader reader(*found, "model");
        reader.required("name", m_schedule.model.name);
        reader.optional("sha256", m_schedule.model.sha256);
        return reader.result();
    }

    Result<void> readStage(const Json &json)
    {
        if (!json.is_object())
            return fail(ErrorCode::InvalidInput, "is not a JSON object");
        Stage stage;
        std::string strategy;
        ObjectReader reader(json, "members");
        reader.required("block", stage.block);
        reader.required("strategy", strategy);
        if (auto result = reader.result(); !result)
            return result;
        const auto known = strategyFromString(strategy);
        if (!known)
            return fail(ErrorCode::InvalidInput,
                        fmt::format("its strategy is \"{}\", not concurrent or merge", strategy));
        stage.strategy = *known;
        auto timing = timingFrom(json);
        if (!timing)
            return within("members", std::move(timing.error()));
        if (*timing)
            m_schedule.stageTimings.push_back(std::move(**timing));
        auto groups = groupsFrom(json, m_names);
        if (!groups)
            return tl::unexpected(explained(std::move(groups.error())));
        stage.groups = std::move(*groups);
        m_schedule.stages.push_back(normalized(std::move(stage)));
        return {};
    }

    // A name that is missing from the model usually belongs to another model.
    [[nodiscard]] Error explained(Error error) const
    {
        const bool isUnknown = !error.context.empty();
        if (!isUnknown || m_schedule.model.sha256 == m_model.sha256)
            return error;
        error.message = fmt::format("the schedule is for another model, {}: {} has no operator of this name",
                                    m_schedule.model.name, m_model.name);
        error.remedy = "Open the model the schedule was made for.";
        return error;
    }

    const OperatorNames &m_names;
    const ModelReference &m_model;
    Schedule m_schedule;
};

} // namespace

OrderedJson searchRecordJson(const SearchRecord &search)
{
    OrderedJson json{{"strategy", search.strategy},
                     {"r", search.r.value_or(0)},
                     {"s", search.s.value_or(0)},
                     {"single_source", search.singleSource},
                     {"states", search.states},
                     {"transitions", search.transitions},
                     {"stage_measurements", search.stageMeasurements},
                     {"stages_repeated", search.stagesRepeated},
                     {"stages_refused", search.stagesRefused},
                     {"cache_hits", search.cacheHits},
                     {"search_seconds", search.searchSeconds},
                     {"measure_seconds", search.measureSeconds},
                     {"gap", search.gap},
                     {"assumption", search.assumption ? assumptionJson(*search.assumption) : OrderedJson()},
                     {"termination", toString(search.termination)},
                     {"sum_us", search.sumUs > 0 ? OrderedJson(search.sumUs) : OrderedJson()}};
    if (!search.editedFrom.empty())
        json["edited_from"] = search.editedFrom;
    if (search.pinnedStages > 0)
        json["pinned_stages"] = search.pinnedStages;
    if (search.freeUs)
        json["free_sum_us"] = *search.freeUs;
    if (!search.costs.isComplete())
        addCosts(json, search.costs);
    return json;
}

OrderedJson groupsJson(const OperatorNames &names, const Stage &stage)
{
    OrderedJson groups = OrderedJson::array();
    for (const auto &group : stage.groups) {
        OrderedJson list = OrderedJson::array();
        for (const OperatorId id : group)
            list.push_back(names[id]);
        groups.push_back(std::move(list));
    }
    return groups;
}

OrderedJson scheduleJson(const OperatorNames &names, const Schedule &schedule)
{
    OrderedJson stages = OrderedJson::array();
    for (std::size_t i = 0; i < schedule.stages.size(); ++i)
        stages.push_back(stageJson(names, schedule, i));
    OrderedJson json{
        {"format", kFormat},
        {"version", kVersion},
        {"model", {{"name", schedule.model.name}, {"sha256", schedule.model.sha256}}},
        {"device", schedule.device},
        {"batch", schedule.batch},
        {"precision", schedule.precision},
        {"provenance", schedule.provenance ? OrderedJson(toString(*schedule.provenance)) : OrderedJson()},
        {"search", searchRecordJson(schedule.search)},
        {"latency_us", nullptr},
    };
    if (schedule.timing)
        addTiming(json, *schedule.timing);
    if (!schedule.calibration.empty())
        json["calibration"] = schedule.calibration;
    if (schedule.isSumOfStages)
        json["sum_of_stages"] = true;
    if (!schedule.layouts.tensors.empty())
        json["layouts"] = layoutsJson(schedule.layouts.tensors);
    if (!schedule.layouts.reads.empty())
        json["reads"] = layoutsJson(schedule.layouts.reads);
    json["stages"] = std::move(stages);
    return json;
}

Result<SearchRecord> searchFrom(const Json &json)
{
    if (!json.is_object())
        return refuseAt("search", "is not a JSON object");
    SearchRecord search;
    ObjectReader reader(json, "search");
    reader.optional("strategy", search.strategy);
    for (const auto &[key, bound] : {std::pair{"r", &search.r}, std::pair{"s", &search.s}}) {
        int value = 0;
        reader.optional(key, value);
        if (value > 0)
            *bound = value;
    }
    reader.optional("single_source", search.singleSource);
    reader.optional("states", search.states);
    reader.optional("transitions", search.transitions);
    reader.optional("stage_measurements", search.stageMeasurements);
    reader.optional("stages_repeated", search.stagesRepeated);
    reader.optional("stages_refused", search.stagesRefused);
    reader.optional("cache_hits", search.cacheHits);
    reader.optional("search_seconds", search.searchSeconds);
    reader.optional("measure_seconds", search.measureSeconds);
    reader.orInfinity("gap", search.gap);
    std::string termination;
    reader.optional("termination", termination);
    reader.optional("sum_us", search.sumUs);
    reader.optional("edited_from", search.editedFrom);
    reader.optional("pinned_stages", search.pinnedStages);
    double freeUs = -1;
    reader.optional("free_sum_us", freeUs);
    if (freeUs >= 0)
        search.freeUs = freeUs;
    reader.optional("operators", search.costs.operators);
    TRY(reader.result());
    const auto known = terminationFromString(termination);
    if (!known)
        return refuseAt("search",
                        fmt::format(R"("termination" is "{}", which is not a way a search ends)", termination));
    search.termination = *known;
    TRY(readUncosted(json, search.costs));
    const auto assumption = json.find("assumption");
    if (assumption == json.end() || assumption->is_null())
        return search;
    TRY(readAssumption(*assumption, search.assumption.emplace()));
    return search;
}

Result<std::vector<std::vector<OperatorId>>> groupsFrom(const Json &object, const OperatorNames &names)
{
    const auto groups = object.find("groups");
    if (groups == object.end() || !groups->is_array())
        return fail(ErrorCode::InvalidInput, "its \"groups\" is not a list");
    std::vector<std::vector<OperatorId>> read;
    for (const Json &group : *groups) {
        if (!group.is_array())
            return fail(ErrorCode::InvalidInput, "a group is not a list of operator names");
        auto &operators = read.emplace_back();
        for (const Json &name : group) {
            if (!name.is_string())
                return fail(ErrorCode::InvalidInput, "an operator name is not text");
            const auto id = names.find(name.get_ref<const std::string &>());
            if (!id)
                return refuseAt("operator " + name.get<std::string>(), "the model has no operator of this name");
            operators.push_back(*id);
        }
    }
    return read;
}

Result<Schedule> scheduleFrom(const Json &json, const OperatorNames &names, const ModelReference &model)
{
    return ScheduleReader(names, model).read(json);
}

} // namespace stagecraft
