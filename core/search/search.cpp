#include "search/search.h"

#include "schedule/stage_signature.h"
#include "schedule/verify.h"
#include "search/dynamic_program.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace stagecraft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

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
        : m_graph(graph), m_blocks(blocks), m_source(source), m_options(options), m_progress(progress),
          m_stop(std::move(stop)), m_signer(graph)
    {
    }

    Result<SearchResult> run()
    {
        if (auto checked = checkOptions(m_options); !checked)
            return tl::unexpected(checked.error());
        if (auto checked = verifyBlocks(m_graph, m_blocks); !checked)
            return tl::unexpected(checked.error());
        std::vector<StateSpace> spaces;
        std::vector<BlockSolution> solutions(m_blocks.size());
        std::vector<std::vector<double>> latencies(m_blocks.size());
        const BoundaryCost boundary = m_source.boundaryCost();
        CostByNeighbour before{0, 0};
        for (std::size_t b = 0; b < m_blocks.size(); ++b) {
            auto space = buildStateSpace(makeBlockView(m_graph, m_blocks[b], b), m_options, {}, m_stop);
            if (!space)
                return fail(ErrorCode::Cancelled, "the search was cancelled");
            spaces.push_back(std::move(*space));
            BlockSearch &record = m_result.blocks.emplace_back();
            record.block = b;
            record.states = static_cast<std::int64_t>(spaces[b].states.count()) - 1;
            record.transitions = static_cast<std::int64_t>(spaces[b].transitions.size());
            for (std::uint32_t stage = 0; stage < spaces[b].stages.size(); ++stage) {
                const auto latency = ask(spaces[b].stage(stage), record);
                if (!latency)
                    return tl::unexpected(latency.error());
                latencies[b].push_back(*latency);
            }
            solve(spaces[b], latencies[b], boundary, before, solutions[b]);
            before = solutions[b].cost.back();
            report(record);
        }
        if (!solutions.empty() && !std::isfinite(solutions.back().last))
            return tl::unexpected(m_deviceError);
        std::optional<bool> nextWide;
        Schedule &schedule = m_result.schedule;
        for (std::size_t b = spaces.size(); b-- > 0;) {
            const auto path = bestPath(spaces[b], latencies[b], boundary, solutions[b], nextWide);
            if (!path.empty())
                nextWide = spaces[b].stages[path.front()].wide;
            for (const std::uint32_t stage : std::vector(path.rbegin(), path.rend())) {
                schedule.stages.push_back(spaces[b].stage(stage));
                schedule.stageLatencyUs.push_back(latencies[b][stage]);
                m_result.blocks[b].latencyUs += latencies[b][stage];
            }
            m_result.blocks[b].lowerBoundUs = m_result.blocks[b].latencyUs;
        }
        std::ranges::reverse(schedule.stages);
        std::ranges::reverse(schedule.stageLatencyUs);
        schedule.latencyUs = solutions.empty() ? 0 : solutions.back().last;
        schedule.batch = m_graph.batch();
        fillRecord(schedule.search);
        if (auto legal = verifySchedule(m_graph, m_blocks, schedule); !legal)
            return tl::unexpected(legal.error());
        return std::move(m_result);
    }

private:
    Result<double> ask(const Stage &stage, BlockSearch &record)
    {
        const StageSignature signature = m_signer.sign(stage);
        const auto known = m_source.isTable() ? m_latencies.end() : m_latencies.find(signature);
        if (known != m_latencies.end()) {
            ++record.cacheHits;
            return known->second;
        }
        const auto begin = Clock::now();
        const auto answer = m_source.stageLatencyUs(stage, m_stop);
        m_measureSeconds += secondsSince(begin);
        if (!answer && answer.error().code != ErrorCode::DeviceFailed)
            return answer;
        ++record.stageMeasurements;
        if (!answer)
            m_deviceError = answer.error();
        const double latency = answer ? *answer : kInfinity;
        m_latencies.emplace(signature, latency);
        return latency;
    }

    void fillRecord(SearchRecord &record) const
    {
        record.strategy = "ios-" + std::string(toString(m_options.strategies));
        record.r = m_options.r;
        record.s = m_options.s;
        record.singleSource = m_options.singleSource;
        for (const BlockSearch &block : m_result.blocks) {
            record.states += block.states;
            record.transitions += block.transitions;
            record.stageMeasurements += block.stageMeasurements;
            record.cacheHits += block.cacheHits;
        }
        record.measureSeconds = m_measureSeconds;
        record.searchSeconds = secondsSince(m_start) - m_measureSeconds;
        record.termination = "optimal";
    }

    void report(const BlockSearch &record)
    {
        m_seen.block = record.block;
        m_seen.blocks = m_blocks.size();
        m_seen.statesDone += record.states;
        m_seen.transitions += record.transitions;
        m_seen.stageMeasurements += record.stageMeasurements;
        m_seen.cacheHits += record.cacheHits;
        m_seen.elapsedSeconds = secondsSince(m_start);
        if (m_progress)
            m_progress(m_seen);
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    StageLatencySource &m_source;
    const SearchOptions &m_options;
    const SearchProgressCallback &m_progress;
    std::stop_token m_stop;
    StageSigner m_signer;
    std::unordered_map<StageSignature, double> m_latencies;
    Error m_deviceError{ErrorCode::DeviceFailed, "no stage of the model could be measured", {}, {}};
    Clock::time_point m_start = Clock::now();
    double m_measureSeconds = 0;
    SearchProgress m_seen;
    SearchResult m_result;
};

} // namespace

Result<SearchResult> searchSchedule(const Graph &graph, const Blocks &blocks, StageLatencySource &source,
                                    const SearchOptions &options, const SearchProgressCallback &progress,
                                    std::stop_token stop)
{
    return Search(graph, blocks, source, options, progress, std::move(stop)).run();
}

} // namespace stagecraft
