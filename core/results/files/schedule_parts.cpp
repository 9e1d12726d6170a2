#include "results/files/schedule_parts.h"

#include "results/files/reading_json.h"
#include "results/files/streams_parts.h"
#include "support/records/json_record.h"
#include "timing/simulation_error_record.h"
#include "timing/timing_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

using NamedLayouts = std::vector<std::pair<std::string, TensorLayout>>;

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

class ScheduleReader {
public:
    ScheduleReader(const OperatorNames &names, const ModelReference &model) : m_names(names), m_model(model) {}

    Result<TimedSchedule> read(const Json &json)
    {
        if (!json.is_object())
            return refuseAt("schedule", "is not a JSON object");
        TRY(readHeader(json));
        std::string kind = "stages";
        ObjectReader reader(json, "schedule");
        reader.optional("kind", kind);
        TRY(reader.result());
        const auto stages = json.find("stages");
        if (kind == "streams" && stages == json.end()) {
            auto streams = streamsFrom(json, m_names);
            if (!streams)
                return tl::unexpected(explained(std::move(streams.error())));
            m_schedule.streams = std::move(*streams);
            return std::move(m_schedule);
        }
        if (kind == "streams")
            return refuseAt("schedule", "it has streams and stages");
        if (kind != "stages")
            return refuseAt("schedule", fmt::format("\"kind\" is \"{}\", not stages or streams", kind));
        if (stages == json.end() || !stages->is_array())
            return refuseAt("schedule", "\"stages\" is not a list");
        for (std::size_t i = 0; i < stages->size(); ++i) {
            if (auto stage = readStage((*stages)[i]); !stage)
                return within(fmt::format("stage {}", i + 1), stage.error());
        }
        if (!m_schedule.measured.stages.empty() && m_schedule.measured.stages.size() != m_schedule.stages.size())
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
        if (format != kScheduleFormat)
            return refuseAt("schedule", fmt::format(R"("format" is "{}", not "{}")", format, kScheduleFormat));
        if (version != kScheduleVersion)
            return refuseAt("schedule",
                            fmt::format("version {} is not known, only version {}", version, kScheduleVersion));

        std::string provenance;
        bool isSumOfStages = false;
        ObjectReader header(json, "schedule");
        header.optional("device", m_schedule.context.device);
        header.optional("device_version", m_schedule.context.deviceVersion);
        header.optional("calibration", m_schedule.measured.calibration);
        header.optional("batch", m_schedule.context.batch);
        header.optional("precision", m_schedule.context.precision);
        if (json.contains(kSimulationErrorKey))
            readMember(header, Field{kSimulationErrorKey}, m_schedule.measured.simulationErrors.emplace());
        header.optional("provenance", provenance);
        header.optional("sum_of_stages", isSumOfStages);
        if (auto result = header.result(); !result)
            return result;
        auto timing = timingFrom(json);
        if (!timing)
            return within("schedule", std::move(timing.error()));
        m_schedule.measured.whole = std::move(*timing);
        if (isSumOfStages)
            m_schedule.measured.how = MeasuredHow::SumOfStages;
        if (!provenance.empty()) {
            m_schedule.measured.provenance = provenanceFromString(provenance);
            if (!m_schedule.measured.provenance)
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
        TRY(readProfile(json));
        const auto search = json.find("search");
        if (search == json.end() || search->is_null())
            return {};
        if (!search->is_object())
            return refuseAt("schedule", "\"search\" is not an object");
        TRY_AS(auto record, searchFrom(*search));
        m_schedule.search = std::move(record);
        return {};
    }

    Result<void> readProfile(const Json &json)
    {
        const auto found = json.find("profile");
        if (found == json.end() || found->is_null())
            return {};
        if (!found->is_object())
            return refuseAt("schedule", "\"profile\" is not an object");
        RecordedProfile &profile = m_schedule.measured.profile.emplace();
        TRY(readMembers(*found, "profile", profile));
        const auto notes = found->find("profile_notes");
        if (notes == found->end() || notes->is_null())
            return {};
        if (!notes->is_array())
            return refuseAt("profile", "\"profile_notes\" is not a list");
        for (const Json &note : *notes) {
            if (!note.is_string())
                return refuseAt("profile", "\"profile_notes\" has " + note.dump() + ", which is not text");
            profile.notes.push_back(note.get<std::string>());
        }
        return {};
    }

    Result<void> readModel(const Json &json)
    {
        const auto found = json.find("model");
        if (found == json.end() || !found->is_object())
            return refuseAt("schedule", "\"model\" is not an object");
        TRY(readMembers(*found, "model", m_schedule.context.model));
        const auto reading = json.find("reading");
        return reading == json.end() || reading->is_null() ? Result<void>()
                                                           : readReading(*reading, m_schedule.context.model.reading);
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
                        fmt::format("its strategy is \"{}\", not concurrent, merge or fused", strategy));
        stage.strategy = *known;
        auto timing = timingFrom(json);
        if (!timing)
            return within("members", std::move(timing.error()));
        if (*timing)
            m_schedule.measured.stages.push_back(std::move(**timing));
        if (auto read = readGroups(json, m_names, stage); !read)
            return tl::unexpected(explained(std::move(read.error())));
        m_schedule.stages.push_back(std::move(stage));
        return {};
    }

