#include "search/search.h"

#include "schedule/verify.h"
#include "search/asker.h"
#include "search/first_schedules.h"
#include "search/infinity.h"
#include "search/lazy_search.h"
#include "search/runners_up.h"
#include "search/windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

namespace stagecraft {

namespace {

constexpr std::size_t kRunnersUp = 8; // a block
constexpr double kLastWordsSeconds = 0.01;
constexpr std::string_view kAssumption = "no stage gets faster by an operator more";
// A search that must end in time holds what can be built in a share of it, and as many stages as can be named in
// another (about 5 us each).
constexpr double kBuildShare = 0.3;
constexpr double kStagesPerSecond = 50'000;
constexpr double kWorthAnotherRound = 0.002;
constexpr std::array<std::size_t, 4> kFirstWindow{16, 8, 12, 4}; // operators, round by round

Result<void> checkOptions(const SearchOptions &options)
{
    if (options.r < 0 || options.s < 0)
        return fail(ErrorCode::WrongUse, "r and s must be at least 1, or 0 for no bound");
    if (!(options.epsilon >= 0))
        return fail(ErrorCode::WrongUse, "epsilon must be at least 0");
    return {};
}

class Search {
public:
    Search(const Graph &graph, const Blocks &blocks, StageLatencySource &source, const SearchOptions &options,
           const SearchProgressCallback &progress, std::stop_token stop)
        : m_graph(graph), m_blocks(blocks), m_options(options), m_boundary(source.boundaryCost()),
          m_asker(graph, source, options, progress, std::move(stop))
    {
    }

    Result<SearchResult> run()
    {
        if (auto checked = checkOptions(m_options); !checked)
            return tl::unexpected(checked.error());
        if (auto checked = verifyBlocks(m_graph, m_blocks); !checked)
            return tl::unexpected(checked.error());
        m_asker.progress().blocks = m_blocks.size();
        tryFirstSchedules();
        for (std::size_t round = 0; buildSpaces(round); ++round) {
            const double beforeUs = m_bestUs;
            searchSpaces();
            // Windows that gained nothing where they were cut twice will hardly do so a third time.
            const bool gained = m_bestUs < beforeUs * (1 - kWorthAnotherRound);
            if (!m_hasWindows || m_asker.mustEnd() || (round > 0 && !gained))
                break;
        }
        return finish();
    }

private:
    void tryFirstSchedules()
    {
        // Operators alone are asked for first: they make the schedule that is always there, and the weights of the
        // others.
        consider(sequentialSchedule(m_graph, m_blocks));
        std::vector<double> weight(m_graph.size(), 0);
        for (const Stage &stage : sequentialSchedule(m_graph, m_blocks).stages) {
            const auto latencyUs = m_asker.ask(stage);
            if (latencyUs && std::isfinite(*latencyUs))
                weight[stage.groups.front().front().index()] = *latencyUs;
        }
        m_operatorUs = weight;
        m_asker.keepBudget(true);
        if (m_options.strategies != StrategySet::Merge) {
            consider(boundedGreedySchedule(m_graph, m_blocks, m_options));
            consider(listSchedule(m_graph, m_blocks, m_options, weight));
        }
        if (m_options.strategies != StrategySet::Parallel)
            consider(mergedSchedule(m_graph, m_blocks, m_options));
    }

    void consider(Schedule schedule)
    {
        double totalUs = 0;
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            const auto latencyUs = m_asker.ask(schedule.stages[i]);
            if (!latencyUs)
                return;
            if (i > 0)
                totalUs += m_boundary.between(schedule.stages[i - 1], schedule.stages[i]);
            totalUs += *latencyUs;
            schedule.stageLatencyUs.push_back(*latencyUs);
        }
        if (totalUs >= m_bestUs)
            return;
        m_bestUs = totalUs;
        m_best = std::move(schedule);
        m_asker.progress().bestUs = totalUs;
    }

