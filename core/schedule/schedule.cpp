#include "schedule/schedule.h"

#include "schedule/strategy_words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::array<std::pair<Termination, std::string_view>, 9> kTerminations{{
    {Termination::None, ""},
    {Termination::Optimal, "optimal"},
    {Termination::WithinEpsilon, "proved within epsilon"},
    {Termination::UnderAssumption, "proved under an assumption"},
    {Termination::BoundsBroken, "bounds broken"},
    {Termination::InPart, "searched in part"},
    {Termination::Budget, "budget"},
    {Termination::Cancelled, "cancelled"},
    {Termination::BaselineKept, "baseline kept"},
}};

} // namespace

std::string_view toString(Strategy strategy)
{
    return std::ranges::find(Words<Strategy>::table, strategy, &Word<Strategy>::value)->text;
}

std::optional<Strategy> strategyFromString(std::string_view text)
{
    const auto found = std::ranges::find(Words<Strategy>::table, text, &Word<Strategy>::text);
    return found == std::end(Words<Strategy>::table) ? std::nullopt : std::optional(found->value);
}

std::string_view toString(Termination termination)
{
    const auto found = std::ranges::find(kTerminations, termination, &std::pair<Termination, std::string_view>::first);
    return found->second;
}

std::optional<Termination> terminationFromString(std::string_view text)
{
    const auto found = std::ranges::find(kTerminations, text, &std::pair<Termination, std::string_view>::second);
    return found == kTerminations.end() ? std::nullopt : std::optional(found->first);
}

std::size_t Stage::operatorCount() const
{
    std::size_t count = 0;
    for (const auto &group : groups)
        count += group.size();
    return count;
}

std::vector<double> Schedule::stageLatenciesUs() const
{
    std::vector<double> latencies;
    for (const Timing &stage : stageTimings)
        latencies.push_back(stage.latencyUs);
    return latencies;
}

double Schedule::sumOfStagesUs() const
{
    double us = 0;
    for (const Timing &stage : stageTimings)
        us += stage.latencyUs;
    return us;
}

std::optional<double> Schedule::latencyUs() const
{
    return timing ? std::optional(timing->latencyUs) : std::nullopt;
}

bool Schedule::leavesOutWork(const Graph &graph, std::size_t stage) const
{
    return leavesOutWork() && !areCosted(graph, stages[stage].groups);
}

Stage stageAlone(OperatorId id, std::size_t block)
{
    return {block, Strategy::Concurrent, {{id}}};
}

Stage normalized(Stage stage)
{
    for (auto &group : stage.groups)
        std::ranges::sort(group);
    std::ranges::sort(stage.groups);
    return stage;
}

} // namespace stagecraft
