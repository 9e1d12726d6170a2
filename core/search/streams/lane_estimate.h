#pragma once

// What streams would take on a device whose lanes each run one launch at a time, as the cores of a processor do
// (device/cpu/onednn/program.h), from durations of launches that were traced. For a search on a device that takes long
// to time a schedule, and carries noise; what it finds has to be timed.

#include "graph/graph.h"
#include "schedule/streams/streams.h"
#include "support/result.h"

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace stagecraft {

class LaneEstimate {
public:
    explicit LaneEstimate(int cores) : m_cores(cores) {}

    // One run of these operators on `cores` cores, in microseconds. The median of all counts.
    void add(std::span<const OperatorId> operators, int cores, double us);
    // What goes by between two launches of a lane, and between two parts (schedule/streams/stream_parts.h).
    void setGaps(double launchUs, double partUs);

    // In microseconds. On a number of cores for which no run is known, as long as the cores of the nearest one say.
    // DeviceFailed: a launch was never run.
    [[nodiscard]] Result<double> latencyUs(const Streams &streams) const;

private:
    using Key = std::vector<OperatorId>;

    [[nodiscard]] Result<double> durationUs(const Key &operators, int cores) const;

    int m_cores;
    std::map<Key, std::map<int, std::vector<double>>> m_runs; // by operators and cores, ascending
    double m_launchGapUs = 0;
    double m_partGapUs = 0;
};

} // namespace stagecraft
