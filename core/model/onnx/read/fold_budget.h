#pragma once

// The part of a file's budget that folding may take: a few bytes can ask for any number of elements. It grows with the
// file's own constants, since weights are rearranged several times before they are used. Beyond it, nodes stay
// operators.

#include "support/work_budget.h"

#include <cstdint>
#include <string>

namespace stagecraft {

class FoldBudget {
public:
    static constexpr std::int64_t kMade = std::int64_t{1} << 24U;    // elements produced, at most 8 bytes each
    static constexpr std::int64_t kVisited = std::int64_t{1} << 28U; // coordinates and elements visited
    static constexpr std::int64_t kReadings = 2;                     // of a file, that may visit as much each
    static constexpr std::int64_t kPerOwn = 8;                       // added to both per element in the file

    explicit FoldBudget(WorkBudget &work) : m_work(work) {}

    // What the reading before this one made is gone, what it visited is not.
    void beginReading();
    void addOwn(std::int64_t elements);
    // False if the budget does not suffice; then nothing is taken.
    [[nodiscard]] bool take(std::int64_t made, std::int64_t visited);

    [[nodiscard]] std::int64_t refusals() const { return m_refusals; }
    // A note for the first refused operator, which also counts the others.
    [[nodiscard]] std::string refusalText() const;

private:
    WorkBudget &m_work;
    std::int64_t m_made = kMade;
    std::int64_t m_visited = kReadings * kVisited;
    std::int64_t m_refusals = 0; // of this reading
};

} // namespace stagecraft
