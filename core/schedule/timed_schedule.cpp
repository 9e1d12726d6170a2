#include "schedule/timed_schedule.h"

#include <algorithm>
#include <array>
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

std::vector<double> TimedSchedule::stageLatenciesUs() const
{
    std::vector<double> latencies;
    for (const Timing &stage : measured.stages)
        latencies.push_back(stage.latencyUs);
    return latencies;
}

double TimedSchedule::sumOfStagesUs() const
{
    double us = 0;
    for (const Timing &stage : measured.stages)
        us += stage.latencyUs;
    return us;
}

std::optional<double> TimedSchedule::latencyUs() const
{
    return measured.whole ? std::optional(measured.whole->latencyUs) : std::nullopt;
}

bool TimedSchedule::leavesOutWork(const Graph &graph, std::size_t stage) const
{
    return leavesOutWork() && !areCosted(graph, stages[stage].groups);
}

} // namespace stagecraft