    // The spaces of all blocks, small before large. A block whose space is too large gets the usual pruning or, where
    // that does not help or takes too long, windows of the best schedule so far.
    bool buildSpaces(std::size_t round)
    {
        m_table.reset();
        m_spaces.clear();
        m_tooLarge.assign(m_blocks.size(), false);
        m_hasWindows = false;
        const double leftSeconds = m_options.maxSeconds.value_or(kInfinity) - m_asker.elapsedSeconds();
        const Interrupt building(m_asker.interrupt().token(), kBuildShare * leftSeconds);
        SpaceLimits left;
        if (kStagesPerSecond * leftSeconds < static_cast<double>(left.stages))
            left.stages = static_cast<std::size_t>(kStagesPerSecond * std::max(0.0, leftSeconds));
        std::vector<std::vector<StateSpace>> spaces(m_blocks.size());
        for (const std::size_t b : smallBeforeLarge()) {
            const BlockView view = makeBlockView(m_graph, m_blocks[b], b);
            auto space = buildStateSpace(view, m_options, left, building);
            if (!space) {
                m_tooLarge[b] = true;
                space = buildPrunedSpace(view, m_options, left, building);
            }
            if (space) {
                left.transitions -= std::min(left.transitions, space->transitions.size());
                left.stages -= std::min(left.stages, space->stages.size());
                spaces[b].push_back(std::move(*space));
            } else if (auto windows = windowsOf(b, round)) {
                spaces[b] = std::move(*windows);
            }
            if (spaces[b].empty() || m_asker.interrupt().raised()) {
                m_tooLarge.assign(m_blocks.size(), true);
                return false;
            }
            report(spaces[b]);
        }
        for (auto &ofBlock : spaces)
            std::ranges::move(ofBlock, std::back_inserter(m_spaces));
        m_table = StageTable::make(m_spaces, m_asker, m_options.bounds);
        return m_table != nullptr;
    }

    [[nodiscard]] std::vector<std::size_t> smallBeforeLarge() const
    {
        std::vector<double> bound;
        for (const Block &block : m_blocks)
            bound.push_back(transitionBound(block.operators.size(), width(m_graph, block)));
        std::vector<std::size_t> order(m_blocks.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t b) { return bound[b]; });
        return order;
    }

    void report(const std::vector<StateSpace> &spaces)
    {
        SearchProgress &progress = m_asker.progress();
        for (const StateSpace &space : spaces) {
            progress.statesDone += static_cast<std::int64_t>(space.states.count()) - 1;
            progress.transitions += static_cast<std::int64_t>(space.transitions.size());
        }
        progress.block = std::min(progress.block + 1, m_blocks.size() - 1); // a second round does not start over
        m_asker.report();
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
        return buildWindows(m_graph, stages, shift, m_options, m_asker.interrupt());
    }

    void searchSpaces()
    {
        SearchOptions options = m_options;
        if (m_hasWindows)
            options.epsilon = std::max(options.epsilon, kWorthAnotherRound);
        LazySearch search(m_spaces, *m_table, m_asker, options, m_bestUs);
        if (m_options.exhaustive || m_asker.source().isTable())
            search.runExhaustively();
        else
            search.run();
        const bool whole = std::ranges::none_of(m_tooLarge, std::identity{});
        m_lowerUs = whole ? search.lowerBoundUs() : 0;
        m_proved = whole && search.proved();
        m_everythingKnown = m_table->unknown() == 0;
        m_surelyUs = whole ? surelyAtLeastUs() : 0;
        if (!search.best())
            return;
        m_bestUs = search.bestUs();
        m_best = Schedule{};
        for (std::size_t s = 0; s < m_spaces.size(); ++s) {
            for (const std::uint32_t stage : (*search.best())[s]) {
                m_best->stages.push_back(m_spaces[s].stage(stage));
                m_best->stageLatencyUs.push_back(m_table->at(m_table->classOf(s, stage)).latencyUs);
            }
        }
    }

