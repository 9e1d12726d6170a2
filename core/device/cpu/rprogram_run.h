#pragma once

// Runs the units of an rProgram (schedule/rtasks/rprogram.h) on threads that run at the same time. A counter of ended
// rTasks for each rOperator is what units wait for: what an rTask has written can be read after a wait for it. Waits
// spin, since all units are resident together; where there are fewer threads than units, a thread takes turns with its
// units, so that the program ends however few there are.

#include "schedule/rtasks/rprogram.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stagecraft::cpu {

class RProgramRun {
public:
    // The program is verified (schedule/rtasks/verify_rprogram.h) and outlives it.
    explicit RProgramRun(const RProgram &program);

    [[nodiscard]] const RProgram &program() const { return m_program; }

    void begin(); // before each run, while no thread is at work

    // Units `thread`, `thread + threads` and so on, to their ends; each thread calls it once a run. Calls
    // execute(unit, rTask) for the steps of its units.
    template <typename Execute>
    void run(std::size_t thread, std::size_t threads, const Execute &execute)
    {
        std::vector<std::size_t> next(m_program.units.size(), 0); // by unit
        bool isDone = false;
        for (int idle = 0; !isDone; pauseAfter(idle)) {
            isDone = true;
            for (std::size_t unit = thread; unit < m_program.units.size(); unit += threads) {
                const std::vector<UnitStep> &steps = m_program.units[unit];
                for (; next[unit] < steps.size() && isOpen(steps[next[unit]]); ++next[unit]) {
                    if (const RTask *task = std::get_if<RTask>(&steps[next[unit]])) {
                        execute(unit, *task);
                        end(*task);
                    }
                    idle = 0;
                }
                isDone = isDone && next[unit] == steps.size();
            }
        }
    }

private:
    struct alignas(64) Counter { // a cache line, or units would disturb each other
        std::atomic<std::int64_t> ended = 0;
    };

    [[nodiscard]] bool isOpen(const UnitStep &step) const;
    void end(const RTask &task) { m_counters[task.rOperator].ended.fetch_add(1, std::memory_order_acq_rel); }
    static void pauseAfter(int &idle);

    const RProgram &m_program;
    std::vector<std::int64_t> m_rTasks;    // by rOperator
    std::unique_ptr<Counter[]> m_counters; // by rOperator
};

} // namespace stagecraft::cpu
