#include "results/study_point.h"

#include <limits>

namespace stagecraft {

StudyFronts frontsOf(std::span<const StudyPoint> points)
{
    const auto front = [points](const auto &costOf) {
        std::vector<CostAndLatency> costs;
        costs.reserve(points.size());
        for (const StudyPoint &each : points)
            costs.push_back({costOf(each), *each.schedule->latencyUs()});
        return paretoFront(costs);
    };
    StudyFronts fronts{
        front([](const StudyPoint &each) { return static_cast<double>(each.schedule->search.stageMeasurements); }),
        front([](const StudyPoint &each) {
            return each.livePeakBytes ? static_cast<double>(*each.livePeakBytes)
                                      : std::numeric_limits<double>::infinity();
        })};
    for (std::size_t i = 0; i < points.size(); ++i)
        fronts.ofMemory[i] = fronts.ofMemory[i] && points[i].livePeakBytes;
    return fronts;
}

} // namespace stagecraft
