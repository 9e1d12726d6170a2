#include "search/stages/lazy_search.h"

#include "search/infinity.h"
#include "search/stages/proof_plan.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr std::int64_t kDiscardEvery = 32; // rounds
constexpr double kMinSearchSeconds = 3;
constexpr double kMaxEffort = 8; // times the effort of measuring everything

// For each stage that is measured at a time, so many wanted ones: at least, and after looking ahead.
constexpr std::size_t kWantedAtLeast = 2;
constexpr std::size_t kWantedAhead = 4;

// What is asked for before the next plan: a part of the plan, but so many stages.
constexpr std::size_t kPartOfPlan = 4;
constexpr std::size_t kPlannedAtLeast = 4;

} // namespace

LazySearch::LazySearch(std::span<const StateSpace> spaces, StageTable &table, LatencyQueries &queries,
                       const SearchOptions &options, double bestUs, LearnedOrder *order)
    : m_spaces(spaces), m_table(table), m_queries(queries), m_options(options),
      m_boundary(queries.source().boundaryCost()), m_optimistic(spaces, m_boundary), m_guessed(spaces, m_boundary),
      m_order(order), m_bestUs(bestUs)
{
}

std::vector<std::uint32_t> LazySearch::unknownOn(const StagePath &path) const
{
    std::vector<std::uint32_t> result;
    for (std::size_t s = 0; s < path.size(); ++s) {
        for (const std::uint32_t stage : path[s]) {
            const std::uint32_t index = m_table.classOf(s, stage);
            if (!m_table.at(index).known() && std::ranges::find(result, index) == result.end())
                result.push_back(index);
        }
    }
    return result;
}

double LazySearch::costOf(const StagePath &path) const
{
    double totalUs = 0;
    std::optional<bool> concurrent;
    for (std::size_t s = 0; s < path.size(); ++s) {
        for (const std::uint32_t stage : path[s]) {
            const bool isConcurrent = m_spaces[s].stages[stage].concurrent;
            if (concurrent)
                totalUs += *concurrent || isConcurrent ? m_boundary.barrierUs : m_boundary.chainUs;
            totalUs += m_table.at(m_table.classOf(s, stage)).atLeastUs();
            concurrent = isConcurrent;
        }
    }
    return totalUs;
}

bool LazySearch::ask(std::uint32_t index)
{
    const auto latencyUs = m_queries.ask(m_table.stage(index), m_table.key(index));
    if (!latencyUs)
        return false;
    m_table.setLatency(index, *latencyUs);
    m_queries.progress().stagesNotKnown = static_cast<std::int64_t>(m_table.unknown());
    const auto known = static_cast<std::int64_t>(m_table.knownStages());
    m_queries.progress().cacheHits = std::max<std::int64_t>(0, known - m_queries.measurements());
    return true;
}

void LazySearch::consider(const StagePath &path)
{
    if (path.empty() || !unknownOn(path).empty()) // empty: there is no schedule
        return;
    const double totalUs = costOf(path);
    if (totalUs < m_bestUs) {
        m_bestUs = totalUs;
        m_best = path;
        m_queries.progress().bestUs = totalUs;
    }
}

bool LazySearch::boundBelow(bool exactly)
{
    const auto costs = [this](std::size_t space) { return atLeast(space); };
    if (!(exactly ? m_optimistic.solveExactly(costs, m_queries.interrupt())
                  : m_optimistic.solve(costs, m_queries.interrupt())))
        return false;
    m_lowerUs = std::max(m_lowerUs, std::min(m_optimistic.totalUs(), m_bestUs));
    m_queries.progress().lowerBoundUs = m_lowerUs;
    if (std::isfinite(m_optimistic.totalUs()))
        m_optimisticPath = m_optimistic.path(costs);
    return true;
}

// Follows the guesses to schedules that look good, until the best of them is fully measured.
bool LazySearch::improve()
{
    for (;;) {
        m_predictor->refresh();
        const auto costs = [this](std::size_t space) { return m_predictor->costs(space); };
        if (!m_guessed.solve(costs, m_queries.interrupt()))
            return false;
        if (!std::isfinite(m_guessed.totalUs()))
            return true;
        const StagePath path = m_guessed.path(costs);
        const auto unknown = unknownOn(path);
        if (unknown.empty() || (m_guessed.totalUs() >= m_bestUs)) {
            consider(path);
            return true;
        }
        if (!askAll(unknown))
            return false;
        consider(path);
    }
}