    // A name that is missing from the model usually belongs to another model.
    [[nodiscard]] Error explained(Error error) const
    {
        const bool isUnknown = error.message.starts_with("the model has no operator");
        const Reading &reading = m_schedule.context.model.reading;
        if (isUnknown && reading != m_model.reading) {
            error.message =
                fmt::format("the schedule is for {} read {}: as it is open it has no operator of this name",
                            m_schedule.context.model.name, reading.isUsual() ? "as usual" : toString(reading));
            error.remedy = "Read the model in the same way: with --units, --without, --shape, --apart or "
                           "--split-operator; the window offers it";
            return error;
        }
        if (!isUnknown || m_schedule.context.model.sha256 == m_model.sha256)
            return error;
        error.message = fmt::format("the schedule is for another model, {}: {} has no operator of this name",
                                    m_schedule.context.model.name, m_model.name);
        error.remedy = "Open the model the schedule was made for.";
        return error;
    }

    const OperatorNames &m_names;
    const ModelReference &m_model;
    TimedSchedule m_schedule;
};

} // namespace

NamedGroups namedGroups(const OperatorNames &names, const Stage &stage)
{
    NamedGroups named{stage.strategy, {}, {}};
    for (const auto &group : stage.groups) {
        auto &list = named.groups.emplace_back();
        for (const OperatorId id : group)
            list.push_back(names[id]);
    }
    for (const OperatorId id : stage.launchOrder)
        named.launchOrder.push_back(names[id]);
    return named;
}

NamedStage namedStage(const OperatorNames &names, const Stage &stage)
{
    return {stage.block, namedGroups(names, stage)};
}

ScheduleInFile scheduleInFile(const OperatorNames &names, const TimedSchedule &schedule)
{
    ScheduleInFile file{schedule, {}, {}};
    if (schedule.streams)
        file.streams = streamsInFile(names, *schedule.streams);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i)
        file.stages.push_back(
            {namedStage(names, schedule.stages[i]),
             schedule.measured.stages.empty() ? std::nullopt : std::optional(schedule.measured.stages[i])});
    return file;
}

OrderedJson scheduleJson(const OperatorNames &names, const TimedSchedule &schedule)
{
    return jsonOf(scheduleInFile(names, schedule));
}

Result<SearchRecord> searchFrom(const Json &json)
{
    if (!json.is_object())
        return refuseAt("search", "is not a JSON object");
    SearchRecord search;
    TRY(readMembers(json, "search", search));
    if (search.freeUs && *search.freeUs < 0)
        search.freeUs.reset();
    if (search.boundWithoutBarriersUs && *search.boundWithoutBarriersUs < 0)
        search.boundWithoutBarriersUs.reset();
    std::string termination;
    ObjectReader reader(json, "search");
    reader.optional("termination", termination);
    TRY(reader.result());
    const auto known = terminationFromString(termination);
    if (!known)
        return refuseAt("search",
                        fmt::format(R"("termination" is "{}", which is not a way a search ends)", termination));
    search.termination = *known;
    return search;
}

namespace {

Result<std::vector<OperatorId>> operatorsFrom(const Json &list, std::string_view what, const OperatorNames &names)
{
    if (!list.is_array())
        return fail(ErrorCode::InvalidInput, fmt::format("{} is not a list of operator names", what));
    std::vector<OperatorId> operators;
    for (const Json &name : list) {
        if (!name.is_string())
            return fail(ErrorCode::InvalidInput, "an operator name is not text");
        const auto id = names.find(name.get_ref<const std::string &>());
        if (!id)
            return refuseAt("operator " + name.get<std::string>(), "the model has no operator of this name");
        operators.push_back(*id);
    }
    return operators;
}

} // namespace

Result<void> readGroups(const Json &object, const OperatorNames &names, Stage &stage)
{
    const auto groups = object.find("groups");
    if (groups == object.end() || !groups->is_array())
        return fail(ErrorCode::InvalidInput, "its \"groups\" is not a list");
    for (const Json &group : *groups) {
        TRY_AS(auto operators, operatorsFrom(group, "a group", names));
        stage.groups.push_back(std::move(operators));
    }
    const auto order = object.find("launch_order");
    if (order != object.end() && !order->is_null()) {
        TRY_AS(auto operators, operatorsFrom(*order, "its \"launch_order\"", names));
        stage.launchOrder = std::move(operators);
    }
    stage = normalized(std::move(stage));
    return {};
}

Result<TimedSchedule> scheduleFrom(const Json &json, const OperatorNames &names, const ModelReference &model)
{
    return ScheduleReader(names, model).read(json);
}

} // namespace stagecraft
