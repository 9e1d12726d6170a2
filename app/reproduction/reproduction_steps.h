#pragma once

// The steps of a reproduction: each adds figures and claims to it. Private to this folder.

#include "support/result.h"

namespace stagecraft {

class Reproducer;

// In reproduce_networks.cpp, which need no device
[[nodiscard]] Result<void> reproduceNetworks(Reproducer &run);
[[nodiscard]] Result<void> reproduceSearchSpaces(Reproducer &run);

// In reproduce_schedules.cpp
[[nodiscard]] Result<void> reproduceSchedules(Reproducer &run);
[[nodiscard]] Result<void> reproducePruning(Reproducer &run);
[[nodiscard]] Result<void> reproduceWholeSearches(Reproducer &run);
[[nodiscard]] Result<void> reproduceBlocks(Reproducer &run);

// In reproduce_sample.cpp
[[nodiscard]] Result<void> reproduceSample(Reproducer &run);
[[nodiscard]] Result<void> reproduceActiveWarps(Reproducer &run);

// In reproduce_specialisation.cpp
[[nodiscard]] Result<void> reproduceBatches(Reproducer &run);
[[nodiscard]] Result<void> reproduceDevices(Reproducer &run);
[[nodiscard]] Result<void> reproducePublishedSchedules(Reproducer &run);

// In reproduce_streams.cpp
[[nodiscard]] Result<void> reproduceStreams(Reproducer &run);

// In reproduce_rtasks.cpp
[[nodiscard]] Result<void> reproduceRTasks(Reproducer &run);

// In reproduce_experts.cpp
[[nodiscard]] Result<void> reproduceExperts(Reproducer &run);

// In reproduce_layouts.cpp
[[nodiscard]] Result<void> reproduceLayoutStudy(Reproducer &run);

} // namespace stagecraft
