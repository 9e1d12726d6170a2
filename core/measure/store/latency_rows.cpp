#include "measure/store/latency_rows.h"

#include "timing/latency_quality.h"
#include "timing/timing_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace stagecraft {

using nlohmann::json;
using sqlite::Statement;

namespace {

using Groups = std::vector<std::vector<std::string>>;

// Names come from model files: bytes that are not UTF-8 must not throw.
std::string dump(const json &value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// What is said of each column, in their order.
template <typename Say>
std::string listed(const Say &say)
{
    std::string text;
    const Timing none;
    eachMember(none, [&](const Field &field, const auto &, bool = true) {
        text += (text.empty() ? "" : ", ") + std::string(say(field));
    });
    return text;
}

void read(const Statement &row, int column, double &value)
{
    value = row.real(column);
}
void read(const Statement &row, int column, int &value)
{
    value = static_cast<int>(row.integer(column));
}
void read(const Statement &row, int column, std::string &value)
{
    value = row.text(column);
}

std::optional<Groups> groupsFrom(const json &value)
{
    if (!value.is_array() || value.empty())
        return std::nullopt;
    Groups groups;
    for (const json &group : value) {
        if (!group.is_array())
            return std::nullopt;
        std::vector<std::string> &names = groups.emplace_back();
        for (const json &name : group) {
            if (!name.is_string())
                return std::nullopt;
            names.push_back(name.get<std::string>());
        }
    }
    return groups;
}

} // namespace

Statement &bindModel(Statement &statement, const MeasurementContext &context)
{
    return statement.bind(context.fingerprint).bind(context.deviceId).bind(context.batch).bind(context.model);
}

Statement &bindKey(Statement &statement, const MeasurementContext &context, const std::string &signature)
{
    return statement.bind(context.fingerprint).bind(context.deviceId).bind(context.batch).bind(signature);
}

const std::string &timingColumns()
{
    static const std::string columns = listed([](const Field &field) { return field.columnName(); });
    return columns;
}

const std::string &timingValues()
{
    static const std::string values = listed([](const Field &field) {
        return field.unit == Unit::None ? "NULLIF(?, '')" : field.unit == Unit::MHz ? "NULLIF(?, 0)" : "?";
    });
    return values;
}

void bindTiming(Statement &statement, const Timing &timing)
{
    eachMember(timing, [&](const Field &field, const auto &value, bool = true) {
        if constexpr (std::is_same_v<decltype(value), const int &>)
            statement.bind(std::int64_t{field.unit == Unit::Count ? std::max(value, 1) : value});
        else
            statement.bind(value);
    });
}

std::optional<Timing> timingFrom(const Statement &row, int column)
{
    Timing timing;
    eachMember(timing, [&](const Field &, auto &value, bool = true) { read(row, column++, value); });
    const bool isMeasured = timing.runs > 0;
    if (timing.runs == 1)
        timing.runs = 0;
    return isMeasured && isUsable(timing) ? std::optional(std::move(timing)) : std::nullopt;
}

std::string groupsText(const RecordedStage &stage)
{
    return dump(stage.groups);
}

std::string stagesText(const std::vector<RecordedStage> &stages)
{
    json value = json::array();
    for (const RecordedStage &stage : stages)
        value.push_back({toString(stage.strategy), stage.groups});
    return dump(value);
}

std::optional<Groups> groupsFrom(const std::string &text)
{
    return groupsFrom(json::parse(text, nullptr, false));
}

std::optional<std::vector<RecordedStage>> stagesFrom(const std::string &text)
{
    const json value = json::parse(text, nullptr, false);
    if (!value.is_array())
        return std::nullopt;
    std::vector<RecordedStage> stages;
    for (const json &stage : value) {
        if (!stage.is_array() || stage.size() != 2 || !stage[0].is_string())
            return std::nullopt;
        const auto strategy = strategyFromString(stage[0].get<std::string>());
        auto groups = groupsFrom(stage[1]);
        if (!strategy || !groups)
            return std::nullopt;
        stages.push_back({*strategy, std::move(*groups)});
    }
    return stages;
}

} // namespace stagecraft