// Asks for all unknown stages on the optimistic path: what one tells about others is worth more than what asking for
// fewer saves (NASNet on sim:v100 within 2 %: 12,600 measurements; one stage after the other: 18,700).
bool LazySearch::tighten()
{
    const auto next = planned();
    return askAll(next.empty() ? unknownOn(m_optimisticPath) : next);
}

// The first part of a plan; the answers make the next plan a better one.
std::vector<std::uint32_t> LazySearch::planned()
{
    if (!m_order)
        return {};
    m_predictor->refresh();
    const std::function<double(std::uint32_t)> guessUs = [this](std::uint32_t index) {
        return m_predictor->latencyUs(index);
    };
    auto plan = planProof(m_spaces, m_table, m_optimistic, {guessUs, m_bestUs}, m_queries.interrupt());
    plan.resize(std::min(plan.size(), std::max(kPlannedAtLeast, plan.size() / kPartOfPlan)));
    return plan;
}

bool LazySearch::askAll(const std::vector<std::uint32_t> &unknown)
{
    wantWith(unknown);
    return std::ranges::all_of(unknown, [this](std::uint32_t index) { return ask(index); });
}

// While they are measured, looks for more where too few are wanted.
void LazySearch::wantWith(const std::vector<std::uint32_t> &unknown)
{
    const std::size_t atATime = m_queries.atATime();
    if (atATime == 1)
        return;
    std::vector<std::uint32_t> wanted = unknown;
    for (const std::uint32_t index : m_ahead) {
        if (!m_table.at(index).known() && std::ranges::find(unknown, index) == unknown.end())
            wanted.push_back(index);
    }
    want(wanted);
    if (wanted.size() < unknown.size() + kWantedAtLeast * atATime) {
        m_ahead = ahead(unknown, unknown.size() + kWantedAhead * atATime);
        want(m_ahead);
    }
}

void LazySearch::want(const std::vector<std::uint32_t> &indices)
{
    std::vector<WantedStage> stages;
    stages.reserve(indices.size());
    for (const std::uint32_t index : indices)
        stages.push_back({m_table.stage(index), m_table.key(index)});
    m_queries.want(std::move(stages));
}

// What is asked for, path by path, if each stage takes as long as is guessed. `most`: to stop at.
std::vector<std::uint32_t> LazySearch::ahead(std::vector<std::uint32_t> wanted, std::size_t most)
{
    const auto costs = [this](std::size_t space) { return atLeast(space); };
    m_table.assume();
    for (std::size_t assumed = 0; wanted.size() < most;) {
        for (; assumed < wanted.size(); ++assumed) {
            const std::uint32_t index = wanted[assumed];
            m_table.setLatency(index, std::max(m_predictor->latencyUs(index), m_table.at(index).atLeastUs()));
        }
        if (!m_optimistic.solve(costs, m_queries.interrupt()) ||
            m_optimistic.totalUs() * (1 + m_options.epsilon) >= m_bestUs)
            break;
        const auto next = unknownOn(m_optimistic.path(costs));
        if (next.empty())
            break;
        wanted.insert(wanted.end(), next.begin(), next.end());
    }
    m_table.takeBack();
    return wanted;
}

// For a fast source: asking for everything that is left takes a fraction of the time spent on avoiding it. Stored
// answers tell nothing about stages that are not stored.
bool LazySearch::askingIsCheaper() const
{
    const auto askSeconds = m_queries.secondsPerMeasurement();
    const double thoughtSeconds = m_queries.elapsedSeconds() - m_queries.measureSeconds();
    return askSeconds &&
           thoughtSeconds > kMinSearchSeconds + kMaxEffort * *askSeconds * static_cast<double>(m_table.unknown());
}

