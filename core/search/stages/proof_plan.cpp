#include "search/stages/proof_plan.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr std::int64_t kMaxRemovals = 400'000'000; // transitions that are looked at to shorten a plan

class Planner {
public:
    Planner(std::span<const StateSpace> spaces, StageTable &table, Chain &optimistic, const PlannedProof &proof,
            const Interrupt &interrupt)
        : m_spaces(spaces), m_table(table), m_optimistic(optimistic), m_proof(proof), m_interrupt(interrupt)
    {
    }

    std::vector<std::uint32_t> plan()
    {
        m_table.assume();
        raise();
        shorten();
        m_table.takeBack();
        return m_interrupted ? std::vector<std::uint32_t>{} : std::move(m_planned);
    }

private:
    [[nodiscard]] double bound()
    {
        m_interrupted = m_interrupted || !m_optimistic.solve(m_costs, m_interrupt);
        return m_interrupted ? 0 : m_optimistic.totalUs();
    }

    void raise()
    {
        for (m_reachedUs = bound(); !m_interrupted && m_reachedUs < m_proof.targetUs * (1 - kSumMargin);
             m_reachedUs = bound()) {
            const auto path = m_optimistic.path(m_costs);
            const std::size_t before = m_planned.size();
            for (std::size_t space = 0; space < path.size(); ++space)
                assumeMostTelling(space, path[space]);
            if (m_planned.size() == before)
                return;
        }
    }

    // Of stages whose latencies are above their bounds, small ones tell more: they bound all that contain them.
    void assumeMostTelling(std::size_t space, const std::vector<std::uint32_t> &path)
    {
        double best = 0;
        std::uint32_t chosen = 0;
        for (const std::uint32_t stage : path) {
            const std::uint32_t index = m_table.classOf(space, stage);
            const StageClass &entry = m_table.at(index);
            const double raisedUs = entry.known() ? 0 : m_proof.guessUs(index) - entry.boundUs;
            const double tells = std::ldexp(raisedUs, -static_cast<int>(entry.operators));
            if (raisedUs > kSumMargin * entry.boundUs && tells > best) {
                best = tells;
                chosen = index;
            }
        }
        if (best > 0) {
            m_table.setLatency(chosen, m_proof.guessUs(chosen));
            m_planned.push_back(chosen);
        }
    }

    // Without one answer after the other, as long as the others prove as much.
    void shorten()
    {
        std::int64_t looked = 0;
        const double neededUs = std::min(m_reachedUs, m_proof.targetUs) * (1 - kSumMargin);
        std::vector<std::uint32_t> kept;
        for (const std::uint32_t index : m_planned) {
            if (m_interrupted || looked > kMaxRemovals) {
                kept.push_back(index);
                continue;
            }
            const double latencyUs = m_table.at(index).latencyUs;
            looked += m_table.forget(index);
            if (bound() < neededUs) {
                m_table.setLatency(index, latencyUs);
                kept.push_back(index);
            }
        }
        m_planned = std::move(kept);
    }

    std::span<const StateSpace> m_spaces;
    StageTable &m_table;
    Chain &m_optimistic;
    const PlannedProof &m_proof;
    const Interrupt &m_interrupt;
    const std::function<SpaceCosts(std::size_t)> m_costs = [this](std::size_t space) {
        return SpaceCosts{m_table.atLeast(space), m_table.version(space)};
    };
    std::vector<std::uint32_t> m_planned;
    double m_reachedUs = 0;
    bool m_interrupted = false;
};

} // namespace

std::vector<std::uint32_t> planProof(std::span<const StateSpace> spaces, StageTable &table, Chain &optimistic,
                                     const PlannedProof &proof, const Interrupt &interrupt)
{
    return Planner(spaces, table, optimistic, proof, interrupt).plan();
}

} // namespace stagecraft
