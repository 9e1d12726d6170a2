#pragma once

// The results as rows of the comparison. Lives on the UI thread.

#include "graph/graph.h"
#include "results/rated_result.h"
#include "timing/timeline/stage_loads.h"
#include "widgets/comparison/comparison_table.h"

#include <QString>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

class Results;

class ComparisonRows {
public:
    explicit ComparisonRows(const Results &results) : m_results(results) {}

    bool keepRoof(const std::string &device, const DeviceRoof &roof); // false: it was known, or is not now
    [[nodiscard]] ComparisonRow row(ResultId id) const;
    [[nodiscard]] std::vector<ComparisonRow> all() const; // that fit the next search

private:
    struct LeastUs { // of a graph at the peaks of a device
        LeastUs(std::weak_ptr<const Graph> of, std::string on, double latencyUs)
            : graph(std::move(of)), device(std::move(on)), us(latencyUs)
        {
        }
        std::weak_ptr<const Graph> graph;
        std::string device;
        double us = 0;
    };

    [[nodiscard]] double leastUsOf(ResultId id) const; // 0: no timeline of the device has told its peaks

    const Results &m_results;
    std::map<std::string, DeviceRoof> m_roofs; // by device, once a timeline was made there
    mutable std::vector<LeastUs> m_leastUs;
};

[[nodiscard]] QString whyNoSchedule(const ScheduleResult &result); // empty: it has a schedule
// "IOS-Both: an older simulator simulated it. Search again."; empty: a timeline can be made.
[[nodiscard]] QString whyNoTimeline(const RatedResult &result, const RunContext &settings);
[[nodiscard]] QString whyNotText(const RatedResult &result); // "IOS-Both: being searched."

} // namespace stagecraft
