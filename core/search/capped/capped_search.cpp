#include "search/capped/capped_search.h"

#include "plan/memory_use.h"
#include "plan/plan.h"
#include "schedule/stage_signature.h"
#include "search/capped/buffers_without_merges.h"
#include "search/capped/expected_latencies.h"
#include "search/infinity.h"
#include "search/stages/state_space.h"
#include "support/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace stagecraft {
namespace {

// A merge whose output may still be read: what a set of operators does not tell about memory.
struct OpenMerge {
    std::size_t block = 0;
    std::uint32_t stage = 0; // of the block's space

    friend bool operator==(const OpenMerge &, const OpenMerge &) = default;
    friend bool operator<(const OpenMerge &a, const OpenMerge &b)
    {
        return a.block != b.block ? a.block < b.block : a.stage < b.stage;
    }
};
using OpenMerges = std::vector<OpenMerge>; // ascending

// One way to have run the operators of a state.
struct History {
    OpenMerges merges;
    bool endsConcurrently = false; // the last stage has several groups
    double cost = 0;               // latency, or the least peak
    std::uint32_t before = 0;      // index among the histories it continues, in the state `rest`
    std::uint32_t rest = 0;
    std::uint32_t stage = 0; // the last one
};

constexpr std::int64_t kTransitionsPerReport = 256;
constexpr std::size_t kNoRoom = std::numeric_limits<std::size_t>::max() / 2; // more than any cap

class CappedProgram {
public:
    CappedProgram(const Graph &graph, const Blocks &blocks, const SearchOptions &options, const CountedMemory &counted,
                  const CappedProgress &progress, const std::stop_token &stop)
        : m_graph(graph), m_blocks(blocks), m_options(options), m_counted(counted), m_progress(progress),
          m_interrupt(stop), m_signer(graph)
    {
    }

    Result<void> prepare()
    {
        TRY_AS(auto tensors, plan::plannedTensors(m_graph, m_counted.elementBytes));
        m_tensors = std::move(tensors);
        TRY_AS(auto buffers, BuffersWithoutMerges::make(m_graph, m_tensors));
        for (std::size_t i = 0; i < m_blocks.size(); ++i) {
            auto space =
                buildStateSpace(makeBlockView(m_graph, m_blocks[i], i, m_options.pinned), m_options, {}, m_interrupt);
            if (!space && m_interrupt.raised())
                return fail(ErrorCode::Cancelled, "stopped");
            if (!space)
                return refused(fmt::format("block {} is too large to be searched whole, which a cap needs", i + 1),
                               "give a smaller r or s");
            m_spaces.push_back(std::move(*space));
            m_block = i;
            m_workspaces.emplace_back(m_spaces.back().stages.size());
            m_inBlocks.emplace_back(buffers, doneOperators(0), m_spaces.back().view);
        }
        return {};
    }

    // Cost of a path from the cost before it, the boundary and the stage; infinity: not allowed.
    using StageCost = std::function<Result<double>(double before, double boundaryUs, std::size_t block,
                                                   std::uint32_t stage, std::size_t peakBytes)>;

    // The best history of the whole network; empty: no schedule is allowed.
    Result<std::optional<std::uint32_t>> solve(const StageCost &costOf, const BoundaryCost &boundary)
    {
        m_histories.assign(m_spaces.size(), {});
        std::vector<History> starts{{}};
        for (std::size_t block = 0; block < m_spaces.size(); ++block) {
            m_block = block;
            m_histories[block].resize(m_spaces[block].states.count());
            // How a block begins is how the one before ended; `before` leads back to it.
            for (std::uint32_t i = 0; i < starts.size(); ++i)
                starts[i].before = i;
            m_histories[block].front() = std::move(starts);
            for (std::uint32_t state = 1; state < m_spaces[block].states.count(); ++state) {
                TRY(solveState(state, costOf, boundary));
            }
            starts = m_histories[block].back();
            if (starts.empty())
                return std::nullopt;
        }
        const auto best = std::ranges::min_element(starts, {}, &History::cost);
        return static_cast<std::uint32_t>(best - starts.begin());
    }

