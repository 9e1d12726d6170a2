#include "results/files/session_json.h"

#include "graph/model_reference_record.h"
#include "results/files/reading_json.h"
#include "results/files/result_json.h"
#include "results/files/result_record.h"
#include "support/json_depth.h"
#include "support/records/json_fault.h"
#include "support/records/json_record.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kSessionFormat = "stagecraft-session";
constexpr int kSessionVersion = 1;
// Each top-level member starts on its own line.
constexpr std::string_view kAutosaveLine = "\n\"autosave\": ";
constexpr std::string_view kModelsLine = "\n\"models\": ";
constexpr std::string_view kViewLine = "\n\"view\": ";
// Behind the hash of a model, and behind its reading.
constexpr std::string_view kReadOtherwise = " read otherwise";

std::string lineOf(const OrderedJson &json)
{
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// A list with one line per element.
template <typename List, typename Line>
std::string linesOf(const List &list, const Line &line)
{
    std::string text = "[";
    for (const auto &each : list) {
        text += text.size() > 1 ? ",\n" : "\n";
        text += lineOf(line(each));
    }
    return text + "]";
}

std::string suffixOf(const Reading &reading)
{
    return reading.isUsual() ? std::string() : " " + toString(reading);
}

// The hash tells readings of one file apart.
std::string hashText(const ModelReference &model)
{
    return model.sha256 + suffixOf(model.reading) + std::string(model.isReadOtherwise ? kReadOtherwise : "");
}

// The reading is known. What does not end in it is the hash of another model.
void readHash(std::string_view text, ModelReference &model)
{
    model.isReadOtherwise = text.ends_with(kReadOtherwise);
    if (model.isReadOtherwise)
        text.remove_suffix(kReadOtherwise.size());
    if (const std::string suffix = suffixOf(model.reading); text.ends_with(suffix))
        text.remove_suffix(suffix.size());
    model.sha256 = text;
}

OrderedJson modelJson(const SessionModelPtr &model)
{
    OrderedJson json{{"name", model->reference.name},
                     {"sha256", hashText(model->reference)},
                     {"batch", model->batch},
                     {"source", model->source}};
    if (const Reading &reading = model->reference.reading; !reading.isUsual())
        json["reading"] = jsonOf(reading);
    json["operators"] = model->operators;
    return json;
}

Result<void> readModel(const Json &json, SessionModel &model)
{
    std::string hash;
    ObjectReader reader(json, "model");
    reader.required("name", model.reference.name);
    reader.required("sha256", hash);
    reader.required("batch", model.batch);
    reader.required("source", model.source);
    if (auto result = reader.result(); !result)
        return result;
    if (const auto reading = json.find("reading"); reading != json.end()) {
        if (auto read = readReading(*reading, model.reference.reading); !read)
            return within("model", std::move(read.error()));
    }
    readHash(hash, model.reference);
    const auto operators = json.find("operators");
    if (operators == json.end() || !operators->is_array())
        return refuseAt("model", "\"operators\" is not a list");
    for (const Json &name : *operators) {
        if (!name.is_string())
            return refuseAt("model", "an operator name is not text");
        model.operators.push_back(name.get<std::string>());
    }
    return {};
}

OrderedJson studyJson(const SessionStudy &study, std::size_t model, const OperatorNames &names)
{
    OrderedJson json{{"stages_measured", study.stagesMeasured}, {"points", OrderedJson::array()}};
    for (std::size_t i = 0; i < study.points.size(); ++i) {
        OrderedJson point = resultJson(study.points[i], model, names);
        point["stages_asked"] = study.stagesAsked[i];
        json["points"].push_back(std::move(point));
    }
    return json;
}

OrderedJson gridJson(const PruningGrid &grid)
{
    OrderedJson json{
        {"strategies", OrderedJson::array()}, {"r", grid.r}, {"s", grid.s}, {"single_source", grid.singleSource}};
    for (const StrategySet set : grid.strategies)
        json["strategies"].push_back(toString(set));
    return json;
}

// The elements of a list that are of the type; what is not, is no more than a wish of the view.
template <typename Value>
std::vector<Value> valuesOf(const Json &object, const char *key, bool (Json::*isIt)() const noexcept)
{
    std::vector<Value> values;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array())
        return values;
    for (const Json &one : *found) {
        if ((one.*isIt)())
            values.push_back(one.get<Value>());
    }
    return values;
}