void LazySearch::run()
{
    m_predictor.emplace(m_spaces, m_table, m_order);
    std::int64_t improvedAt = 0; // in answers
    for (std::int64_t round = 0; !m_queries.mustEnd(); ++round) {
        if (round == 0 || m_queries.answers() >= improvedAt * 5 / 4) {
            if (!improve())
                return;
            improvedAt = m_queries.answers();
        }
        if (!boundBelow())
            return;
        m_queries.report();
        if (proved())
            return;
        if (askingIsCheaper()) {
            runExhaustively();
            return;
        }
        if (unknownOn(m_optimisticPath).empty()) {
            // Nothing is left to ask for: the bound is the optimum, up to the order of summation.
            if (!boundBelow(true))
                return;
            if (unknownOn(m_optimisticPath).empty()) {
                consider(m_optimisticPath);
                m_lowerUs = m_bestUs;
                return;
            }
        }
        // Costs only rise, so a transition that cannot be part of a better schedule now never can. The margin covers
        // sums in another order.
        if (round % kDiscardEvery == kDiscardEvery / 4) {
            const auto costs = [this](std::size_t space) { return atLeast(space); };
            if (!m_optimistic.discard(costs, m_bestUs * (1 + kSumMargin), m_queries.interrupt()))
                return;
        }
        if (!tighten())
            return;
        consider(m_optimisticPath);
    }
}

void LazySearch::runExhaustively()
{
    std::vector<std::uint32_t> unknown;
    for (std::uint32_t index = 0; index < m_table.size(); ++index) {
        if (!m_table.at(index).known())
            unknown.push_back(index);
    }
    const std::size_t atATime = m_queries.atATime();
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        if (atATime > 1 && i % atATime == 0)
            want({unknown.begin() + static_cast<std::ptrdiff_t>(i),
                  unknown.begin() + static_cast<std::ptrdiff_t>(std::min(unknown.size(), i + kWantedAhead * atATime))});
        if (!ask(unknown[i]))
            break;
    }
    if (!boundBelow(true))
        return;
    if (unknownOn(m_optimisticPath).empty()) {
        consider(m_optimisticPath);
        m_lowerUs = m_bestUs;
    }
}

void LazySearch::runOnKnown()
{
    for (std::uint32_t index = 0; index < m_table.size() && !m_queries.mustEnd(); ++index) {
        if (!m_table.at(index).known())
            static_cast<void>(ask(index));
    }
    std::vector<std::vector<double>> knownUs;
    for (std::size_t s = 0; s < m_spaces.size(); ++s) {
        std::vector<double> &us = knownUs.emplace_back();
        for (std::uint32_t stage = 0; stage < m_spaces[s].stages.size(); ++stage) {
            const StageClass &entry = m_table.at(m_table.classOf(s, stage));
            us.push_back(entry.known() ? entry.latencyUs : kInfinity);
        }
    }
    const auto costs = [&](std::size_t space) { return SpaceCosts{knownUs[space], 1}; };
    if (!m_guessed.solveExactly(costs, m_queries.interrupt()))
        return;
    if (std::isfinite(m_guessed.totalUs()))
        consider(m_guessed.path(costs));
    if (boundBelow(true))
        findWanted();
}

void LazySearch::findWanted()
{
    const auto costs = [this](std::size_t space) { return atLeast(space); };
    const auto leastUs = m_optimistic.leastWith(costs, m_queries.interrupt());
    if (leastUs.empty())
        return;
    std::vector<double> leastOf(m_table.size(), kInfinity);
    for (std::size_t s = 0; s < leastUs.size(); ++s) {
        for (std::uint32_t stage = 0; stage < leastUs[s].size(); ++stage) {
            double &least = leastOf[m_table.classOf(s, stage)];
            least = std::min(least, leastUs[s][stage]);
        }
    }
    const double limitUs = m_bestUs / (1 + m_options.epsilon);
    for (std::uint32_t index = 0; index < m_table.size(); ++index) {
        if (!m_table.at(index).known() && leastOf[index] < limitUs * (1 - kSumMargin))
            m_wanted.push_back({m_table.stage(index), m_table.key(index), leastOf[index]});
    }
    std::ranges::stable_sort(m_wanted, {}, &MissingStage::leastUs);
    if (m_wanted.empty()) // no schedule that is not known is faster, up to the order of summation
        m_lowerUs = std::max(m_lowerUs, limitUs);
}

} // namespace stagecraft