    // The stages of the history `last` of the whole network.
    [[nodiscard]] std::vector<Stage> stagesTo(std::uint32_t last) const
    {
        std::vector<Stage> stages;
        std::uint32_t index = last;
        for (std::size_t block = m_spaces.size(); block-- > 0;) {
            for (std::uint32_t state = m_spaces[block].states.full(); state != 0;) {
                const History &history = m_histories[block][state][index];
                stages.push_back(m_spaces[block].stage(history.stage));
                state = history.rest;
                index = history.before;
            }
            index = m_histories[block].front()[index].before;
        }
        std::ranges::reverse(stages);
        return stages;
    }
    [[nodiscard]] double costOf(std::uint32_t last) const { return m_histories.back().back()[last].cost; }

    [[nodiscard]] std::int64_t states() const
    {
        std::int64_t count = 0;
        for (const auto &block : m_histories) {
            for (const auto &histories : block)
                count += static_cast<std::int64_t>(histories.size());
        }
        return count;
    }
    [[nodiscard]] std::int64_t transitions() const { return m_transitions; }
    [[nodiscard]] Stage stage(std::size_t block, std::uint32_t index) const { return m_spaces[block].stage(index); }

private:
    Result<void> solveState(std::uint32_t state, const StageCost &costOf, const BoundaryCost &boundary)
    {
        const StateSpace &space = m_spaces[m_block];
        std::map<std::pair<OpenMerges, bool>, History> best;
        for (std::size_t i = space.firstTransition[state]; i < space.firstTransition[state + 1]; ++i) {
            const Transition &transition = space.transitions[i];
            const bool concurrent = i >= space.firstConcurrent[state];
            const auto &before = m_histories[m_block][transition.rest];
            for (std::uint32_t h = 0; h < before.size(); ++h) {
                if (++m_transitions % kTransitionsPerReport == 0 && m_progress)
                    m_progress(m_transitions);
                if (m_interrupt.raised())
                    return fail(ErrorCode::Cancelled, "stopped");
                const bool isFirst = m_block == 0 && transition.rest == 0;
                const double boundaryUs = isFirst                                    ? 0
                                          : concurrent || before[h].endsConcurrently ? boundary.barrierUs
                                                                                     : boundary.chainUs;
                TRY_AS(const auto peak, peakBytes(transition, before[h].merges));
                TRY_AS(const auto cost, costOf(before[h].cost, boundaryUs, m_block, transition.stage, peak));
                if (cost == kInfinity)
                    continue;
                History next{openMerges(before[h].merges, transition.stage, space.states.set(state)),
                             concurrent,
                             cost,
                             h,
                             transition.rest,
                             transition.stage};
                auto [place, fresh] = best.try_emplace({next.merges, concurrent}, next);
                if (!fresh && next.cost < place->second.cost)
                    place->second = std::move(next);
            }
        }
        for (auto &[key, history] : best)
            m_histories[m_block][state].push_back(std::move(history));
        return {};
    }

    [[nodiscard]] std::vector<bool> doneOperators(OperatorSet set) const
    {
        std::vector<bool> done(m_graph.size());
        for (std::size_t block = 0; block < m_block; ++block) {
            for (const OperatorId id : m_blocks[block].operators)
                done[id.index()] = true;
        }
        for (OperatorSet rest = set; rest != 0; rest &= rest - 1)
            done[m_spaces[m_block].view.ids[static_cast<std::size_t>(lowest(rest))].index()] = true;
        return done;
    }

