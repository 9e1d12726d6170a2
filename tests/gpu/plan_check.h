#pragma once

// Checks a program's plan by walking over it as the device would: streams, events and synchronisations give an order,
// views and workspaces give what each task touches.

#include "gpu/plan/program_plan.h"

#include <QString>

namespace stagecraft::test {

// Empty: every read finds what was written for it, whatever the streams' speeds, and nothing writes where something
// else may be at work. Otherwise the first violation.
[[nodiscard]] QString violation(const gpu::ProgramPlan &plan, const gpu::GpuOptions &options);

} // namespace stagecraft::test
