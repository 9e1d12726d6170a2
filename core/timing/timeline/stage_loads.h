#pragma once

// What each stage asks of the device and what it reaches, for a roofline (Williams et al., CACM 2009): arithmetic and
// bytes are those of the graph's operators, so that schedules of one model compare; times are those of the timeline.

#include "timing/timeline/timeline_index.h"

#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct StageLoad {
    std::size_t stage = 0;
    double us = 0; // from its start to its end
    double flops = 0;
    double bytes = 0;                                // read and written once per operator, weights included
    double busyShare = 0;                            // of its time with at least one kernel
    std::optional<double> warpsShare = std::nullopt; // mean active warps, of the device's most
    bool isCosted = true;                            // false: operators without a cost are left out

    [[nodiscard]] double intensity() const { return bytes > 0 ? flops / bytes : 0; } // FLOP per byte
    [[nodiscard]] double flopsPerSecond() const { return us > 0 ? flops / us * 1e6 : 0; }
    [[nodiscard]] double bytesPerSecond() const { return us > 0 ? bytes / us * 1e6 : 0; }
};

// The operators of each of the timeline's stages, by stage.
[[nodiscard]] std::vector<StageLoad> stageLoads(const TimelineIndex &index, const Graph &graph,
                                                std::span<const std::vector<OperatorId>> operators);

// The peaks of the device, from the maxima of its counters; 0: it does not tell.
struct DeviceRoof {
    double flopsPerSecond = 0;
    double bytesPerSecond = 0;

    [[nodiscard]] bool isKnown() const { return flopsPerSecond > 0 && bytesPerSecond > 0; }
    [[nodiscard]] double at(double intensity) const; // FLOP/s; 0 if not known
    [[nodiscard]] double ridge() const;              // FLOP per byte from which arithmetic limits; 0 if not known
};

[[nodiscard]] DeviceRoof roofOf(const Timeline &timeline);

// What a stage is limited by, at best.
enum class RoofLimit { Arithmetic, Memory };

struct RoofShare {
    RoofLimit limit = RoofLimit::Arithmetic;
    double share = 0; // of the roof at the stage's intensity
};

// Empty if the roof is not known, or the stage has no work or no time.
[[nodiscard]] std::optional<RoofShare> roofShare(const StageLoad &load, const DeviceRoof &roof);

// The least time of the graph at the device's peaks: its arithmetic, or reading its inputs and weights and writing its
// outputs once, whichever takes longer. In microseconds; 0 if the roof is not known.
[[nodiscard]] double leastUs(const Graph &graph, const DeviceRoof &roof);

} // namespace stagecraft
