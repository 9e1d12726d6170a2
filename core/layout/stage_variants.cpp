#include "layout/stage_variants.h"

#include "schedule/stage_groups.h"

#include <algorithm>
#include <map>

namespace stagecraft {
namespace {

constexpr std::size_t kMostLayouts = 1U << 18U; // of one stage

// Every assignment of pairs to the operators of a stage that agrees inside it.
class LayoutsOfStage {
public:
    LayoutsOfStage(const LayoutProblem &problem, const Stage &stage)
        : m_problem(problem), m_isMerge(stage.strategy == Strategy::Merge), m_operators(operatorsOf(stage))
    {
    }

    Result<std::vector<StageLayouts>> all()
    {
        if (!choose(0))
            return refused("a stage with " + std::to_string(m_operators.size()) +
                               " operators has too many layouts to try",
                           "give fewer layouts or a smaller r or s");
        return std::move(m_found);
    }

private:
    using Choice = LayoutProblem::Choice;

    // False: too many.
    bool choose(std::size_t member)
    {
        if (member == m_operators.size()) {
            m_found.push_back(m_current);
            return m_found.size() <= kMostLayouts;
        }
        for (const Choice &choice : operatorAt(member).choices) {
            if (!agrees(member, choice.layouts))
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
    bool m_isMerge;
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

Result<std::vector<StageVariant>> variantsOf(const Graph &graph, const LayoutProblem &problem, const Stage &stage,
                                             LayoutStageSource &source, const std::stop_token &stop)
{
    const auto layouts = LayoutsOfStage(problem, stage).all();
    if (!layouts)
        return tl::unexpected(layouts.error());
    if (layouts->empty())
        return std::vector<StageVariant>{};
    const auto latenciesUs = source.latenciesUs(stage, *layouts, stop);
    if (!latenciesUs)
        return tl::unexpected(latenciesUs.error());
    const EndsOfStage ends(graph, problem, stage);
    using Ends = std::pair<decltype(StageVariant::reads), decltype(StageVariant::writes)>;
    std::map<Ends, std::size_t> known;
    std::vector<StageVariant> variants;
    for (std::size_t i = 0; i < layouts->size(); ++i) {
        if ((*latenciesUs)[i] == kImpossible)
            continue;
        StageVariant made = ends.variant((*layouts)[i], (*latenciesUs)[i]);
        const auto [place, fresh] = known.try_emplace({made.reads, made.writes}, variants.size());
        if (fresh)
            variants.push_back(std::move(made));
        else if (made.us < variants[place->second].us)
            variants[place->second] = std::move(made);
    }
    return variants;
}

} // namespace stagecraft
