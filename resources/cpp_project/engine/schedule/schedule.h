#pragma once

// The stages in which a network runs, or its streams.

#include "schedule/streams/streams.h"
#include "support/ids.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

enum class Strategy {
    Concurrent, // groups run concurrently, the operators of a group one after another
    Merge,      // convolutions of the same input run as one bigger convolution, then a split
    Fused,      // slices of all its operators on units (schedule/rtasks/rprogram.h)
};

// A set of operators that runs between two barriers. In a merge stage every operator is a group of one.
struct Stage {
    Strategy strategy = Strategy::Concurrent;
    std::vector<std::vector<OperatorId>> groups;
    std::vector<OperatorId> launchOrder = {}; // of all its operators; empty: as the device does by itself

    [[nodiscard]] bool isMerged() const { return strategy == Strategy::Merge; }
    [[nodiscard]] bool isFused() const { return strategy == Strategy::Fused; }
    // The number of chains of kernels that run concurrently: a merge stage is one operator, a fused one a kernel.
    [[nodiscard]] std::size_t concurrentGroups() const { return isMerged() || isFused() ? 1 : groups.size(); }
};

struct Schedule {
    std::vector<Stage> stages;
    std::optional<Streams> streams = {}; // instead of stages
};

} // namespace stagecraft
