#include "search/union/union_stages.h"

#include "graph/block.h"
#include "schedule/stage_groups.h"
#include "search/infinity.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

using Position = std::array<std::size_t, kUnionModels>; // stages of each model that have run
using Takes = std::array<std::size_t, kUnionModels>;    // stages of each model in a step

constexpr std::chrono::milliseconds kTold{200};
constexpr double kExpectedShare = 0.5;
constexpr double kSameSum = 1e-12; // relative difference of equal sums in another order

// How a path came to a position: the last step, and whether it needs a barrier.
struct Label {
    double us = kInfinity;
    Takes step = {};
    bool beforeIsConcurrent = false; // whether the step before it has several groups
    bool isFirst = false;
};

// What a step takes whose latency is not known.
enum class Reckon {
    Expected, // from the latencies of its parts: leads to a good schedule soon
    Bounds,   // at least that: what is the fastest then is the fastest
    Known,    // such steps are left out
};

// A path on which one model has ended; the other runs its rest alone.
struct Ending {
    Position at = {};
    bool isConcurrent = false; // the last step
    Label last;                // its step
    std::array<double, kUnionModels> endsUs = {};

    [[nodiscard]] double latencyUs() const { return std::max(endsUs[0], endsUs[1]); }
};

class Searching {
public:
    Searching(const Graph &graph, const std::array<std::vector<Stage>, kUnionModels> &own, StageLatencySource &source,
              const UnionOptions &options)
        : m_graph(graph), m_own(own), m_source(source), m_options(options),
          m_boundary(source.boundaryCost()), m_sizes{own[0].size(), own[1].size()}
    {
    }

    Result<UnionStages> search()
    {
        TRY(askAlone());
        boundSteps();
        m_reckon = Reckon::Expected;
        TRY_AS(const bool isExpected, settle([this] { return std::vector{fastest()}; }));
        m_reckon = Reckon::Bounds;
        if (isExpected) {
            TRY_AS(m_found.isProved, settle([this] { return std::vector{fastest()}; }));
        }
        if (m_found.isProved) {
            TRY_AS(m_found.isFrontProved, settle([this] { return front(); }));
        }
        m_reckon = Reckon::Known;
        const Ending best = fastest();
        m_found.best = planOf(best);
        for (const Ending &each : front())
            m_found.front.push_back(planOf(each));
        return std::move(m_found);
    }

private:
    [[nodiscard]] bool isDone(const Position &at) const { return at == m_sizes; }

