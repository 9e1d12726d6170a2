#pragma once

// Schedules: the list of stages in which a model runs, or its streams, and nothing of how they were found or how long
// they take (schedule/timed_schedule.h). Source: IOS (Ding et al., MLSys 2021), section 3.

#include "operators/values/tensor_layout.h"
#include "schedule/streams/streams.h"
#include "support/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

enum class Strategy {
    Concurrent, // groups run concurrently, the operators of a group one after another
    Merge,      // same type, same input: one bigger operator, then a split
    Fused,      // rTasks of all its operators in one persistent kernel (schedule/rtasks/rprogram.h)
};

[[nodiscard]] std::string_view toString(Strategy strategy); // "concurrent", "merge", "fused"
[[nodiscard]] std::optional<Strategy> strategyFromString(std::string_view text);

// A set of operators that runs between two barriers. In normal form, operators ascend within a group and groups by
// their first operator. In a merge stage every operator is a group of one.
struct Stage {
    std::size_t block = 0; // index into the model's blocks
    Strategy strategy = Strategy::Concurrent;
    std::vector<std::vector<OperatorId>> groups;
    // The order in which its operators are launched, each once and after what it reads; empty: as the device does by
    // itself. Only of concurrent stages.
    std::vector<OperatorId> launchOrder = {};

    [[nodiscard]] std::size_t operatorCount() const;
    // Its operators run as one bigger operator.
    [[nodiscard]] bool isMerged() const { return strategy == Strategy::Merge; }
    // Its operators run as the rTasks of one kernel.
    [[nodiscard]] bool isFused() const { return strategy == Strategy::Fused; }
    // The number of chains of kernels that run concurrently: a merge stage is one operator, a fused one a kernel.
    [[nodiscard]] std::size_t concurrentGroups() const { return isMerged() || isFused() ? 1 : groups.size(); }

    friend bool operator==(const Stage &, const Stage &) = default;
};

// Brings groups and operators into normal form; the launch order stays.
[[nodiscard]] Stage normalized(Stage stage);
// The operator by itself.
[[nodiscard]] Stage stageAlone(OperatorId id, std::size_t block = 0);

// The layouts in which a schedule executes its tensors, by name. Only images have one; those that are not listed are
// NCHW, as are the inputs of the graph; its outputs are converted to it. Where an operator reads another layout than a
// tensor is written in, a conversion runs before its first reader.
struct StatedLayouts {
    std::vector<std::pair<std::string, TensorLayout>> tensors; // as their operators write them
    std::vector<std::pair<std::string, TensorLayout>> reads;   // by operator; others read what is written, or, where
                                                               // that differs, the layout that they write

    [[nodiscard]] bool empty() const { return tensors.empty() && reads.empty(); } // the device chooses

    friend bool operator==(const StatedLayouts &, const StatedLayouts &) = default;
};

struct Schedule {
    std::vector<Stage> stages = {}; // none where there are streams
    StatedLayouts layouts = {};
    std::optional<Streams> streams = {}; // instead of stages
};

// The same stages, or the same streams, whatever their layouts.
[[nodiscard]] inline bool hasSameOrder(const Schedule &one, const Schedule &other)
{
    return one.stages == other.stages && one.streams == other.streams;
}

// What a schedule needs of a device to run side by side what it does.
struct Synchronisation {
    std::size_t streams = 0;  // the most groups of a stage
    std::size_t events = 0;   // between streams
    std::size_t barriers = 0; // between stages

    friend bool operator==(const Synchronisation &, const Synchronisation &) = default;
};

[[nodiscard]] Synchronisation synchronisationOf(const Schedule &schedule);

} // namespace stagecraft
