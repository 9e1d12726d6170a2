#include "search/stages/search.h"

#include "schedule/verify.h"
#include "search/infinity.h"
#include "search/stages/first_schedules.h"
#include "search/stages/latency_queries.h"
#include "search/stages/lazy_search.h"
#include "search/stages/pins.h"
#include "search/stages/runners_up.h"
#include "search/stages/stated_gap.h"
#include "search/stages/whole_spaces.h"
#include "search/stages/windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

namespace stagecraft {

namespace {

constexpr std::size_t kRunnersUp = 8; // per block
constexpr double kFinishSeconds = 0.01;
constexpr double kPrunedShare = 0.3; // of the remaining time: to build replacements for spaces that take too long
constexpr double kWorthAnotherRound = 0.002;
constexpr std::array<std::size_t, 4> kFirstWindow{16, 8, 12, 4}; // operators, by round

Result<void> checkOptions(const SearchOptions &options)
{
    if (!(options.epsilon >= 0))
        return fail(ErrorCode::WrongUse, "epsilon must be at least 0");
    return checkPruning(options);
}

class Search {
public:
    Search(const Graph &graph, const Blocks &blocks, StageLatencySource &source, const SearchOptions &options,
           const SearchProgressCallback &progress, std::stop_token stop)
        : m_graph(graph), m_blocks(blocks), m_options(withPinsInNormalForm(options)), m_boundary(source.boundaryCost()),
          m_queries(graph, source, options, progress, std::move(stop))
    {
    }

    Result<FoundSchedule> run()
    {
        TRY(checkOptions(m_options));
        TRY(verifyBlocks(m_graph, m_blocks));
        TRY(checkPins(m_graph, m_blocks, m_options.pinned));
        if (isOrderLearned())
            m_order.emplace(m_graph, m_queries.source().samples());
        m_wholeSpaces.emplace(m_graph, m_blocks, m_options);
        m_queries.progress().blocks = m_blocks.size();
        tryFirstSchedules();
        for (std::size_t round = 0; buildSpaces(round); ++round) {
            const double beforeUs = m_bestUs;
            searchSpaces();
            // Windows that gained nothing with two different cuts will hardly gain with a third.
            const bool gained = m_bestUs < beforeUs * (1 - kWorthAnotherRound);
            const bool through = !m_hasWindows || (round > 0 && !gained);
            if (m_queries.mustEnd() || (through && !m_wholeSpaces->isUnderWay()))
                break;
            m_buildToTheEnd = through; // there is no better use of the time
        }
        return finish();
    }

private:
    [[nodiscard]] bool isOrderLearned() const
    {
        const StageLatencySource &source = m_queries.source();
        if (m_options.exhaustive || source.isTable() || source.isPartial())
            return false; // all is asked for
        return m_options.order == SearchOrder::Learned || (m_options.order == SearchOrder::Auto && source.isNoisy());
    }

    void tryFirstSchedules()
    {
        // Single operators come first: they make the schedule that always exists, and the weights for the others.
        const TimedSchedule sequential = keepPins(m_graph, m_blocks, sequentialSchedule(m_graph, m_blocks), m_options);
        want({sequential});
        const std::vector<double> sequentialUs = latenciesOf(sequential);
        consider(sequential, sequentialUs);
        std::vector<double> weight(m_graph.size(), 0);
        m_operatorUs = weight;
        m_pinnedUs.assign(m_blocks.size(), 0);
        for (std::size_t i = 0; i < sequentialUs.size(); ++i) {
            const Stage &stage = sequential.stages[i];
            const double latencyUs = sequentialUs[i];
            if (!std::isfinite(latencyUs))
                continue;
            const bool isPinned = std::ranges::find(m_options.pinned, stage) != m_options.pinned.end();
            for (const auto &group : stage.groups) {
                for (const OperatorId id : group) {
                    weight[id.index()] = latencyUs / static_cast<double>(stage.operatorCount());
                    m_operatorUs[id.index()] = isPinned ? 0 : latencyUs;
                }
            }
            m_pinnedUs[stage.block] += isPinned ? latencyUs : 0;
        }
        m_queries.keepBudget(true);
        if (m_order && !m_options.maxMeasurements && !m_options.maxSeconds)
            return; // what is guessed leads to better ones
        std::vector<TimedSchedule> others;
        if (m_options.strategies != StrategySet::Merge) {
            others.push_back(boundedGreedySchedule(m_graph, m_blocks, m_options));
            others.push_back(listSchedule(m_graph, m_blocks, m_options, weight));
        }
        if (m_options.strategies != StrategySet::Parallel)
            others.push_back(mergedSchedule(m_graph, m_blocks, m_options));
        if (m_options.strategies == StrategySet::All)
            others.push_back(fusedSchedule(m_graph, m_blocks, m_options));
        for (TimedSchedule &schedule : others)
            schedule = keepPins(m_graph, m_blocks, std::move(schedule), m_options);
        want(others);
        for (TimedSchedule &schedule : others)
            consider(std::move(schedule));
    }

