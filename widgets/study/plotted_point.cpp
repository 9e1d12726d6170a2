#include "widgets/study/plotted_point.h"

#include "results/pooled_latency.h"
#include "search/search_words.h"
#include "widgets/base/format.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace stagecraft {
namespace {

constexpr double kMebi = 1024 * 1024;

} // namespace

QString costTitle(PointCost cost)
{
    switch (cost) {
    case PointCost::Measurements: return QStringLiteral("stages measured by the search");
    case PointCost::Seconds: return QStringLiteral("search and measuring time (s)");
    case PointCost::Transitions: return QStringLiteral("transitions of the search");
    case PointCost::Memory: return QStringLiteral("live peak of memory (MiB)");
    }
    return {};
}

PlottedPoint plottedPoint(const StudyPoint &studied)
{
    const TimedSchedule &schedule = *studied.schedule;
    const SearchRecord &record = schedule.search;
    PlottedPoint plotted{studied.point,
                         {static_cast<double>(studied.stagesAsked), record.searchSeconds + record.measureSeconds,
                          static_cast<double>(record.transitions),
                          static_cast<double>(studied.livePeakBytes.value_or(0)) / kMebi},
                         *schedule.latencyUs(),
                         0,
                         studied.schedule};
    if (const auto measurement = measurementOf(schedule, 0))
        plotted.halfWidthUs = pooled(std::span(&*measurement, 1))->halfWidthUs;
    return plotted;
}

QString strategyTitle(StrategySet strategies)
{
    switch (strategies) {
    case StrategySet::Both: return QStringLiteral("IOS-Both");
    case StrategySet::Parallel: return QStringLiteral("IOS-Parallel");
    case StrategySet::Merge: return QStringLiteral("IOS-Merge");
    case StrategySet::All: return QStringLiteral("IOS-All");
    }
    return {};
}

QString titleOf(const PruningPoint &point)
{
    const QString title =
        QStringLiteral("%1, r %2, s %3").arg(strategyTitle(point.strategies)).arg(point.r).arg(point.s);
    return point.singleSource ? title + QStringLiteral(", single source") : title;
}

QString latencyOf(const PlottedPoint &point)
{
    const QString text = latencyText(point.latencyUs, point.schedule->leavesOutWork());
    return point.halfWidthUs > 0 ? QStringLiteral("%1 ± %2").arg(text, latencyText(point.halfWidthUs)) : text;
}

QStringList factsOf(const PlottedPoint &point)
{
    const TimedSchedule &schedule = *point.schedule;
    const SearchRecord &record = schedule.search;
    const auto asked = static_cast<std::int64_t>(point.cost(PointCost::Measurements));
    QString asks = QStringLiteral("asks for %1").arg(plural(asked, "stage"));
    if (asked > record.stageMeasurements)
        asks += QStringLiteral(", %1 of them stored before").arg(countText(asked - record.stageMeasurements));
    QStringList facts{QStringLiteral("%1, %2").arg(provenanceText(schedule),
                                                   plural(static_cast<std::int64_t>(schedule.stages.size()), "stage")),
                      asks,
                      QStringLiteral("%1, %2 s")
                          .arg(plural(record.transitions, "transition"))
                          .arg(point.cost(PointCost::Seconds), 0, 'g', 3)};
    if (const double memory = point.cost(PointCost::Memory); memory > 0)
        facts << QStringLiteral("%1 live at once, planned").arg(bytesText(memory * kMebi));
    return facts << QString::fromStdString(outcomeText(record));
}

std::vector<bool> frontOf(std::span<const PlottedPoint> points, PointCost cost)
{
    std::vector<CostAndLatency> values;
    values.reserve(points.size());
    for (const PlottedPoint &point : points)
        values.push_back({point.cost(cost), point.latencyUs});
    return paretoFront(values);
}

std::vector<std::vector<std::size_t>> linesOf(std::span<const PlottedPoint> points, EqualBound equal)
{
    using Line = std::tuple<StrategySet, bool, int>;
    std::map<Line, std::vector<std::size_t>> lines;
    const auto other = [equal](const PruningPoint &point) { return equal == EqualBound::R ? point.s : point.r; };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PruningPoint &point = points[i].point;
        lines[{point.strategies, point.singleSource, equal == EqualBound::R ? point.r : point.s}].push_back(i);
    }
    std::vector<std::vector<std::size_t>> joined;
    for (auto &[key, line] : lines) {
        std::ranges::sort(line, {}, [&](std::size_t i) { return other(points[i].point); });
        if (line.size() > 1)
            joined.push_back(std::move(line));
    }
    return joined;
}

} // namespace stagecraft
