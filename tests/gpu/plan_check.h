#pragma once

// Checks a program's plan by walking over it as the device would: streams, events and synchronisations give the order,
// views and workspaces the memory that each task uses.

#include "gpu/plan/program_plan.h"

#include <QString>

namespace stagecraft::test {

// Empty if every read finds what was written for it, whatever the streams' speeds, and no write overlaps another
// access. Otherwise the first violation.
[[nodiscard]] QString violation(const gpu::ProgramPlan &plan, const gpu::GpuOptions &options);

} // namespace stagecraft::test