    // All of their stages are going to be asked for.
    void want(const std::vector<TimedSchedule> &schedules)
    {
        if (m_queries.atATime() == 1)
            return;
        std::vector<WantedStage> stages;
        for (const TimedSchedule &schedule : schedules) {
            for (const Stage &stage : schedule.stages)
                stages.push_back({stage, m_queries.keyOf(stage)});
        }
        m_queries.want(std::move(stages));
    }

    // Asks for the stages in order, until the search has to end.
    std::vector<double> latenciesOf(const TimedSchedule &schedule)
    {
        std::vector<double> latenciesUs;
        for (const Stage &stage : schedule.stages) {
            const auto latencyUs = m_queries.ask(stage);
            if (!latencyUs)
                break;
            latenciesUs.push_back(*latencyUs);
        }
        return latenciesUs;
    }

    void consider(TimedSchedule schedule)
    {
        const std::vector<double> latenciesUs = latenciesOf(schedule);
        consider(std::move(schedule), latenciesUs);
    }

    void consider(TimedSchedule schedule, const std::vector<double> &latenciesUs)
    {
        if (latenciesUs.size() < schedule.stages.size())
            return;
        double totalUs = 0;
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            if (i > 0)
                totalUs += m_boundary.between(schedule.stages[i - 1], schedule.stages[i]);
            totalUs += latenciesUs[i];
            schedule.measured.stages.push_back(Timing::ofLatency(latenciesUs[i]));
        }
        if (totalUs >= m_bestUs)
            return;
        m_bestUs = totalUs;
        m_best = std::move(schedule);
        m_queries.progress().bestUs = totalUs;
    }

    // Builds the spaces of all blocks, small before large. If a block's space is too large, it gets the usual pruning,
    // or windows of the best schedule if that does not help or takes too long. If there is no time for that, the spaces
    // of the last round stay.
    bool buildSpaces(std::size_t round)
    {
        const double leftSeconds = m_options.maxSeconds.value_or(kInfinity) - m_queries.elapsedSeconds();
        m_wholeSpaces->build(m_queries, leftSeconds, m_buildToTheEnd);
        if (m_queries.interrupt().raised())
            return false;
        takeBackWholeSpaces();
        const Interrupt building(m_queries.interrupt().token(), kPrunedShare * leftSeconds, m_queries.clock());
        SpaceLimits left = m_wholeSpaces->left();
        left.transitions = std::max(left.transitions, kPrunedTransitions); // for one block at least
        std::size_t others = 0;                                            // operators of blocks without a whole space
        for (std::size_t b = 0; b < m_blocks.size(); ++b)
            others += m_wholeSpaces->has(b) ? 0 : m_blocks[b].operators.size();
        m_windowLimits = windowLimits(others);
        std::vector<std::vector<StateSpace>> spaces(m_blocks.size());
        for (const std::size_t b : m_wholeSpaces->order()) {
            if (auto space = m_wholeSpaces->take(b))
                spaces[b].push_back(std::move(*space));
            else
                spaces[b] = substitutes(b, round, left, building);
            if (spaces[b].empty() || m_queries.interrupt().raised()) {
                m_tooLarge.assign(m_blocks.size(), true);
                return false;
            }
            report(spaces[b]);
        }
        for (auto &ofBlock : spaces)
            std::ranges::move(ofBlock, std::back_inserter(m_spaces));
        m_table = StageTable::make(m_spaces, m_queries, m_options.bounds);
        return m_table != nullptr;
    }

    void takeBackWholeSpaces()
    {
        m_table.reset();
        for (StateSpace &space : m_spaces) {
            if (!m_tooLarge[space.view.index])
                m_wholeSpaces->giveBack(std::move(space));
        }
        m_spaces.clear();
        m_tooLarge.assign(m_blocks.size(), false);
        m_hasWindows = false;
    }

    // Replacements for a block whose whole space is not built. Empty: there is no time.
    std::vector<StateSpace> substitutes(std::size_t block, std::size_t round, SpaceLimits &left,
                                        const Interrupt &building)
    {
        m_tooLarge[block] = true;
        std::vector<StateSpace> spaces;
        if (auto pruned = buildPrunedSpace(viewOf(block), m_options, left, building)) {
            left.transitions -= std::min(left.transitions, pruned->transitions.size());
            left.stages -= std::min(left.stages, pruned->stages.size());
            spaces.push_back(std::move(*pruned));
        } else if (auto windows = windowsOf(block, round)) {
            spaces = std::move(*windows);
        }
        return spaces;
    }

