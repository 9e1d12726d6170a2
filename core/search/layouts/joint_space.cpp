#include "search/layouts/joint_space.h"

#include "search/layouts/layout_states.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {
namespace {

// Every conversion makes a wanted copy, or one that a later one starts from.
bool areAllUsed(const CopiesWay &way, LayoutSet wanted)
{
    for (std::size_t i = 0; i < way.hops.size(); ++i) {
        const LayoutIndex made = way.hops[i].to;
        const bool isSource = std::any_of(way.hops.begin() + static_cast<std::ptrdiff_t>(i) + 1, way.hops.end(),
                                          [made](const ConversionHop &later) { return later.from == made; });
        if (!has(wanted, made) && !isSource)
            return false;
    }
    return true;
}

} // namespace

CopiesWays::CopiesWays(ConversionTable table, std::size_t layouts, double chainUs)
    : m_table(std::move(table)), m_layouts(static_cast<LayoutIndex>(layouts)), m_chainUs(chainUs),
      m_ways(std::size_t{1} << (2 * layouts))
{
}

const std::vector<CopiesWay> &CopiesWays::of(LayoutSet copies, LayoutSet wanted)
{
    auto &ways = m_ways[(std::size_t{copies} << m_layouts) + wanted];
    if (!ways)
        follow(wanted, {copies, 0, {}}, ways.emplace());
    return *ways;
}

void CopiesWays::follow(LayoutSet wanted, const CopiesWay &soFar, std::vector<CopiesWay> &found) const
{
    if ((wanted & ~soFar.copies) == 0) {
        if (!areAllUsed(soFar, wanted))
            return;
        const auto costUs = [this](const CopiesWay &way) {
            return way.us + m_chainUs * static_cast<double>(way.hops.size());
        };
        const auto same = std::ranges::find(found, soFar.copies, &CopiesWay::copies);
        if (same == found.end())
            found.push_back(soFar);
        else if (costUs(soFar) < costUs(*same))
            *same = soFar;
        return;
    }
    for (LayoutIndex from = 0; from < m_layouts; ++from) {
        for (LayoutIndex to = 0; to < m_layouts; ++to) {
            const double us = m_table[from * m_layouts + to];
            if (!has(soFar.copies, from) || has(soFar.copies, to) || us == kImpossible)
                continue;
            CopiesWay next = soFar;
            next.copies |= only(to);
            next.us += us;
            next.hops.push_back({from, to});
            follow(wanted, next, found);
        }
    }
}

BlockTensors::BlockTensors(const Graph &graph, const Blocks &blocks, const LayoutProblem &problem, std::size_t block,
                           const BlockView &view)
    : m_tensors(1, 0), m_readers(1, 0), m_isReadLater(1, true), m_slotOf(problem.tensors.size(), 0)
{
    std::vector<std::size_t> blockOf(graph.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (const OperatorId id : blocks[i].operators)
            blockOf[id.index()] = i;
    }
    std::vector<OperatorSet> readers(problem.tensors.size());
    std::vector<bool> isReadLater(problem.tensors.size());
    for (std::size_t op = 0; op < problem.operators.size(); ++op) {
        const auto local = std::ranges::find(view.ids, OperatorId::fromIndex(op)) - view.ids.begin();
        for (const std::uint32_t tensor : problem.operators[op].inputs) {
            if (blockOf[op] == block)
                readers[tensor] |= single(static_cast<int>(local));
            else if (blockOf[op] > block)
                isReadLater[tensor] = true;
        }
    }
    for (std::uint32_t tensor = 0; tensor < problem.tensors.size(); ++tensor) {
        const OperatorId producer = graph.tensor(TensorId::fromIndex(tensor)).producer;
        const bool exists = !producer.isValid() || blockOf[producer.index()] <= block;
        const bool lives = readers[tensor] != 0 || isReadLater[tensor] || problem.tensors[tensor].isOutput;
        if (!exists || !lives)
            continue;
        m_slotOf[tensor] = m_tensors.size();
        m_tensors.push_back(tensor);
        m_readers.push_back(readers[tensor]);
        m_isReadLater.push_back(isReadLater[tensor] || problem.tensors[tensor].isOutput);
    }
}

