#include "widgets/schedule/chosen_parts.h"

#include "schedule/stage_groups.h"

#include <algorithm>

namespace stagecraft {
namespace {

template <typename Value>
void toggleIn(std::vector<Value> &values, Value value)
{
    if (std::erase(values, value) == 0)
        values.push_back(value);
}

template <typename Value>
void bringInOrder(std::vector<Value> &values)
{
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

} // namespace

bool ChosenParts::has(OperatorId op) const
{
    return std::ranges::find(operators, op) != operators.end();
}

bool ChosenParts::has(std::size_t stage) const
{
    return std::ranges::find(stages, stage) != stages.end();
}

void ChosenParts::toggle(OperatorId op)
{
    toggleIn(operators, op);
}

void ChosenParts::toggle(std::size_t stage)
{
    toggleIn(stages, stage);
}

std::vector<OperatorId> operatorsOf(const ChosenParts &chosen, const Schedule &schedule)
{
    std::vector<OperatorId> all = chosen.operators;
    for (const std::size_t stage : chosen.stages) {
        if (stage >= schedule.stages.size())
            continue;
        const auto some = operatorsOf(schedule.stages[stage]);
        all.insert(all.end(), some.begin(), some.end());
    }
    bringInOrder(all);
    return all;
}

std::vector<std::size_t> stagesOf(const ChosenParts &chosen, const Schedule &schedule)
{
    std::vector<std::size_t> all = chosen.stages;
    for (std::size_t i = 0; i < schedule.stages.size() && !chosen.operators.empty(); ++i) {
        const auto members = operatorsOf(schedule.stages[i]);
        if (std::ranges::any_of(members, [&](OperatorId op) { return chosen.has(op); }))
            all.push_back(i);
    }
    bringInOrder(all);
    return all;
}

ChosenParts chosenIn(const Schedule &now, const ChosenParts &chosen, const Schedule &before)
{
    ChosenParts result{chosen.operators, {}};
    if (chosen.stages.empty())
        return result;
    const auto ofStages = operatorsOf(ChosenParts{{}, chosen.stages}, before);
    for (std::size_t i = 0; i < now.stages.size(); ++i) {
        const auto members = operatorsOf(now.stages[i]);
        if (std::ranges::includes(ofStages, members))
            result.stages.push_back(i);
    }
    return result;
}

} // namespace stagecraft
