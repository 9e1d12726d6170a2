#include "schedule/rtasks/wavefront.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stagecraft {

namespace {

using Wave = std::vector<std::uint32_t>;

std::vector<Wave> wavesByNumber(const std::vector<ROperator> &rOperators)
{
    std::vector<Wave> waves;
    const std::vector<std::size_t> numbers = wavesOf(rOperators);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] >= waves.size())
            waves.resize(numbers[i] + 1);
        waves[numbers[i]].push_back(i);
    }
    return waves;
}

void choose(std::vector<ROperator> &rOperators, const std::vector<Wave> &waves, const ResidentUnits &resident,
            RKernelChoice choice)
{
    for (ROperator &one : rOperators)
        one.chosen = choice == RKernelChoice::Thriftiest ? one.rKernels.size() - 1 : 0;
    if (choice != RKernelChoice::ByWave)
        return;
    const std::int64_t units = resident(greediest(rOperators));
    for (const Wave &wave : waves) {
        std::int64_t rTasks = 0;
        for (const std::uint32_t one : wave)
            rTasks += rOperators[one].rKernel().rTasks;
        for (const std::uint32_t one : wave)
            rOperators[one].chosen = rTasks > units ? rOperators[one].rKernels.size() - 1 : 0;
    }
}

// Places the rTasks of waves on units.
class Placement {
public:
    Placement(RProgram &program, std::size_t units)
        : m_program(program), m_busyNs(units, 0), m_awaited(units, 0), m_order(units)
    {
        program.units.resize(units);
    }

    void place(const Wave &wave)
    {
        std::ranges::fill(m_busyNs, 0);
        for (const std::uint32_t one : wave)
            place(one);
        m_before.insert(m_before.end(), wave.begin(), wave.end());
    }

private:
    void place(std::uint32_t rOperator)
    {
        const RKernel &rKernel = m_program.rOperators[rOperator].rKernel();
        const auto units = std::ssize(m_order);
        const std::int64_t rounds = (rKernel.rTasks + units - 1) / units;
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        std::ranges::stable_sort(m_order, {}, [&](std::size_t unit) { return m_busyNs[unit]; });
        for (std::int64_t index = 0; index < rKernel.rTasks; ++index) {
            const std::size_t unit = m_order[static_cast<std::size_t>(index % units)];
            std::vector<UnitStep> &steps = m_program.units[unit];
            if (m_awaited[unit] < m_before.size()) {
                const auto from = m_before.begin() + static_cast<std::ptrdiff_t>(m_awaited[unit]);
                steps.emplace_back(Wait{{from, m_before.end()}});
                m_awaited[unit] = m_before.size();
            }
            steps.emplace_back(RTask{rOperator, index});
            m_busyNs[unit] += rKernel.aloneNs / static_cast<double>(rounds);
        }
    }

    RProgram &m_program;
    std::vector<double> m_busyNs;          // by unit: in this wave
    std::vector<std::size_t> m_awaited;    // by unit: so many of `m_before`
    std::vector<std::size_t> m_order;      // units, the one that is free first first
    std::vector<std::uint32_t> m_before{}; // the rOperators of the waves before
};

} // namespace

std::vector<std::size_t> wavesOf(const std::vector<ROperator> &rOperators)
{
    std::vector<std::size_t> waves;
    for (const ROperator &one : rOperators) {
        std::size_t wave = 0;
        for (const std::uint32_t read : one.reads)
            wave = std::max(wave, waves[read] + 1);
        waves.push_back(wave);
    }
    return waves;
}

RProgram wavefrontProgram(std::vector<ROperator> rOperators, const ResidentUnits &resident, RKernelChoice choice)
{
    RProgram program;
    const std::vector<Wave> waves = wavesByNumber(rOperators);
    choose(rOperators, waves, resident, choice);
    program.rOperators = std::move(rOperators);
    const std::int64_t units = program.rOperators.empty() ? 0 : resident(greediest(program.rOperators));
    if (units <= 0)
        return program;
    Placement placement(program, static_cast<std::size_t>(units));
    for (const Wave &wave : waves)
        placement.place(wave);
    std::erase_if(program.units, [](const std::vector<UnitStep> &steps) { return steps.empty(); });
    return program;
}

} // namespace stagecraft