    [[nodiscard]] BlockView viewOf(std::size_t block) const
    {
        return makeBlockView(m_graph, m_blocks[block], block, m_options.pinned);
    }

    void report(const std::vector<StateSpace> &spaces)
    {
        SearchProgress &progress = m_queries.progress();
        for (const StateSpace &space : spaces) {
            progress.statesDone += static_cast<std::int64_t>(space.states.count()) - 1;
            progress.transitions += static_cast<std::int64_t>(space.transitions.size());
        }
        progress.block = std::min(progress.block + 1, m_blocks.size() - 1); // a second round does not start over
        m_queries.report();
    }

    std::optional<std::vector<StateSpace>> windowsOf(std::size_t block, std::size_t round)
    {
        if (!m_best)
            return std::nullopt;
        m_hasWindows = true;
        std::vector<Stage> stages;
        std::ranges::copy_if(m_best->stages, std::back_inserter(stages),
                             [&](const Stage &stage) { return stage.block == block; });
        const std::size_t shift = kFirstWindow[round % kFirstWindow.size()];
        return buildWindows(m_graph, stages, shift, m_options, m_windowLimits, m_queries.interrupt());
    }

    void searchSpaces()
    {
        SearchOptions options = m_options;
        if (m_hasWindows)
            options.epsilon = std::max(options.epsilon, kWorthAnotherRound);
        LazySearch search(m_spaces, *m_table, m_queries, options, m_bestUs, m_order ? &*m_order : nullptr);
        if (m_queries.source().isPartial())
            search.runOnKnown();
        else if (m_options.exhaustive || m_queries.source().isTable())
            search.runExhaustively();
        else
            search.run();
        const bool whole = std::ranges::none_of(m_tooLarge, std::identity{});
        m_lowerUs = whole ? search.lowerBoundUs() : 0;
        m_wanted = search.wanted();
        if (!search.best())
            return;
        m_bestUs = search.bestUs();
        m_best = TimedSchedule{};
        for (std::size_t s = 0; s < m_spaces.size(); ++s) {
            for (const std::uint32_t stage : (*search.best())[s]) {
                m_best->stages.push_back(m_spaces[s].stage(stage));
                m_best->measured.stages.push_back(Timing::ofLatency(m_table->at(m_table->classOf(s, stage)).latencyUs));
            }
        }
    }

    Result<FoundSchedule> finish()
    {
        m_queries.report(true);
        if (m_queries.fatal())
            return tl::unexpected(*m_queries.fatal());
        if (!m_best && m_queries.cancelled())
            return fail(ErrorCode::Cancelled, "the search was cancelled before a schedule was measured");
        if (!m_best || !std::isfinite(m_bestUs))
            return tl::unexpected(
                m_queries.refusal().value_or(Error{ErrorCode::DeviceFailed, "no schedule could be measured", {}, {}}));
        FoundSchedule result;
        result.schedule = std::move(*m_best);
        result.schedule.measured.whole = Timing::ofLatency(m_bestUs);
        fillBlocks(result);
        result.schedule.context.batch = m_graph.batch();
        fillRecord(result.schedule.search, result.blocks);
        stateGap(result);
        result.refusal = m_queries.refusal();
        result.wanted = std::move(m_wanted);
        TRY(verifySchedule(m_graph, m_blocks, result.schedule));
        TRY(verifyPins(m_graph, result.schedule, m_options.pinned));
        return result;
    }

    void fillRecord(SearchRecord &record, const std::vector<BlockSearch> &blocks) const
    {
        record.strategy = "ios-" + std::string(toString(m_options.strategies));
        record.r = m_options.r;
        record.s = m_options.s;
        record.singleSource = m_options.singleSource;
        record.pinnedStages = static_cast<std::int64_t>(m_options.pinned.size());
        for (const StateSpace &space : m_spaces) {
            record.states += static_cast<std::int64_t>(space.states.count()) - 1;
            record.transitions += static_cast<std::int64_t>(space.transitions.size());
        }
        record.stageMeasurements = m_queries.measurements();
        record.stagesRepeated = m_queries.repeated();
        record.stagesRefused = m_queries.refused();
        for (const BlockSearch &block : blocks)
            record.cacheHits += block.cacheHits;
        record.order = toString(m_order ? SearchOrder::Learned : SearchOrder::Bounds);
        record.trainedOn = m_order ? m_order->trainedOn() : 0;
        record.measureSeconds = m_queries.measureSeconds();
        record.searchSeconds = m_queries.elapsedSeconds() - m_queries.measureSeconds();
        record.sumUs = m_bestUs;
    }

