#include "device/cpu/rprogram_run.h"

#include "device/cpu/spin_pause.h"

#include <algorithm>
#include <thread>

namespace stagecraft::cpu {
namespace {

constexpr int kSpinsBeforeYield = 4000; // about 50 us; then other programs get the core

} // namespace

RProgramRun::RProgramRun(const RProgram &program)
    : m_program(program), m_counters(std::make_unique<Counter[]>(program.rOperators.size()))
{
    for (const ROperator &rOperator : program.rOperators)
        m_rTasks.push_back(rOperator.rKernel().rTasks);
}

void RProgramRun::begin()
{
    for (std::size_t i = 0; i < m_rTasks.size(); ++i)
        m_counters[i].ended.store(0, std::memory_order_relaxed);
}

bool RProgramRun::isOpen(const UnitStep &step) const
{
    const Wait *wait = std::get_if<Wait>(&step);
    return !wait || std::ranges::all_of(wait->rOperators, [&](std::uint32_t one) {
        return m_counters[one].ended.load(std::memory_order_acquire) == m_rTasks[one];
    });
}

void RProgramRun::pauseAfter(int &idle)
{
    if (++idle < kSpinsBeforeYield)
        spinPause();
    else
        std::this_thread::yield();
}

} // namespace stagecraft::cpu
