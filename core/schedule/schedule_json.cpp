#include "schedule/schedule_json.h"

#include "schedule/cost_json.h"
#include "schedule/timing_json.h"
#include "schedule/verify.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace stagecraft {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kFormat = "stagecraft-schedule";
constexpr int kVersion = 1;

// Infinity becomes null, since JSON has no infinity.
OrderedJson assumptionJson(const BoundAssumption &assumption)
{
    return {{"text", assumption.text},
            {"stages_checked", assumption.stagesChecked},
            {"stages_broken", assumption.stagesBroken},
            {"worst", assumption.worst},
            {"gap_without", assumption.gapWithout},
            {"allowed", assumption.allowed}};
}

OrderedJson searchJson(const SearchRecord &search)
{
    OrderedJson json{{"strategy", search.strategy},
                     {"r", search.r.value_or(0)},
                     {"s", search.s.value_or(0)},
                     {"single_source", search.singleSource},
                     {"states", search.states},
                     {"transitions", search.transitions},
                     {"stage_measurements", search.stageMeasurements},
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

OrderedJson stageJson(const Graph &graph, const Schedule &schedule, std::size_t index)
{
    const Stage &stage = schedule.stages[index];
    OrderedJson groups = OrderedJson::array();
    for (const auto &group : stage.groups) {
        OrderedJson names = OrderedJson::array();
        for (const OperatorId id : group)
            names.push_back(graph.op(id).name);
        groups.push_back(std::move(names));
    }
    OrderedJson json{{"block", stage.block}, {"strategy", toString(stage.strategy)}, {"groups", std::move(groups)}};
    if (!schedule.stageTimings.empty())
        addTiming(json, schedule.stageTimings[index]);
    return json;
}

tl::unexpected<Error> refuse(std::string where, std::string reason)
{
    return within(std::move(where), Error{ErrorCode::InvalidInput, std::move(reason), {}, {}});
}

// Reads members of one object and remembers the first error.
class ObjectReader {
public:
    ObjectReader(const Json &object, std::string where) : m_object(object), m_where(std::move(where)) {}

    template <typename T>
    void optional(const char *key, T &value)
    {
        const auto found = m_object.find(key);
        if (found == m_object.end() || found->is_null() || m_error)
            return;
        if (isA<T>(*found))
            value = found->template get<T>();
        else
            m_error = refuse(m_where, std::string("\"") + key + "\" is not " + nameOf<T>()).value();
    }

    template <typename T>
    void required(const char *key, T &value)
    {
        const auto found = m_object.find(key);
        if (!m_error && (found == m_object.end() || found->is_null()))
            m_error = refuse(m_where, std::string("\"") + key + "\" is missing").value();
        optional(key, value);
    }

    [[nodiscard]] Result<void> result() const
    {
        return m_error ? Result<void>(tl::unexpected(*m_error)) : Result<void>{};
    }

private:
    template <typename T>
    static bool isA(const Json &json)
    {
        if constexpr (std::is_same_v<T, std::string>)
            return json.is_string();
        else if constexpr (std::is_same_v<T, bool>)
            return json.is_boolean();
        else if constexpr (std::is_floating_point_v<T>)
            return json.is_number();
        else
            return json.is_number_integer() && (json.is_number_unsigned() ? json.get<std::uint64_t>() <= kLargest<T>
                                                                          : json.get<std::int64_t>() >= 0);
    }

    template <typename T>
    static constexpr std::uint64_t kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());

    template <typename T>
    static const char *nameOf()
    {
        if constexpr (std::is_same_v<T, std::string>)
            return "text";
        else if constexpr (std::is_same_v<T, bool>)
            return "true or false";
        else if constexpr (std::is_floating_point_v<T>)
            return "a number";
        else
            return "a whole number of at least 0";
    }

    const Json &m_object;
    std::string m_where;
    std::optional<Error> m_error;
};

class ScheduleReader {
public:
    ScheduleReader(const Graph &graph, const ModelReference &model) : m_graph(graph), m_model(model) {}

    Result<Schedule> read(const Json &json)
    {
        if (!json.is_object())
            return refuse("schedule", "is not a JSON object");
        if (auto header = readHeader(json); !header)
            return tl::unexpected(header.error());
        const auto stages = json.find("stages");
        if (stages == json.end() || !stages->is_array())
            return refuse("schedule", "\"stages\" is not a list");
        for (std::size_t i = 0; i < stages->size(); ++i) {
            if (auto stage = readStage((*stages)[i]); !stage)
                return within("stage " + std::to_string(i + 1), stage.error());
        }
        if (!m_schedule.stageTimings.empty() && m_schedule.stageTimings.size() != m_schedule.stages.size())
            return refuse("schedule", "some stages have a latency and some have none");
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
            return refuse("schedule", "\"format\" is \"" + format + "\", not \"" + std::string(kFormat) + "\"");
        if (version != kVersion)
            return refuse("schedule", "version " + std::to_string(version) + " is not known, only version " +
                                          std::to_string(kVersion));

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
                return refuse("schedule",
                              "\"provenance\" is \"" + provenance + "\", not measured, recorded or simulated");
        }
        if (auto model = readModel(json); !model)
            return model;
        return readSearch(json);
    }

    Result<void> readModel(const Json &json)
    {
        const auto found = json.find("model");
        if (found == json.end() || !found->is_object())
            return refuse("schedule", "\"model\" is not an object");
        ObjectReader reader(*found, "model");
        reader.required("name", m_schedule.model.name);
        reader.optional("sha256", m_schedule.model.sha256);
        return reader.result();
    }

    Result<void> readSearch(const Json &json)
    {
        const auto found = json.find("search");
        if (found == json.end() || found->is_null())
            return {};
        if (!found->is_object())
            return refuse("schedule", "\"search\" is not an object");
        SearchRecord &search = m_schedule.search;
        ObjectReader reader(*found, "search");
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
        reader.optional("stages_refused", search.stagesRefused);
        reader.optional("cache_hits", search.cacheHits);
        reader.optional("search_seconds", search.searchSeconds);
        reader.optional("measure_seconds", search.measureSeconds);
        reader.optional("gap", search.gap);
        readInfinity(*found, "gap", search.gap);
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
        if (auto result = reader.result(); !result)
            return result;
        const auto known = terminationFromString(termination);
        if (!known)
            return refuse("search", "\"termination\" is \"" + termination + "\", which is not a way a search ends");
        search.termination = *known;
        if (auto uncosted = readUncosted(*found); !uncosted)
            return uncosted;
        const auto assumption = found->find("assumption");
        return assumption == found->end() || assumption->is_null() ? Result<void>{} : readAssumption(*assumption);
    }

    Result<void> readUncosted(const Json &search)
    {
        const auto found = search.find("uncosted");
        if (found == search.end() || found->is_null())
            return {};
        if (!found->is_array())
            return refuse("search", "\"uncosted\" is not a list");
        for (const Json &entry : *found) {
            if (!entry.is_object())
                return refuse("search", "an entry of \"uncosted\" is not an object");
            UncostedWork &work = m_schedule.search.costs.uncosted.emplace_back();
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

    Result<void> readAssumption(const Json &json)
    {
        if (!json.is_object())
            return refuse("search", "\"assumption\" is not an object");
        BoundAssumption &assumption = m_schedule.search.assumption.emplace();
        ObjectReader reader(json, "search: assumption");
        reader.optional("text", assumption.text);
        reader.optional("stages_checked", assumption.stagesChecked);
        reader.optional("stages_broken", assumption.stagesBroken);
        reader.optional("worst", assumption.worst);
        reader.optional("gap_without", assumption.gapWithout);
        reader.optional("allowed", assumption.allowed);
        readInfinity(json, "gap_without", assumption.gapWithout);
        return reader.result();
    }

    static void readInfinity(const Json &object, const char *key, double &value)
    {
        if (object.contains(key) && object[key].is_null())
            value = std::numeric_limits<double>::infinity();
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
            return fail(ErrorCode::InvalidInput, "its strategy is \"" + strategy + "\", not concurrent or merge");
        stage.strategy = *known;
        auto timing = timingFrom(json);
        if (!timing)
            return within("members", std::move(timing.error()));
        if (*timing)
            m_schedule.stageTimings.push_back(std::move(**timing));
        if (auto groups = readGroups(json, stage); !groups)
            return groups;
        m_schedule.stages.push_back(normalized(std::move(stage)));
        return {};
    }

    Result<void> readGroups(const Json &json, Stage &stage) const
    {
        const auto groups = json.find("groups");
        if (groups == json.end() || !groups->is_array())
            return fail(ErrorCode::InvalidInput, "its \"groups\" is not a list");
        for (const Json &group : *groups) {
            if (!group.is_array())
                return fail(ErrorCode::InvalidInput, "a group is not a list of operator names");
            auto &operators = stage.groups.emplace_back();
            for (const Json &name : group) {
                if (!name.is_string())
                    return fail(ErrorCode::InvalidInput, "an operator name is not text");
                const auto id = m_graph.find(name.get_ref<const std::string &>());
                if (!id)
                    return within("operator " + name.get<std::string>(), unknownOperator());
                operators.push_back(*id);
            }
        }
        return {};
    }

    Error unknownOperator() const
    {
        if (m_schedule.model.sha256 == m_model.sha256)
            return {ErrorCode::InvalidInput, "the model has no operator of this name", {}, {}};
        return {ErrorCode::InvalidInput,
                "the schedule is for another model, " + m_schedule.model.name + ": " + m_model.name +
                    " has no operator of this name",
                "Open the model the schedule was made for.",
                {}};
    }

    const Graph &m_graph;
    const ModelReference &m_model;
    Schedule m_schedule;
};

} // namespace

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
    return searchJson(search).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string toJson(const Graph &graph, const Schedule &schedule)
{
    OrderedJson stages = OrderedJson::array();
    for (std::size_t i = 0; i < schedule.stages.size(); ++i)
        stages.push_back(stageJson(graph, schedule, i));
    OrderedJson json{
        {"format", kFormat},
        {"version", kVersion},
        {"model", {{"name", schedule.model.name}, {"sha256", schedule.model.sha256}}},
        {"device", schedule.device},
        {"batch", schedule.batch},
        {"precision", schedule.precision},
        {"provenance", schedule.provenance ? OrderedJson(toString(*schedule.provenance)) : OrderedJson()},
        {"search", searchJson(schedule.search)},
        {"latency_us", nullptr},
    };
    if (schedule.timing)
        addTiming(json, *schedule.timing);
    if (!schedule.calibration.empty())
        json["calibration"] = schedule.calibration;
    if (schedule.isSumOfStages)
        json["sum_of_stages"] = true;
    json["stages"] = std::move(stages);
    return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<Schedule> scheduleFromJson(std::string_view text, const Graph &graph, const Blocks &blocks,
                                  const ModelReference &model)
{
    try {
        const Json json = Json::parse(text);
        auto schedule = ScheduleReader(graph, model).read(json);
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