    // A merge counts while a reader of one of its members, or of a join of members, is still to come.
    [[nodiscard]] OpenMerges openMerges(OpenMerges merges, std::uint32_t stage, OperatorSet set) const
    {
        if (m_spaces[m_block].stages[stage].strategy == Strategy::Merge)
            merges.push_back({m_block, stage});
        if (merges.empty())
            return merges;
        const std::vector<bool> done = doneOperators(set);
        const auto isRead = [&](OperatorId id) {
            return std::ranges::any_of(m_graph.successors(id), [&](OperatorId reader) {
                const bool joins = m_graph.op(reader).kind == OperatorKind::Join;
                return !done[reader.index()] ||
                       (joins && std::ranges::any_of(m_graph.successors(reader),
                                                     [&](OperatorId behind) { return !done[behind.index()]; })) ||
                       (joins && isOutput(reader));
            });
        };
        std::erase_if(merges, [&](const OpenMerge &merge) {
            const Stage made = m_spaces[merge.block].stage(merge.stage);
            return std::ranges::none_of(made.groups, [&](const std::vector<OperatorId> &group) {
                return isRead(group.front()) || isOutput(group.front());
            });
        });
        std::ranges::sort(merges, std::less<>());
        return merges;
    }

    [[nodiscard]] bool isOutput(OperatorId id) const
    {
        return std::ranges::any_of(m_graph.op(id).outputs,
                                   [&](TensorId tensor) { return std::ranges::count(m_graph.outputs(), tensor) > 0; });
    }

    // What is live in the stage: in any schedule with these operators before it, these merges among them, and the
    // others behind it.
    Result<std::size_t> peakBytes(const Transition &transition, const OpenMerges &merges)
    {
        auto workspace = workspaceBytes(transition.stage);
        if (!workspace)
            return workspace;
        auto tensors = tensorBytes(transition, merges);
        if (!tensors)
            return tensors;
        return *workspace + *tensors;
    }

    Result<std::size_t> tensorBytes(const Transition &transition, const OpenMerges &merges)
    {
        const StateSpace &space = m_spaces[m_block];
        if (merges.empty() && space.stages[transition.stage].strategy == Strategy::Concurrent)
            return m_inBlocks[m_block].liveBytes(space.states.set(transition.rest),
                                                 space.stages[transition.stage].operators);
        auto [place, fresh] = m_peaks.try_emplace({m_block, transition.rest, transition.stage, merges});
        if (!fresh)
            return place->second;
        std::vector<bool> left(m_graph.size(), true);
        std::vector<Stage> stages;
        const auto add = [&](Stage stage) {
            for (const auto &group : stage.groups) {
                for (const OperatorId id : group)
                    left[id.index()] = false;
            }
            stages.push_back(std::move(stage));
        };
        const std::vector<bool> done = doneOperators(space.states.set(transition.rest));
        const auto addAlone = [&](bool before) {
            for (std::size_t i = 0; i < m_graph.size(); ++i) {
                if (left[i] && (done[i] || !before))
                    add(stageAlone(OperatorId::fromIndex(i)));
            }
        };
        for (const OpenMerge &merge : merges)
            add(m_spaces[merge.block].stage(merge.stage));
        addAlone(true);
        const std::size_t here = stages.size();
        add(space.stage(transition.stage));
        addAlone(false);
        TRY_AS(const auto live, plan::plannedTensorBytes(m_graph, m_tensors, stages, here));
        place->second = live;
        return place->second;
    }

