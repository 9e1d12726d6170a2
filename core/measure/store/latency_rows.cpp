#include "measure/store/latency_rows.h"

#include "timing/latency_quality.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

void bindTiming(Statement &statement, const Timing &timing)
{
    statement.bind(timing.meanUs).bind(timing.latencyUs).bind(timing.stddevUs);
    statement.bind(std::int64_t{std::max(timing.runs, 1)});
    statement.bind(std::int64_t{timing.clocks.coreMhz}).bind(std::int64_t{timing.clocks.memoryMhz});
    statement.bind(timing.clocks.slowedBy);
}

std::optional<Timing> timingFrom(const Statement &row, int column)
{
    const auto whole = [&](int at) { return static_cast<int>(row.integer(column + at)); };
    const int runs = whole(3);
    Timing timing{row.real(column + 1),
                  row.real(column),
                  row.real(column + 2),
                  runs > 1 ? runs : 0,
                  {whole(4), whole(5), row.text(column + 6)}};
    return isUsable(timing) && runs > 0 ? std::optional(std::move(timing)) : std::nullopt;
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