    void stateGap(FoundSchedule &result) const
    {
        const GapQuestion question{m_graph,       m_blocks,   m_options,    m_queries.source(), m_spaces,
                                   m_table.get(), m_tooLarge, m_operatorUs, m_pinnedUs,         result.schedule.stages,
                                   m_bestUs,      m_lowerUs};
        StatedGap stated = statedGap(question, result.blocks, reportInterrupt());
        SearchRecord &record = result.schedule.search;
        record.termination = terminationOf(stated);
        record.gap = stated.gap;
        record.assumption = std::move(stated.assumption);
        for (BlockSearch &block : result.blocks) {
            block.lowerBoundUs = stated.blockUs[block.block];
            block.inPlaceBoundUs = stated.inPlaceUs[block.block];
        }
    }

    [[nodiscard]] Termination terminationOf(const StatedGap &stated) const
    {
        const bool broken = stated.assumption && stated.assumption->allowed > 0;
        if (stated.within && (stated.needsMore || broken))
            return Termination::UnderAssumption;
        if (stated.within)
            return stated.gap == 0 ? Termination::Optimal : Termination::WithinEpsilon;
        if (m_queries.cancelled())
            return Termination::Cancelled;
        if (m_queries.mustEnd())
            return Termination::Budget;
        const bool whole = std::ranges::none_of(m_tooLarge, std::identity{});
        return whole ? Termination::BoundsBroken : Termination::InPart;
    }

    // Building the report may take a moment, but not long after the search had to end.
    [[nodiscard]] Interrupt reportInterrupt() const
    {
        return Interrupt({}, m_queries.mustEnd() ? kFinishSeconds : kInfinity, m_queries.clock());
    }

    // Latency of a block: its stages and the boundaries between them.
    void fillBlocks(FoundSchedule &result)
    {
        const TimedSchedule &schedule = result.schedule;
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            result.blocks.push_back({});
            result.blocks[b].block = b;
            result.blocks[b].stageMeasurements = m_queries.measurementsOf(b);
        }
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            BlockSearch &record = result.blocks[schedule.stages[i].block];
            record.latencyUs += schedule.measured.stages[i].latencyUs;
            if (i > 0 && schedule.stages[i - 1].block == schedule.stages[i].block)
                record.latencyUs += m_boundary.between(schedule.stages[i - 1], schedule.stages[i]);
        }
        if (m_table)
            describeSpaces(result);
        else
            m_tooLarge.assign(m_blocks.size(), true); // there was no time for any
        for (BlockSearch &record : result.blocks)
            record.cacheHits = std::max<std::int64_t>(0, record.cacheHits - record.stageMeasurements);
    }

    // Sizes and runners-up of the blocks whose spaces are in memory.
    void describeSpaces(FoundSchedule &result) const
    {
        auto runnersUp = findRunnersUp(m_spaces, *m_table, m_boundary, result.schedule, kRunnersUp, reportInterrupt());
        for (std::size_t s = 0; s < m_spaces.size(); ++s) {
            const StateSpace &space = m_spaces[s];
            BlockSearch &record = result.blocks[space.view.index];
            record.states += static_cast<std::int64_t>(space.states.count()) - 1;
            record.transitions += static_cast<std::int64_t>(space.transitions.size());
            for (std::uint32_t stage = 0; stage < space.stages.size(); ++stage)
                record.cacheHits += m_table->at(m_table->classOf(s, stage)).known();
            std::ranges::move(runnersUp[s], std::back_inserter(record.runnersUp));
        }
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    const SearchOptions m_options;
    BoundaryCost m_boundary;
    LatencyQueries m_queries;
    std::vector<StateSpace> m_spaces;
    std::unique_ptr<StageTable> m_table;
    std::vector<bool> m_tooLarge; // per block: its whole space is not in memory
    std::optional<WholeSpaces> m_wholeSpaces;
    std::optional<LearnedOrder> m_order; // empty: by bounds
    SpaceLimits m_windowLimits;
    bool m_hasWindows = false;
    bool m_buildToTheEnd = false;
    std::vector<double> m_operatorUs;   // of each operator alone in a stage; 0 for pinned operators
    std::vector<double> m_pinnedUs;     // sum of the pinned stages, per block
    std::vector<MissingStage> m_wanted; // of a partial source
    std::optional<TimedSchedule> m_best;
    double m_bestUs = kInfinity;
    double m_lowerUs = 0; // under the bounds that the search trusts
};

} // namespace

Result<FoundSchedule> searchSchedule(const Graph &graph, const Blocks &blocks, StageLatencySource &source,
                                     const SearchOptions &options, const SearchProgressCallback &progress,
                                     std::stop_token stop)
{
    return Search(graph, blocks, source, options, progress, std::move(stop)).run();
}

} // namespace stagecraft