    // The same in every schedule.
    Result<std::size_t> workspaceBytes(std::uint32_t index)
    {
        std::optional<std::size_t> &bytes = m_workspaces[m_block][index];
        if (bytes)
            return *bytes;
        const Stage stage = m_spaces[m_block].stage(index);
        std::optional<StageSignature> signature;
        if (m_counted.workspace) {
            signature = m_signer.sign(stage);
            if (const auto known = m_known.find(*signature); known != m_known.end()) {
                bytes = known->second;
                return *bytes;
            }
        }
        const auto workspace =
            signature ? m_counted.workspace(stage) : plan::plannedWorkspace(m_graph, m_tensors, stage);
        if (!workspace && workspace.error().code != ErrorCode::DeviceFailed)
            return tl::unexpected(workspace.error());
        bytes = workspace ? plan::paddedBytes(*workspace) : kNoRoom; // the device has no such stage
        if (signature)
            m_known.emplace(*signature, *bytes);
        return *bytes;
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    const SearchOptions &m_options;
    const CountedMemory &m_counted;
    const CappedProgress &m_progress;
    Interrupt m_interrupt;
    StageSigner m_signer;
    std::unordered_map<StageSignature, std::size_t> m_known; // workspace
    plan::TensorPlan m_tensors;
    std::vector<BuffersWithoutMerges::InBlock> m_inBlocks;
    std::vector<std::vector<std::optional<std::size_t>>> m_workspaces; // by block, stage
    std::vector<StateSpace> m_spaces;
    std::vector<std::vector<std::vector<History>>> m_histories; // by block, by state
    std::size_t m_block = 0;
    std::int64_t m_transitions = 0;
    std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t, OpenMerges>, std::size_t> m_peaks;
};

using SeenTransition = std::function<void(std::size_t block, std::uint32_t stage, std::size_t peakBytes)>;

// `seen`: called with what each transition needs.
Result<std::size_t> smallestCapOf(CappedProgram &program, const SeenTransition &seen = {})
{
    const auto largest = [&](double before, double, std::size_t block, std::uint32_t stage,
                             std::size_t peak) -> Result<double> {
        if (seen)
            seen(block, stage, peak);
        return std::max(before, static_cast<double>(peak));
    };
    TRY_AS(const auto last, program.solve(largest, {}));
    const double bytes = program.costOf(*last);
    if (bytes >= static_cast<double>(kNoRoom))
        return fail(ErrorCode::DeviceFailed, "no schedule could be made ready to run");
    return static_cast<std::size_t>(bytes);
}

} // namespace

Result<std::size_t> smallestCap(const Graph &graph, const Blocks &blocks, const SearchOptions &options,
                                const CountedMemory &counted, const CappedProgress &progress,
                                const std::stop_token &stop)
{
    CappedProgram program(graph, blocks, options, counted, progress, stop);
    TRY(program.prepare());
    return smallestCapOf(program);
}

Result<CappedResult> searchCapped(const Graph &graph, const Blocks &blocks, StageLatencySource &source,
                                  const SearchOptions &options, const MemoryCap &cap, const CappedProgress &progress,
                                  const std::stop_token &stop)
{
    CappedProgram program(graph, blocks, options, cap.counted, progress, stop);
    TRY(program.prepare());
    ExpectedLatencies latencies(graph, source, stop);
    std::set<std::pair<std::size_t, std::uint32_t>> expected;
    const SeenTransition expect = [&](std::size_t block, std::uint32_t stage, std::size_t peak) {
        if (peak <= cap.bytes && expected.emplace(block, stage).second)
            latencies.expect(program.stage(block, stage));
    };
    TRY_AS(const auto smallest, smallestCapOf(program, latencies.expects() ? expect : SeenTransition()));
    if (smallest > cap.bytes)
        return refused(fmt::format("no schedule needs at most {}: the smallest cap that one meets is {} bytes ({})",
                                   plainBytes(static_cast<double>(cap.bytes)), smallest,
                                   plainBytes(static_cast<double>(smallest))),
                       "give that cap, a larger r or s, or a smaller batch");
    const auto costOf = [&](double before, double boundaryUs, std::size_t block, std::uint32_t stage,
                            std::size_t peak) -> Result<double> {
        if (peak > cap.bytes)
            return kInfinity;
        auto us = latencies.of(program.stage(block, stage));
        if (!us)
            return us;
        return before + boundaryUs + *us;
    };
    TRY_AS(const auto last, program.solve(costOf, source.boundaryCost()));
    if (!last)
        return fail(ErrorCode::DeviceFailed, "no schedule within the cap could be measured");
    CappedResult result{program.stagesTo(*last), program.costOf(*last), 0,
                        program.states(),        program.transitions(), latencies.asked()};
    std::vector<plan::StageWorkspace> workspace;
    for (const Stage &stage : result.stages) {
        TRY_AS(auto bytes, cap.counted.workspace ? cap.counted.workspace(stage) : Result<plan::StageWorkspace>());
        workspace.push_back(std::move(bytes));
    }
    TRY_AS(const auto use, plan::plannedMemory(graph, result.stages, cap.counted.elementBytes, workspace));
    result.livePeakBytes = use.livePeakBytes();
    return result;
}

} // namespace stagecraft
