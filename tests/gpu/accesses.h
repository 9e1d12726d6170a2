#pragma once

// Which memory of the arena a task reads and writes.

#include "gpu/plan/task.h"
#include "plan/plan.h"

#include <span>
#include <vector>

namespace stagecraft::test {

struct Access {
    bool writes = false;
    std::size_t buffer = 0;
    std::size_t begin = 0; // in bytes of the arena
    std::size_t end = 0;
    plan::View view; // empty dims: a workspace
};

// Constants are never written and are left out. The arena must be arranged.
[[nodiscard]] std::vector<Access> accessesOf(const gpu::Task &task, const plan::Plan &plan, gpu::Precision precision);

// One of them writes what the other accesses.
[[nodiscard]] bool conflict(std::span<const Access> a, std::span<const Access> b);

} // namespace stagecraft::test