Result<JointSpace> JointSpace::make(const Graph &graph, const Blocks &blocks, const LayoutProblem &problem,
                                    LayoutStageSource &source, const JointOptions &options)
{
    const Interrupt interrupt(options.stop);
    std::vector<StateSpace> spaces;
    std::vector<BlockTensors> tensors;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        auto space =
            buildStateSpace(makeBlockView(graph, blocks[i], i, options.search.pinned), options.search, {}, interrupt);
        if (!space && interrupt.raised())
            return fail(ErrorCode::Cancelled, "stopped");
        if (!space)
            return refused(
                fmt::format("block {} is too large to be searched whole, which stages and layouts together need",
                            i + 1),
                "give a smaller r or s");
        tensors.emplace_back(graph, blocks, problem, i, space->view);
        spaces.push_back(std::move(*space));
        if (tensors.back().slots() > CopiesOfCut::slots(problem.layouts.size()))
            return refused(fmt::format("block {} has {} live tensors, which is more than the joint search holds", i + 1,
                                       tensors.back().slots() - 1),
                           "give fewer layouts");
    }
    JointSpace made;
    made.m_graph = &graph;
    made.m_problem = &problem;
    made.m_source = &source;
    made.m_mostLayouts = options.maxLayoutsOfStage;
    made.m_boundary = source.boundaryCost();
    made.m_spaces = std::make_shared<const std::vector<StateSpace>>(std::move(spaces));
    made.m_tensors = std::make_shared<const std::vector<BlockTensors>>(std::move(tensors));
    made.forgetVariants();
    return made;
}

JointSpace JointSpace::with(const LayoutProblem &problem) const
{
    JointSpace made = *this;
    made.m_problem = &problem;
    made.forgetVariants();
    return made;
}

void JointSpace::forgetVariants()
{
    m_evaluations = 0;
    m_isComplete = true;
    m_ways.clear();
    for (const ConversionTable &table : m_problem->conversionTables)
        m_ways.emplace_back(table, m_problem->layouts.size(), m_boundary.chainUs);
    m_variants.assign(m_spaces->size(), {});
    m_atLeastUs.assign(m_spaces->size(), {});
    for (std::size_t block = 0; block < m_spaces->size(); ++block) {
        const auto count = static_cast<std::uint32_t>((*m_spaces)[block].stages.size());
        m_variants[block].resize(count);
        m_atLeastUs[block].reserve(count);
        for (std::uint32_t stage = 0; stage < count; ++stage)
            m_atLeastUs[block].push_back(m_source->atLeastUs((*m_spaces)[block].stage(stage)));
    }
}

std::int64_t JointSpace::stages() const
{
    std::int64_t count = 0;
    for (const StateSpace &space : *m_spaces)
        count += static_cast<std::int64_t>(space.stages.size());
    return count;
}

Result<const std::vector<StageVariant> *> JointSpace::evaluated(std::size_t block, std::uint32_t stage,
                                                                const std::stop_token &stop)
{
    auto &variants = m_variants[block][stage];
    if (variants)
        return &*variants;
    TRY_AS(auto found,
           variantsOf(*m_graph, *m_problem, (*m_spaces)[block].stage(stage), *m_source, m_mostLayouts, stop));
    ++m_evaluations;
    variants = std::move(found.all);
    if (!found.isComplete) { // what was known of the stage still bounds it
        m_isComplete = false;
        return &*variants;
    }
    double least = kImpossible;
    for (const StageVariant &variant : *variants)
        least = std::min(least, variant.us);
    m_atLeastUs[block][stage] = least;
    return &*variants;
}

} // namespace stagecraft
