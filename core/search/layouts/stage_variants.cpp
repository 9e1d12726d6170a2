#include "search/layouts/stage_variants.h"

#include "schedule/stage_groups.h"

#include <algorithm>
#include <map>

namespace stagecraft {
namespace {

// Every assignment of pairs to the operators of a stage that agrees inside it.
class LayoutsOfStage {
public:
    LayoutsOfStage(const LayoutProblem &problem, const Stage &stage, std::size_t most)
        : m_problem(problem), m_most(most), m_isMerge(stage.isMerged()), m_operators(operatorsOf(stage))
    {
    }

    Result<std::vector<StageLayouts>> all()
    {
        if (choose(0))
            return std::move(m_found);
        m_isReduced = true;
        m_found.clear();
        m_current.clear();
        if (choose(0))
            return std::move(m_found);
        return refused("a stage with " + std::to_string(m_operators.size()) + " operators has too many layouts to try",
                       "give fewer layouts or a smaller r or s");
    }

    // There were too many: only those in which operators write the layout that they read, where they can.
    [[nodiscard]] bool isReduced() const { return m_isReduced; }

private:
    using Choice = LayoutProblem::Choice;

    // False: too many.
    bool choose(std::size_t member)
    {
        if (member == m_operators.size()) {
            m_found.push_back(m_current);
            return m_found.size() <= m_most;
        }
        const std::vector<Choice> &choices = operatorAt(member).choices;
        const auto isMixed = [](const Choice &choice) { return choice.layouts.in != choice.layouts.out; };
        const bool leavesOut = m_isReduced && !std::ranges::all_of(choices, isMixed);
        for (const Choice &choice : choices) {
            if (!agrees(member, choice.layouts) || (leavesOut && isMixed(choice)))
                continue;
            m_current.push_back(choice.layouts);
            const bool fits = choose(member + 1);
            m_current.pop_back();
            if (!fits)
                return false;
        }
        return true;
    }

    [[nodiscard]] const LayoutProblem::Operator &operatorAt(std::size_t member) const
    {
        return m_problem.operators[m_operators[member].index()];
    }
    [[nodiscard]] bool agrees(std::size_t member, LayoutPair layouts) const
    {
        if (m_isMerge && member > 0 && layouts != m_current.front())
            return false;
        const auto &inputs = operatorAt(member).inputs;
        for (std::size_t before = 0; before < member; ++before) {
            const bool isRead = std::ranges::any_of(operatorAt(before).outputs, [&](std::uint32_t tensor) {
                return std::ranges::find(inputs, tensor) != inputs.end();
            });
            if (isRead && m_current[before].out != layouts.in)
                return false;
        }
        return true;
    }

    const LayoutProblem &m_problem;
    std::size_t m_most;
    bool m_isMerge;
    bool m_isReduced = false;
    std::vector<OperatorId> m_operators;
    StageLayouts m_current;
    std::vector<StageLayouts> m_found;
};

// What a stage reads from outside and writes for outside.
class EndsOfStage {
public:
    EndsOfStage(const Graph &graph, const LayoutProblem &problem, const Stage &stage)
    {
        const std::vector<OperatorId> operators = operatorsOf(stage);
        const auto isInside = [&](OperatorId id) { return std::ranges::binary_search(operators, id); };
        for (std::size_t member = 0; member < operators.size(); ++member) {
            const LayoutProblem::Operator &op = problem.operators[operators[member].index()];
            for (const std::uint32_t tensor : op.inputs) {
                const OperatorId producer = graph.tensor(TensorId::fromIndex(tensor)).producer;
                if (!producer.isValid() || !isInside(producer))
                    m_reads.emplace_back(tensor, member);
            }
            const auto successors = graph.successors(operators[member]);
            for (const std::uint32_t tensor : op.outputs) {
                const bool isReadOutside = std::ranges::any_of(successors, [&](OperatorId reader) {
                    const auto &inputs = problem.operators[reader.index()].inputs;
                    return !isInside(reader) && std::ranges::find(inputs, tensor) != inputs.end();
                });
                if (isReadOutside || problem.tensors[tensor].isOutput)
                    m_writes.emplace_back(tensor, member);
            }
        }
        std::ranges::sort(m_reads);
    }

    [[nodiscard]] StageVariant variant(const StageLayouts &layouts, double us) const
    {
        StageVariant made{us, {}, {}, layouts};
        for (const auto &[tensor, member] : m_reads) {
            if (made.reads.empty() || made.reads.back().first != tensor)
                made.reads.emplace_back(tensor, LayoutSet{0});
            made.reads.back().second |= only(layouts[member].in);
        }
        for (const auto &[tensor, member] : m_writes)
            made.writes.emplace_back(tensor, layouts[member].out);
        return made;
    }

private:
    std::vector<std::pair<std::uint32_t, std::size_t>> m_reads;  // tensor, member
    std::vector<std::pair<std::uint32_t, std::size_t>> m_writes; // the same
};

} // namespace

Result<StageVariants> variantsOf(const Graph &graph, const LayoutProblem &problem, const Stage &stage,
                                 LayoutStageSource &source, std::size_t most, const std::stop_token &stop)
{
    LayoutsOfStage ofStage(problem, stage, most);
    TRY_AS(const auto layouts, ofStage.all());
    if (layouts.empty())
        return StageVariants{{}, !ofStage.isReduced()};
    TRY_AS(const auto latenciesUs, source.latenciesUs(stage, layouts, stop));
    const EndsOfStage ends(graph, problem, stage);
    using Ends = std::pair<decltype(StageVariant::reads), decltype(StageVariant::writes)>;
    std::map<Ends, std::size_t> known;
    std::vector<StageVariant> variants;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        if (latenciesUs[i] == kImpossible)
            continue;
        StageVariant made = ends.variant(layouts[i], latenciesUs[i]);
        const auto [place, fresh] = known.try_emplace({made.reads, made.writes}, variants.size());
        if (fresh)
            variants.push_back(std::move(made));
        else if (made.us < variants[place->second].us)
            variants[place->second] = std::move(made);
    }
    return StageVariants{std::move(variants), !ofStage.isReduced()};
}

} // namespace stagecraft
