#pragma once

// What opening one file may take (support/work_budget.h), whatever it asks for: writing out functions, Loops and
// sequences, reading what came of them again, folding constants. Larger files are entitled to more.

#include "support/work_budget.h"

#include <cstdint>
#include <memory>
#include <stop_token>

namespace stagecraft {

namespace opening {
inline constexpr WorkAmount kLimit{3 * (std::int64_t{1} << 29U), std::int64_t{1} << 29U};
// Of a node that is written out: it is read, goes through all passes and becomes part of a block.
inline constexpr WorkAmount kWrittenNode{std::int64_t{1} << 13U, std::int64_t{1} << 10U};
// Of a node that is read again, with all that reading a graph takes.
inline constexpr WorkAmount kReadNode{std::int64_t{1} << 12U, 0};
// Of a name in a list of tensors.
inline constexpr WorkAmount kName{std::int64_t{1} << 6U, std::int64_t{1} << 6U};

[[nodiscard]] constexpr WorkAmount times(std::int64_t count, WorkAmount each)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40U; // more than any budget has room for
    const std::int64_t counted = count < kMost ? count : kMost;
    return {counted * each.steps, counted * each.bytes};
}
} // namespace opening

[[nodiscard]] inline std::shared_ptr<WorkBudget> openingBudget(std::stop_token stop = {})
{
    return std::make_shared<WorkBudget>(opening::kLimit, std::move(stop));
}

} // namespace stagecraft
