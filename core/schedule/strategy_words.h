#pragma once

// The words of strategies, in files, answers and messages: a row each.

#include "schedule/schedule.h"
#include "support/records/record.h"

namespace stagecraft {

template <>
struct Words<Strategy> {
    static constexpr Word<Strategy> table[]{
        {Strategy::Concurrent, "concurrent"}, {Strategy::Merge, "merge"}, {Strategy::Fused, "fused"}};
};

} // namespace stagecraft