    // Latencies of the stages of each model alone.
    Result<void> askAlone()
    {
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            for (const Stage &stage : m_own[model]) {
                TRY_AS(const auto latency, m_source.stageLatency(stage, m_options.interrupt.token()));
                m_aloneUs[model].push_back(latency.timing.latencyUs);
            }
            m_restUs[model] = restOf(model);
        }
        return {};
    }

    // By stages that have run, and whether the last step before them has several groups: what the rest takes.
    [[nodiscard]] std::array<std::vector<double>, 2> restOf(std::size_t model) const
    {
        const auto &stages = m_own[model];
        std::array<std::vector<double>, 2> rest{std::vector<double>(stages.size() + 1, 0),
                                                std::vector<double>(stages.size() + 1, 0)};
        for (std::size_t i = stages.size(); i-- > 0;) {
            for (const bool isConcurrent : {false, true})
                rest[isConcurrent ? 1 : 0][i] = boundary(isConcurrent, isParallel(stages[i])) + m_aloneUs[model][i] +
                                                rest[isParallel(stages[i]) ? 1 : 0][i + 1];
        }
        return rest;
    }

    static bool isParallel(const Stage &stage) { return stage.concurrentGroups() > 1; }

    [[nodiscard]] double boundary(bool isConcurrent, bool isNextConcurrent) const
    {
        return isConcurrent || isNextConcurrent ? m_boundary.barrierUs : m_boundary.chainUs;
    }

    [[nodiscard]] bool canShare(std::size_t model, std::size_t first, std::size_t count) const
    {
        if (first + count > m_own[model].size())
            return false;
        return std::ranges::all_of(std::span(m_own[model]).subspan(first, count),
                                   [](const Stage &stage) { return stage.strategy == Strategy::Concurrent; });
    }

    [[nodiscard]] std::size_t indexOf(const Position &at, const Takes &step) const
    {
        return ((at[0] * m_sizes[1] + at[1]) * m_options.most + step[0] - 1) * m_options.most + step[1] - 1;
    }

    [[nodiscard]] Stage stageOfBoth(const Position &at, const Takes &step) const
    {
        std::vector<OperatorId> operators;
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            for (std::size_t i = 0; i < step[model]; ++i) {
                const auto own = operatorsOf(m_own[model][at[model] + i]);
                operators.insert(operators.end(), own.begin(), own.end());
            }
        }
        return stageOf(m_graph, 0, std::move(operators), Strategy::Concurrent);
    }

    [[nodiscard]] double boundOf(const Position &at, const Takes &step) const
    {
        const double us = m_source.lowerBoundUs(stageOfBoth(at, step));
        return m_options.assumesPartsBound ? std::max(us, longestPartUs(at, step)) : us;
    }

    [[nodiscard]] double longestPartUs(const Position &at, const Takes &step) const
    {
        double us = 0;
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            for (std::size_t i = 0; i < step[model]; ++i)
                us = std::max(us, m_aloneUs[model][at[model] + i]);
        }
        return us;
    }

    [[nodiscard]] double sumOfPartsUs(const Position &at, const Takes &step) const
    {
        double us = 0;
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            for (std::size_t i = 0; i < step[model]; ++i)
                us += m_aloneUs[model][at[model] + i];
        }
        return us;
    }

    // Of what the parts take beside the longest of them, the share that is not hidden behind it, by what was asked.
    [[nodiscard]] double expectedShare() const
    {
        return m_besideUs > 0 ? std::clamp(m_notHiddenUs / m_besideUs, 0.0, 1.0) : kExpectedShare;
    }

    [[nodiscard]] std::size_t operatorsIn(std::size_t model, std::size_t first, std::size_t count) const
    {
        std::size_t operators = 0;
        for (const Stage &stage : std::span(m_own[model]).subspan(first, count))
            operators += stage.operatorCount();
        return operators;
    }

    template <typename Visit>
    void forEachShared(const Position &at, const Visit &visit) const
    {
        for (std::size_t first = 1; first <= m_options.most && canShare(0, at[0], first); ++first) {
            for (std::size_t second = 1; second <= m_options.most && canShare(1, at[1], second); ++second) {
                if (operatorsIn(0, at[0], first) + operatorsIn(1, at[1], second) <= kMaxBlockOperators)
                    visit(Takes{first, second});
            }
        }
    }

    void boundSteps()
    {
        m_sharedUs.assign(m_sizes[0] * m_sizes[1] * m_options.most * m_options.most, kInfinity);
        m_isKnown.assign(m_sharedUs.size(), false);
        Position at{};
        for (at[0] = 0; at[0] < m_sizes[0]; ++at[0]) {
            for (at[1] = 0; at[1] < m_sizes[1]; ++at[1]) {
                forEachShared(at, [&](const Takes &step) {
                    m_sharedUs[indexOf(at, step)] = boundOf(at, step);
                    ++m_found.possible;
                });
            }
        }
    }

    Result<void> ask(const Position &at, const Takes &step)
    {
        const std::size_t index = indexOf(at, step);
        const auto latency = m_source.stageLatency(stageOfBoth(at, step), m_options.interrupt.token());
        if (!latency && latency.error().code != ErrorCode::DeviceFailed)
            return tl::unexpected(latency.error());
        m_isKnown[index] = true;
        m_sharedUs[index] = kInfinity;
        if (latency)
            m_sharedUs[index] = latency->timing.latencyUs;
        ++m_found.asked;
        m_found.refused += latency ? 0 : 1;
        if (latency) {
            const double longestUs = longestPartUs(at, step);
            m_besideUs += sumOfPartsUs(at, step) - longestUs;
            m_notHiddenUs += latency->timing.latencyUs - longestUs;
        }
        return {};
    }

    // Asks for what the chosen paths lack until they lack nothing. False: the search was interrupted.
    template <typename Choose>
    Result<bool> settle(const Choose &choose)
    {
        while (true) {
            bool isSettled = true;
            for (const Ending &ending : choose()) {
                for (const auto &[at, step] : stepsOf(ending)) {
                    if (step[0] == 0 || step[1] == 0 || m_isKnown[indexOf(at, step)])
                        continue;
                    if (m_options.interrupt.raised())
                        return false;
                    const auto asked = ask(at, step);
                    if (!asked && asked.error().code == ErrorCode::Cancelled)
                        return false;
                    TRY(asked);
                    isSettled = false;
                }
            }
            if (isSettled)
                return true;
            tell();
        }
    }

    // Now and then: it takes as long as choosing.
    void tell()
    {
        const auto now = std::chrono::steady_clock::now();
        if (!m_options.onProgress || now < m_nextTold)
            return;
        m_nextTold = now + kTold;
        const Reckon before = std::exchange(m_reckon, Reckon::Known);
        m_options.onProgress(m_found.asked, fastest().latencyUs());
        m_reckon = before;
    }

    [[nodiscard]] double sharedUs(const Position &at, const Takes &step) const
    {
        const std::size_t index = indexOf(at, step);
        const double us = m_sharedUs[index]; // known, or a bound
        if (m_isKnown[index] || m_reckon == Reckon::Bounds)
            return us;
        if (m_reckon == Reckon::Known)
            return kInfinity;
        const double leastUs = std::max(us, longestPartUs(at, step));
        return leastUs + expectedShare() * std::max(0.0, sumOfPartsUs(at, step) - leastUs);
    }

    [[nodiscard]] std::vector<Label> &labels(const Position &at) { return m_labels[at[0] * (m_sizes[1] + 1) + at[1]]; }

    void relax(const Position &at, const Takes &step, double us, bool isConcurrent)
    {
        const Position to{at[0] + step[0], at[1] + step[1]};
        const bool isFirst = at == Position{};
        for (const bool before : {false, true}) {
            const Label &from = labels(at)[before ? 1 : 0];
            if (from.us == kInfinity)
                continue;
            const double total = from.us + (isFirst ? 0 : boundary(before, isConcurrent)) + us;
            Label &label = labels(to)[isConcurrent ? 1 : 0];
            if (total < label.us)
                label = {total, step, before, isFirst};
        }
    }

    // The fastest paths to all positions at which both models go on or one has just ended; and those endings.
    std::vector<Ending> endings()
    {
        m_labels.assign((m_sizes[0] + 1) * (m_sizes[1] + 1), std::vector<Label>(2));
        labels({})[0].us = 0;
        Position at{};
        for (at[0] = 0; at[0] < m_sizes[0]; ++at[0]) {
            for (at[1] = 0; at[1] < m_sizes[1]; ++at[1]) {
                for (std::size_t model = 0; model < kUnionModels; ++model) {
                    Takes step{};
                    step[model] = 1;
                    relax(at, step, m_aloneUs[model][at[model]], isParallel(m_own[model][at[model]]));
                }
                forEachShared(at, [&](const Takes &step) { relax(at, step, sharedUs(at, step), true); });
            }
        }
        std::vector<Ending> found;
        for (std::size_t ended = 0; ended < kUnionModels; ++ended) {
            const std::size_t other = 1 - ended;
            // Both have ended: once.
            for (std::size_t left = 0; left < m_sizes[other] + (ended == 0 ? 1 : 0); ++left) {
                Position there{};
                there[ended] = m_sizes[ended];
                there[other] = left;
                for (const bool isConcurrent : {false, true})
                    addEnding(there, ended, isConcurrent, found);
            }
        }
        return found;
    }

    void addEnding(const Position &at, std::size_t ended, bool isConcurrent, std::vector<Ending> &found)
    {
        const Label &label = labels(at)[isConcurrent ? 1 : 0];
        if (label.us == kInfinity)
            return;
        Ending ending{at, isConcurrent, label, {}};
        ending.endsUs[ended] = label.us;
        ending.endsUs[1 - ended] = label.us + m_restUs[1 - ended][isConcurrent ? 1 : 0][at[1 - ended]];
        found.push_back(ending);
    }

    Ending fastest()
    {
        const auto all = endings();
        return *std::ranges::min_element(all, {}, &Ending::latencyUs);
    }

    std::vector<Ending> front()
    {
        auto all = endings();
        std::ranges::stable_sort(all, {}, &Ending::endsUs);
        std::vector<Ending> kept;
        for (const Ending &each : all) {
            if (!kept.empty() && each.endsUs[1] >= kept.back().endsUs[1] * (1 - kSameSum))
                continue;
            if (!kept.empty() && each.endsUs[0] <= kept.back().endsUs[0] * (1 + kSameSum))
                kept.pop_back();
            kept.push_back(each);
        }
        return kept;
    }

    // With where each begins, in order; the labels are those of the last pass.
    [[nodiscard]] std::vector<std::pair<Position, Takes>> stepsOf(const Ending &ending)
    {
        std::vector<std::pair<Position, Takes>> steps;
        Position at = ending.at;
        for (Label label = ending.last;;) {
            at = {at[0] - label.step[0], at[1] - label.step[1]};
            steps.emplace_back(at, label.step);
            if (label.isFirst)
                break;
            label = labels(at)[label.beforeIsConcurrent ? 1 : 0];
        }
        std::ranges::reverse(steps);
        for (std::size_t model = 0; model < kUnionModels; ++model) {
            for (at = ending.at; at[model] < m_sizes[model]; ++at[model]) {
                Takes step{};
                step[model] = 1;
                steps.emplace_back(at, step);
            }
        }
        return steps;
    }

    UnionPlan planOf(const Ending &ending)
    {
        UnionPlan plan{{}, ending.latencyUs(), ending.endsUs};
        for (const auto &[at, step] : stepsOf(ending)) {
            const bool isShared = step[0] > 0 && step[1] > 0;
            const std::size_t model = step[0] > 0 ? 0 : 1;
            plan.stages.push_back(isShared ? stageOfBoth(at, step) : m_own[model][at[model]]);
            plan.stages.back().block = 0;
        }
        return plan;
    }

    const Graph &m_graph;
    const std::array<std::vector<Stage>, kUnionModels> &m_own;
    StageLatencySource &m_source;
    const UnionOptions &m_options;
    BoundaryCost m_boundary;
    Position m_sizes;
    std::array<std::vector<double>, kUnionModels> m_aloneUs;
    std::array<std::array<std::vector<double>, 2>, kUnionModels> m_restUs;
    std::vector<double> m_sharedUs; // by position and step: known, or a lower bound
    std::vector<bool> m_isKnown;
    double m_notHiddenUs = 0; // of stages that were asked for
    double m_besideUs = 0;
    Reckon m_reckon = Reckon::Bounds;
    std::vector<std::vector<Label>> m_labels;
    std::chrono::steady_clock::time_point m_nextTold;
    UnionStages m_found;
};

} // namespace

Result<UnionStages> searchUnionStages(const Graph &graph, const std::array<std::vector<Stage>, kUnionModels> &own,
                                      StageLatencySource &source, const UnionOptions &options)
{
    return Searching(graph, own, source, options).search();
}

} // namespace stagecraft