    // The bound on the whole schedule that needs no assumption; 0 if there was no time left for it.
    [[nodiscard]] double surelyAtLeastUs() const
    {
        if (!m_table->assumes())
            return m_lowerUs;
        std::vector<std::vector<double>> us;
        for (std::size_t s = 0; s < m_spaces.size(); ++s)
            us.push_back(m_table->surelyAtLeast(s));
        Chain chain(m_spaces, m_boundary);
        const Interrupt patience({}, m_asker.mustEnd() ? kLastWordsSeconds : kInfinity);
        const bool solved = chain.solve([&](std::size_t space) { return SpaceCosts{us[space], 1}; }, patience);
        return solved ? std::min(chain.totalUs(), m_lowerUs) : 0;
    }

    Result<SearchResult> finish()
    {
        m_asker.report(true);
        if (m_asker.fatal())
            return tl::unexpected(*m_asker.fatal());
        if (!m_best && m_asker.cancelled())
            return fail(ErrorCode::Cancelled, "the search was cancelled before a schedule was measured");
        if (!m_best || !std::isfinite(m_bestUs))
            return tl::unexpected(
                m_asker.refusal().value_or(Error{ErrorCode::DeviceFailed, "no schedule could be measured", {}, {}}));
        SearchResult result;
        result.schedule = std::move(*m_best);
        result.schedule.latencyUs = m_bestUs;
        fillBlocks(result);
        result.schedule.batch = m_graph.batch();
        fillRecord(result.schedule.search, result.blocks);
        result.refusal = m_asker.refusal();
        if (auto legal = verifySchedule(m_graph, m_blocks, result.schedule); !legal)
            return tl::unexpected(legal.error());
        return result;
    }

    [[nodiscard]] double gapAbove(double lowerUs, double violation) const
    {
        return lowerUs > 0 ? std::max(0.0, m_bestUs * (1 + violation) / lowerUs - 1) : kInfinity;
    }

    void fillRecord(SearchRecord &record, const std::vector<BlockSearch> &blocks) const
    {
        record.strategy = "ios-" + std::string(toString(m_options.strategies));
        record.r = m_options.r;
        record.s = m_options.s;
        record.singleSource = m_options.singleSource;
        for (const StateSpace &space : m_spaces) {
            record.states += static_cast<std::int64_t>(space.states.count()) - 1;
            record.transitions += static_cast<std::int64_t>(space.transitions.size());
        }
        record.stageMeasurements = m_asker.measurements();
        record.stagesRefused = m_asker.refused();
        for (const BlockSearch &block : blocks)
            record.cacheHits += block.cacheHits;
        record.measureSeconds = m_asker.measureSeconds();
        record.searchSeconds = m_asker.elapsedSeconds() - m_asker.measureSeconds();
        double violation = 0;
        if (m_table && !m_everythingKnown)
            violation = m_asker.source().isNoisy() ? m_table->usualViolation() : m_table->worstViolation();
        record.gap = gapAbove(m_lowerUs, violation);
        if (const auto surprises = m_table && !m_everythingKnown ? m_table->surprises() : std::nullopt) {
            const double without = gapAbove(m_surelyUs, violation);
            record.gap = std::min(without, gapAbove(m_lowerUs, std::max(violation, surprises->usual)));
            if (without > m_options.epsilon && record.gap < without) // else it is proved, or bounded, without
                record.assumption = BoundAssumption{std::string(kAssumption), surprises->checked, surprises->broken,
                                                    surprises->worst, without};
        }
        if (m_proved && record.assumption)
            record.termination = "proved under an assumption";
        else if (m_proved && record.gap == 0)
            record.termination = "optimal";
        else if (m_proved)
            record.termination = "proved within epsilon";
        else if (m_asker.cancelled())
            record.termination = "cancelled";
        else
            record.termination = m_asker.mustEnd() ? "budget" : "searched in part";
    }