std::optional<PruningGrid> gridFrom(const Json &view)
{
    const auto found = view.find("pruning");
    if (found == view.end() || !found->is_object())
        return std::nullopt;
    PruningGrid grid{{}, {}, {}, valuesOf<bool>(*found, "single_source", &Json::is_boolean)};
    for (const auto &[key, numbers] : {std::pair{"r", &grid.r}, std::pair{"s", &grid.s}}) {
        *numbers = valuesOf<int>(*found, key, &Json::is_number_unsigned);
        std::erase_if(*numbers, [](int number) { return number < 1; });
    }
    for (const std::string &text : valuesOf<std::string>(*found, "strategies", &Json::is_string)) {
        if (const auto set = strategySetFromString(text))
            grid.strategies.push_back(*set);
    }
    return grid.size() > 0 ? std::optional(grid) : std::nullopt;
}

OrderedJson viewJson(const SessionView &view)
{
    auto panes = OrderedJson::array();
    for (const ResultId id : view.panes)
        panes.push_back(id.value);
    OrderedJson json{{"model", view.model ? OrderedJson(*view.model) : OrderedJson()},
                     {"device", view.device},
                     {"strategy", toString(view.strategies)},
                     {"r", view.r.value_or(0)},
                     {"s", view.s.value_or(0)},
                     {"single_source", view.singleSource},
                     {"panes", std::move(panes)},
                     {"focused", view.focused}};
    if (view.launchOrder)
        json["launch_order"] = true;
    if (!view.streams.empty())
        json["streams"] = view.streams;
    if (view.pruning)
        json["pruning"] = gridJson(*view.pruning);
    if (!view.batches.empty())
        json["batches"] = view.batches;
    if (!view.devices.empty())
        json["devices"] = view.devices;
    return json;
}

Result<std::vector<ResultId>> readIds(const Json &object, const char *key)
{
    std::vector<ResultId> ids;
    const auto found = object.find(key);
    if (found == object.end())
        return ids;
    if (!found->is_array())
        return refuseAt("session", fmt::format("\"{}\" is not a list", key));
    for (const Json &id : *found) {
        if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= ResultId::kInvalid)
            return refuseAt("session", fmt::format("\"{}\" has {}, which is no result", key, id.dump()));
        ids.push_back(ResultId{id.get<std::uint32_t>()});
    }
    return ids;
}

Result<void> readView(const Json &json, std::size_t models, SessionView &view)
{
    if (!json.is_object())
        return refuseAt("view", "is not a JSON object");
    std::size_t model = models;
    std::string strategy(toString(view.strategies));
    int r = view.r.value_or(0);
    int s = view.s.value_or(0);
    ObjectReader reader(json, "view");
    reader.optional("model", model);
    reader.optional("device", view.device);
    reader.optional("strategy", strategy);
    reader.optional("streams", view.streams);
    reader.optional("r", r);
    reader.optional("s", s);
    reader.optional("single_source", view.singleSource);
    reader.optional("launch_order", view.launchOrder);
    reader.optional("focused", view.focused);
    if (auto result = reader.result(); !result)
        return result;
    view.model = model < models ? std::optional(model) : std::nullopt;
    view.strategies = strategySetFromString(strategy).value_or(StrategySet::Both);
    view.r = r > 0 ? std::optional(r) : std::nullopt;
    view.s = s > 0 ? std::optional(s) : std::nullopt;
    TRY_AS(auto panes, readIds(json, "panes"));
    view.panes = std::move(panes);
    view.pruning = gridFrom(json);
    view.batches = valuesOf<std::int64_t>(json, "batches", &Json::is_number_unsigned);
    view.devices = valuesOf<std::string>(json, "devices", &Json::is_string);
    return {};
}

