#pragma once

// Sets of latencies in the store, and which of them a command means.

#include "cli/command_line.h"
#include "measure/store/latency_store.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

struct LatenciesOptions {
    std::string model;
    std::string device;
    std::int64_t batch = 0;
    std::string file;
    bool yes = false;
};

// A notice of the store goes to standard error.
[[nodiscard]] Result<LatencyStore> openStore();
// Empty if there is no store, which is not created here.
[[nodiscard]] Result<std::vector<StoredSet>> storedSets();
[[nodiscard]] std::string clocksText(const StoredSet &set); // "1755 to 1980 MHz, memory 2619 MHz"
// The only set that matches. WrongUse: none does, or several do.
[[nodiscard]] Result<StoredSet> selectedSet(const LatenciesOptions &options);
// Deletes what matches, after asking.
[[nodiscard]] Result<void> clearLatencies(const LatenciesOptions &options, const CommandLine &line);

} // namespace stagecraft