    // Latency of a block: its stages and what lies between them.
    void fillBlocks(SearchResult &result)
    {
        const Schedule &schedule = result.schedule;
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            result.blocks.push_back({});
            result.blocks[b].block = b;
            result.blocks[b].stageMeasurements = m_asker.measurementsOf(b);
        }
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            BlockSearch &record = result.blocks[schedule.stages[i].block];
            record.latencyUs += schedule.stageLatencyUs[i];
            if (i > 0 && schedule.stages[i - 1].block == schedule.stages[i].block)
                record.latencyUs += m_boundary.between(schedule.stages[i - 1], schedule.stages[i]);
        }
        std::vector<double> surelyUs(m_blocks.size(), 0);
        if (m_table)
            describeSpaces(result, surelyUs);
        else
            m_tooLarge.assign(m_blocks.size(), true); // there was no time for any
        double lowerUs = 0;
        for (BlockSearch &record : result.blocks) {
            record.cacheHits = std::max<std::int64_t>(0, record.cacheHits - record.stageMeasurements);
            if (m_tooLarge[record.block])
                record.lowerBoundUs = surelyUs[record.block] =
                    std::min(blockBoundUs(makeBlockView(m_graph, m_blocks[record.block], record.block), m_options,
                                          m_operatorUs, m_asker.source()),
                             record.latencyUs);
            lowerUs += record.lowerBoundUs;
        }
        m_lowerUs = std::max(m_lowerUs, std::min(lowerUs, m_bestUs));
        m_surelyUs = std::max(m_surelyUs, std::min(std::reduce(surelyUs.begin(), surelyUs.end()), m_bestUs));
        m_proved = m_proved || m_lowerUs * (1 + m_options.epsilon) >= m_bestUs;
    }

    // Sizes, bounds and runners-up of the blocks whose spaces are held. `surelyUs`: their bounds without an assumption.
    void describeSpaces(SearchResult &result, std::vector<double> &surelyUs)
    {
        const BoundaryCost boundary = m_boundary;
        // What a person sees of the search may take a moment, but not long after the search was told to end.
        const Interrupt patience({}, m_asker.mustEnd() ? kLastWordsSeconds : kInfinity);
        auto runnersUp = findRunnersUp(m_spaces, *m_table, boundary, result.schedule, kRunnersUp, patience);
        for (std::size_t s = 0; s < m_spaces.size(); ++s) {
            const StateSpace &space = m_spaces[s];
            BlockSearch &record = result.blocks[space.view.index];
            record.states += static_cast<std::int64_t>(space.states.count()) - 1;
            record.transitions += static_cast<std::int64_t>(space.transitions.size());
            for (std::uint32_t stage = 0; stage < space.stages.size(); ++stage)
                record.cacheHits += m_table->at(m_table->classOf(s, stage)).known();
            if (!m_tooLarge[space.view.index]) {
                const auto boundOf = [&](std::span<const double> us) {
                    BlockSolution alone;
                    return solve(space, us, boundary, {0, 0}, alone, patience) ? std::min(alone.last, record.latencyUs)
                                                                               : 0;
                };
                record.lowerBoundUs = boundOf(m_table->atLeast(s));
                surelyUs[space.view.index] =
                    m_table->assumes() ? boundOf(m_table->surelyAtLeast(s)) : record.lowerBoundUs;
            }
            std::ranges::move(runnersUp[s], std::back_inserter(record.runnersUp));
        }
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    const SearchOptions &m_options;
    BoundaryCost m_boundary;
    Asker m_asker;
    std::vector<StateSpace> m_spaces;
    std::unique_ptr<StageTable> m_table;
    std::vector<bool> m_tooLarge; // per block: its space is not held as a whole
    bool m_hasWindows = false;
    std::vector<double> m_operatorUs; // alone in a stage, per operator of the graph
    std::optional<Schedule> m_best;
    double m_bestUs = kInfinity;
    double m_lowerUs = 0;
    double m_surelyUs = 0; // the same without an assumption
    bool m_proved = false;
    bool m_everythingKnown = false;
};

} // namespace

Result<SearchResult> searchSchedule(const Graph &graph, const Blocks &blocks, StageLatencySource &source,
                                    const SearchOptions &options, const SearchProgressCallback &progress,
                                    std::stop_token stop)
{
    return Search(graph, blocks, source, options, progress, std::move(stop)).run();
}

} // namespace stagecraft