Result<void> readAutosave(const Json &json, AutosaveNote &note)
{
    if (!json.is_object())
        return refuseAt("autosave", "is not a JSON object");
    return readMembers(json, "autosave", note);
}

Result<void> checkFormat(const Json &json)
{
    if (!json.is_object())
        return refuseAt("session", "is not a JSON object");
    std::string format;
    int version = 0;
    ObjectReader identity(json, "session");
    identity.required("format", format);
    identity.required("version", version);
    if (auto result = identity.result(); !result)
        return result;
    if (format != kSessionFormat)
        return refuseAt("session", fmt::format(R"("format" is "{}", not "{}")", format, kSessionFormat));
    if (version > kSessionVersion)
        return within("session",
                      refused(fmt::format("it is of version {} of the format, and this program reads up to version {}",
                                          version, kSessionVersion),
                              "Open it with a newer Stagecraft")
                          .value());
    return version == kSessionVersion ? Result<void>{}
                                      : refuseAt("session", fmt::format("version {} is not known", version));
}

class SessionReader {
public:
    Result<Session> read(const Json &json)
    {
        TRY(checkFormat(json)
                .and_then([&] { return readList(json, "models", &SessionReader::readOneModel); })
                .and_then([&] { return readList(json, "results", &SessionReader::readOneResult); })
                .and_then([&] { return readRest(json); }));
        return std::move(m_session);
    }

private:
    Result<void> readList(const Json &json, const char *key, Result<void> (SessionReader::*readOne)(const Json &))
    {
        const auto list = json.find(key);
        if (list == json.end() || !list->is_array())
            return refuseAt("session", fmt::format("\"{}\" is not a list", key));
        for (std::size_t i = 0; i < list->size(); ++i) {
            const Json &one = (*list)[i];
            auto read = one.is_object() ? (this->*readOne)(one) : refuseAt("element", "is not a JSON object");
            if (!read)
                return within(fmt::format("{} {}", key, i + 1), std::move(read.error()));
        }
        return {};
    }

    Result<void> readOneModel(const Json &json)
    {
        SessionModel model;
        if (auto read = readModel(json, model); !read)
            return read;
        m_names.emplace_back(model.operators);
        m_session.models.push_back(std::make_shared<const SessionModel>(std::move(model)));
        return {};
    }

    Result<void> readOneResult(const Json &json)
    {
        TRY_AS(auto result, resultFrom(json, m_session.models, m_names));
        if (!m_session.results.empty() && result.id <= m_session.results.back().id)
            return refuseAt("result", fmt::format("\"id\" is {}, not more than the one before", result.id.value));
        m_session.results.push_back(std::move(result));
        return {};
    }

    Result<void> readOneStudy(const Json &json)
    {
        SessionStudy study;
        ObjectReader reader(json, "study");
        reader.required("stages_measured", study.stagesMeasured);
        if (auto read = reader.result(); !read)
            return read;
        const auto points = json.find("points");
        if (points == json.end() || !points->is_array() || points->empty())
            return refuseAt("study", "\"points\" is not a list of results");
        for (const Json &one : *points) {
            if (!one.is_object())
                return refuseAt("study", "a point is not a JSON object");
            TRY_AS(auto result, resultFrom(one, m_session.models, m_names));
            ObjectReader point(one, "point");
            point.required("stages_asked", study.stagesAsked.emplace_back());
            if (auto read = point.result(); !read)
                return read;
            if (!result.schedule || !result.schedule->latencyUs() || !result.schedule->measured.provenance ||
                !result.record().r || !result.record().s)
                return refuseAt("point", "it has no measured schedule with bounds on r and s");
            study.points.push_back(std::move(result));
            if (study.points.back().settings != study.points.front().settings)
                return refuseAt("point", "it has another model or device than the one before");
        }
        m_session.studies.push_back(std::move(study));
        return {};
    }

