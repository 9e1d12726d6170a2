#include "search/layouts/layout_choice.h"

#include "schedule/stage_groups.h"

#include <algorithm>
#include <span>
#include <utility>

namespace stagecraft {
namespace {

using Choice = LayoutProblem::Choice;

// The problem of given stages: a unit for each operator, and one for all members of a merge, in the order of the
// stages.
class StagesProblem {
public:
    StagesProblem(const LayoutProblem &problem, std::span<const Stage> stages, std::span<const double> factors)
        : m_of(problem), m_unitOf(problem.operators.size())
    {
        m_problem.layouts = problem.layouts;
        m_problem.fixed = problem.fixed;
        m_problem.tensors = problem.tensors;
        m_problem.conversionTables = problem.conversionTables;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const double factor = factors.empty() ? 1 : factors[i];
            if (stages[i].isMerged()) {
                add(operatorsOf(stages[i]), factor);
                continue;
            }
            for (const auto &group : stages[i].groups) {
                for (const OperatorId id : group)
                    add({id}, factor);
            }
        }
    }

    // The unit runs in none but its operators' fastest ways alone.
    void keepFastest(OperatorId op)
    {
        std::erase_if(m_problem.operators[m_unitOf[op.index()]].choices, [&](const Choice &choice) {
            const auto &own = m_of.operators[op.index()].choices;
            return std::ranges::find(own, choice.layouts, &Choice::layouts)->latencyUs >
                   fastestAlone(m_of, op.index()).latencyUs;
        });
    }

    Result<LayoutResult> search(const LayoutSearchOptions &options) const
    {
        auto found = searchLayouts(m_problem, options);
        if (!found)
            return found;
        LayoutAssignment &best = found->best;
        std::vector<LayoutPair> pairs;
        pairs.reserve(m_unitOf.size());
        for (const std::size_t unit : m_unitOf)
            pairs.push_back(best.operators[unit]);
        best.operators = std::move(pairs);
        for (LayoutConversion &made : best.conversions) {
            if (made.before >= 0)
                made.before =
                    static_cast<std::int64_t>(m_members[static_cast<std::size_t>(made.before)].front().index());
        }
        return found;
    }

private:
    void add(std::vector<OperatorId> members, double factor)
    {
        LayoutProblem::Operator unit = m_of.operators[members.front().index()];
        for (std::size_t i = 1; i < members.size(); ++i)
            join(unit, m_of.operators[members[i].index()]);
        for (Choice &choice : unit.choices)
            choice.latencyUs *= factor;
        for (const OperatorId id : members)
            m_unitOf[id.index()] = m_members.size();
        m_problem.operators.push_back(std::move(unit));
        m_members.push_back(std::move(members));
    }

    static void join(LayoutProblem::Operator &unit, const LayoutProblem::Operator &member)
    {
        unit.name += " + " + member.name;
        for (const std::uint32_t input : member.inputs) {
            if (std::ranges::find(unit.inputs, input) == unit.inputs.end())
                unit.inputs.push_back(input);
        }
        unit.outputs.insert(unit.outputs.end(), member.outputs.begin(), member.outputs.end());
        std::vector<Choice> common;
        for (const Choice &choice : unit.choices) {
            const auto other = std::ranges::find(member.choices, choice.layouts, &Choice::layouts);
            if (other != member.choices.end())
                common.push_back({choice.layouts, choice.latencyUs + other->latencyUs});
        }
        unit.choices = std::move(common);
    }

    const LayoutProblem &m_of;
    LayoutProblem m_problem;
    std::vector<std::size_t> m_unitOf;              // by operator
    std::vector<std::vector<OperatorId>> m_members; // by unit
};

double conversionsUs(const LayoutAssignment &assignment)
{
    double us = 0;
    for (const LayoutConversion &made : assignment.conversions)
        us += made.latencyUs;
    return us;
}

} // namespace

const Choice &fastestAlone(const LayoutProblem &problem, std::size_t op)
{
    return *std::ranges::min_element(problem.operators[op].choices, {}, &Choice::latencyUs);
}

const Choice &chosenOf(const LayoutProblem &problem, const LayoutAssignment &assignment, std::size_t op)
{
    return *std::ranges::find(problem.operators[op].choices, assignment.operators[op], &Choice::layouts);
}

Result<LayoutChoice> chooseLayouts(LayoutCosts costs, std::vector<Stage> stages, std::vector<double> factors,
                                   const LayoutSearchOptions &options)
{
    TRY_AS(auto found, StagesProblem(costs.problem, stages, factors).search(options));
    return LayoutChoice{std::move(costs), std::move(stages), std::move(factors), std::move(found)};
}

Result<LayoutReason> whyNotFastest(const LayoutChoice &choice, OperatorId op, const LayoutSearchOptions &options)
{
    StagesProblem problem(choice.costs.problem, choice.stages, choice.factors);
    problem.keepFastest(op);
    const auto forced = problem.search(options);
    if (!forced && forced.error().code == ErrorCode::Cancelled)
        return tl::unexpected(forced.error());
    if (!forced)
        return LayoutReason{kImpossible, 0, 0, false};
    const LayoutAssignment &best = choice.found.best;
    const LayoutAssignment &other = forced->best;
    return LayoutReason{other.latencyUs - best.latencyUs,
                        static_cast<std::int64_t>(other.conversions.size()) -
                            static_cast<std::int64_t>(best.conversions.size()),
                        conversionsUs(other) - conversionsUs(best), !forced->proved || !choice.found.proved};
}

} // namespace stagecraft
