#pragma once

// What one piece of work may take in all, and whether it is asked to stop: opening a file reads, writes out, folds and
// rewrites within one of these, so that a few bytes cannot ask for any amount of it. Everything is charged before it is
// done. Counts, not times: a file is treated alike on every machine.
//
// Threads: one at a time, but for the stop, which any thread requests.

#include "support/result.h"

#include <cstdint>
#include <stop_token>
#include <utility>

namespace stagecraft {

struct WorkAmount {
    std::int64_t steps = 0; // each as long as visiting an element of a tensor: some nanoseconds
    std::int64_t bytes = 0; // of memory
};

class WorkBudget {
public:
    explicit WorkBudget(WorkAmount limit, std::stop_token stop = {}) : m_left(limit), m_stop(std::move(stop)) {}

    // What larger input entitles to.
    void add(WorkAmount amount)
    {
        m_left.steps += amount.steps;
        m_left.bytes += amount.bytes;
    }
    // False if it does not suffice; then nothing is taken.
    [[nodiscard]] bool take(WorkAmount amount)
    {
        if (amount.steps > m_left.steps || amount.bytes > m_left.bytes)
            return false;
        add({-amount.steps, -amount.bytes});
        m_taken.steps += amount.steps;
        m_taken.bytes += amount.bytes;
        return true;
    }

    [[nodiscard]] const WorkAmount &left() const { return m_left; }
    [[nodiscard]] const WorkAmount &taken() const { return m_taken; }

    [[nodiscard]] const std::stop_token &stop() const { return m_stop; }
    // Cancelled once a stop was requested: to be asked now and then.
    [[nodiscard]] Result<void> goOn() const
    {
        return m_stop.stop_requested() ? fail(ErrorCode::Cancelled, "cancelled") : Result<void>();
    }

private:
    WorkAmount m_left;
    WorkAmount m_taken;
    std::stop_token m_stop;
};

} // namespace stagecraft