    Result<void> readRest(const Json &json)
    {
        TRY_AS(auto baselines, readIds(json, "baselines"));
        m_session.baselines = std::move(baselines);
        if (json.contains("studies")) {
            if (auto read = readList(json, "studies", &SessionReader::readOneStudy); !read)
                return read;
        }
        if (const auto view = json.find("view"); view != json.end()) {
            if (auto read = readView(*view, m_session.models.size(), m_session.view); !read)
                return read;
        }
        const auto autosave = json.find("autosave");
        return autosave == json.end() ? Result<void>{} : readAutosave(*autosave, m_session.autosave.emplace());
    }

    Session m_session;
    std::vector<OperatorNames> m_names; // one per model
};

} // namespace

std::string toJson(const Session &session)
{
    std::vector<OperatorNames> names;
    for (const SessionModelPtr &model : session.models)
        names.emplace_back(model->operators);
    const auto modelOf = [&](const ScheduleResult &result) {
        const auto found = std::ranges::find_if(session.models, [&](const SessionModelPtr &model) {
            return model->reference == result.settings.model && model->batch == result.settings.batch;
        });
        return static_cast<std::size_t>(found - session.models.begin());
    };
    std::string text = fmt::format(R"({{"format": "{}", "version": {},)", kSessionFormat, kSessionVersion);
    if (session.autosave)
        text += fmt::format("{}{},", kAutosaveLine, lineOf(jsonOf(*session.autosave)));
    text += std::string(kModelsLine) + linesOf(session.models, modelJson);
    text += ",\n\"results\": " + linesOf(session.results, [&](const ScheduleResult &result) {
                const std::size_t model = modelOf(result);
                return resultJson(result, model, names[model]);
            });
    auto baselines = OrderedJson::array();
    for (const ResultId id : session.baselines)
        baselines.push_back(id.value);
    text += ",\n\"baselines\": " + lineOf(baselines);
    if (!session.studies.empty())
        text += ",\n\"studies\": " + linesOf(session.studies, [&](const SessionStudy &study) {
                    const std::size_t model = modelOf(study.points.front());
                    return studyJson(study, model, names[model]);
                });
    return fmt::format("{},{}{}}}\n", text, kViewLine, lineOf(viewJson(session.view)));
}

Result<Session> sessionFromJson(std::string_view text)
{
    if (nestsTooDeeply(text))
        return fail(ErrorCode::InvalidInput, "is not a session: its lists are within each other too deeply",
                    "Open another copy of it");
    try {
        return SessionReader().read(Json::parse(text));
    } catch (const Json::parse_error &error) {
        return fail(ErrorCode::InvalidInput, fmt::format("is not a session: error at byte {}", error.byte),
                    "Open another copy of it");
    } catch (const Json::exception &error) {
        return fail(ErrorCode::InvalidInput, "is not a session: " + jsonFault(error), "Open another copy of it");
    }
}

std::optional<AutosaveNote> autosaveNoteIn(std::string_view start)
{
    const std::size_t from = start.find(kAutosaveLine);
    if (from == start.npos)
        return std::nullopt;
    const std::string_view line = start.substr(from + kAutosaveLine.size());
    const Json json = Json::parse(line.substr(0, line.find(",\n")), nullptr, false);
    AutosaveNote note;
    return json.is_object() && readAutosave(json, note) ? std::optional(note) : std::nullopt;
}

std::string digestOf(std::string_view text)
{
    const std::size_t from = std::min(text.find(kModelsLine), text.size());
    const std::size_t to = std::min(text.rfind(kViewLine), text.size());
    std::uint64_t hash = 14695981039346656037ULL; // FNV-1a
    for (const char byte : text.substr(from, to - std::min(from, to)))
        hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
    return std::to_string(hash);
}

} // namespace stagecraft
