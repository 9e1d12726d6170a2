#include "timing/timeline/unit_rows.h"

#include <map>
#include <numeric>

namespace stagecraft {

std::int64_t unitCount(const FusedUnits &fused)
{
    return std::accumulate(fused.rows.begin(), fused.rows.end(), std::int64_t{0},
                           [](std::int64_t sum, const UnitRow &row) { return sum + row.units; });
}

std::vector<BusyUnits> busyUnits(const FusedUnits &fused)
{
    std::map<std::int64_t, std::int64_t> changes;
    for (const UnitRow &row : fused.rows) {
        for (const UnitTask &task : row.tasks) {
            changes[task.startNs] += row.units;
            changes[task.endNs] -= row.units;
        }
    }
    std::vector<BusyUnits> busy;
    std::int64_t units = 0;
    for (const auto &[ns, change] : changes) {
        units += change;
        if (busy.empty() || busy.back().units != units)
            busy.push_back({ns, units});
    }
    return busy;
}

double busyShare(const FusedUnits &fused)
{
    const std::vector<BusyUnits> busy = busyUnits(fused);
    if (busy.empty())
        return 0;
    double sum = 0;
    for (std::size_t i = 0; i + 1 < busy.size(); ++i)
        sum += static_cast<double>(busy[i].units) * static_cast<double>(busy[i + 1].fromNs - busy[i].fromNs);
    const auto span = static_cast<double>(busy.back().fromNs - busy.front().fromNs);
    return span > 0 ? sum / (span * static_cast<double>(unitCount(fused))) : 0;
}

} // namespace stagecraft
