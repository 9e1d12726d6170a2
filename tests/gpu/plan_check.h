#pragma once

// Checks a program's plan by walking over it as the device would: streams, events and synchronisations give the order,
// views and workspaces the memory that each task uses.

#include "gpu/plan/program_plan.h"

#include <QString>

namespace stagecraft::test {

// Empty if every read finds what was written for it, whatever the streams' speeds, and no write overlaps another
// access. Otherwise the first violation.
[[nodiscard]] QString violation(const gpu::ProgramPlan &plan, const gpu::GpuOptions &options);

// Pairs of tasks of different stages of which none has to wait for the other.
[[nodiscard]] std::size_t freePairs(const gpu::ProgramPlan &plan);

// Edges between kernels of the captured graph: a wait adds what the event followed to what the stream's next kernel
// follows.
[[nodiscard]] std::size_t edgesOf(const gpu::LaunchPlan &plan);

} // namespace stagecraft::test
