#include "timing/timeline/timeline.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <ranges>

namespace stagecraft {

const CounterSeries *Timeline::counter(std::string_view name) const
{
    const auto found = std::ranges::find(counters, name, &CounterSeries::name);
    return found == counters.end() ? nullptr : &*found;
}

const FusedUnits *Timeline::fusedUnits(std::size_t stage) const
{
    const auto found = std::ranges::find(fused, stage, &FusedUnits::stage);
    return found == fused.end() ? nullptr : &*found;
}

std::int64_t busyNsOf(const Timeline &timeline, std::span<const OperatorId> operators)
{
    std::int64_t busyNs = 0;
    std::int64_t reachedNs = std::numeric_limits<std::int64_t>::min();
    for (const KernelSpan &kernel : timeline.kernels) {
        if (kernel.operators.empty() || std::ranges::find(operators, kernel.operators.front()) == operators.end())
            continue;
        busyNs += std::max<std::int64_t>(0, kernel.endNs - std::max(kernel.startNs, reachedNs));
        reachedNs = std::max(reachedNs, kernel.endNs);
    }
    return busyNs;
}

double mean(const CounterSeries &series, std::int64_t durationNs)
{
    if (durationNs <= 0)
        return 0;
    double sum = 0;
    for (std::size_t i = 0; i < series.timesNs.size() && i < series.values.size(); ++i) {
        const std::int64_t from = std::clamp<std::int64_t>(series.timesNs[i], 0, durationNs);
        const std::int64_t until = i + 1 < series.timesNs.size() ? series.timesNs[i + 1] : durationNs;
        sum += series.values[i] * static_cast<double>(std::clamp<std::int64_t>(until, from, durationNs) - from);
    }
    return sum / static_cast<double>(durationNs);
}

std::string operatorNames(const Graph &graph, const KernelSpan &kernel)
{
    const auto nameOf = [&](OperatorId id) { return graph.op(id).name; };
    return fmt::to_string(fmt::join(kernel.operators | std::views::transform(nameOf), " + "));
}

} // namespace stagecraft
