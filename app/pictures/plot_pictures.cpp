// The timelines, where their time goes, and the pruning trade-off.

#include "export/schedule_tables.h"
#include "export/view_tables.h"
#include "pictures/picture_page.h"
#include "pictures/view_pictures.h"
#include "widgets/base/format.h"
#include "widgets/comparison/time_parts_drawing.h"
#include "widgets/study/pruning_plot.h"
#include "widgets/timeline/timeline_stack.h"

#include <QWidget>
#include <qcustomplot.h>

#include <algorithm>
#include <memory>

namespace stagecraft {
namespace {

constexpr double kLeastTimelineWidth = 1200; // of timelines
constexpr double kMostTimelineWidth = 6000;
constexpr double kKernelWidth = 11; // for each kernel of the busiest row: most are wide enough for a letter
constexpr double kTimePartsWidth = 760;
constexpr QSize kTradeoffSize(860, 480);

// "A", "B", as in the window; a single one needs none.
QString letterOf(const ExportRequest &request, std::size_t result)
{
    return request.results.size() == 1 ? QString() : QString(QChar('A' + static_cast<char>(result % 26)));
}

struct TimelineDrawing {
    explicit TimelineDrawing(const ExportRequest &request, const Theme &theme) : stack(&owner)
    {
        stack.plot()->setFont(pictureFont());
        stack.setLaneCount(request.results.size());
        for (std::size_t i = 0; i < request.results.size(); ++i) {
            const RatedResult &result = request.results[i];
            const TimelineIndex &index = *result.timeline;
            stack.lanes()[i]->set(
                {letterOf(request, i), request.model->graph, result.timeline, nullptr, result.schedule});
            for (std::size_t row = 0; row < index.rows(); ++row)
                busiest = std::max(busiest, index.row(row).size());
            rows += std::max<std::size_t>(1, index.timeline().streams);
        }
        if (const auto &counters = request.results.front().timeline->timeline().counters; !counters.empty())
            stack.setCounters(
                {{CounterPlot::titleOf(counters.front()), QString::fromStdString(counters.front().name)}});
        stack.applyTheme(theme);
        stack.setRange(stack.whole());
    }

    void fitTo(QSize size) const
    {
        stack.plot()->setViewport(QRect(QPoint(), size)); // a widget that is not shown does not resize
        stack.plot()->replot(QCustomPlot::rpImmediateRefresh);
        stack.fitRows();
    }

    QWidget owner;
    TimelineStack stack;
    std::size_t busiest = 0;
    std::size_t rows = 0;
};

QString timelineFacts(const ExportRequest &request)
{
    QStringList facts;
    for (std::size_t i = 0; i < request.results.size(); ++i) {
        const RatedResult &result = request.results[i];
        const Timeline &timeline = result.timeline->timeline();
        const bool isOneRun = timeline.provenance == Provenance::Measured;
        facts << QStringLiteral("%1 %2: %3%4")
                     .arg(letterOf(request, i), QString::fromStdString(result.name),
                          latencyText(static_cast<double>(timeline.durationNs) / 1e3, result.leavesOutWork()),
                          isOneRun ? QStringLiteral(" in the run shown") : QString());
    }
    const TimedSchedule &first = request.schedule();
    const Timeline &timeline = request.results.front().timeline->timeline();
    return QStringLiteral("Batch %1, %2, on %3, %4. %5")
        .arg(first.context.batch)
        .arg(QString::fromStdString(first.context.precision), QString::fromStdString(timeline.device),
             provenanceText(timeline.provenance), facts.join(QStringLiteral("; ")));
}

} // namespace

Picture timelinePicture(const ExportRequest &request, const Theme &theme)
{
    const auto drawing = std::make_shared<const TimelineDrawing>(request, theme);
    const double width =
        std::clamp(kKernelWidth * static_cast<double>(drawing->busiest), kLeastTimelineWidth, kMostTimelineWidth);
    const double height =
        34.0 * static_cast<double>(drawing->rows) + 30.0 * static_cast<double>(request.results.size()) + 160;
    const QSize size = QSizeF(width, height).toSize();
    drawing->fitTo(size);
    const Picture body{{}, size, [=](QCPPainter &painter) {
                           drawing->stack.plot()->toPainter(&painter, size.width(), size.height());
                       }};
    return withHeading(QStringLiteral("%1: timeline").arg(QString::fromStdString(request.model->name)),
                       timelineFacts(request), theme, body);
}

// The steps lead from the first to the last.
Picture timePartsPicture(const ExportRequest &request, const Theme &theme)
{
    ShownTimeParts shown;
    for (std::size_t i = 0; i < request.results.size(); ++i) {
        if (const auto parts = timePartsOf(request.results[i]))
            shown.bars.push_back({letterOf(request, i), QString::fromStdString(request.results[i].name), parts->whole,
                                  parts->sources, parts->provenance});
    }
    shown.other = shown.bars.size() - 1;
    const auto drawing = std::make_shared<const TimePartsDrawing>(std::move(shown), pictureFont(), kTimePartsWidth);
    const Picture body{{}, QSizeF(kTimePartsWidth, drawing->height()), [=](QCPPainter &painter) {
                           drawing->paint(painter, theme, std::nullopt);
                       }};
    return withHeading(QStringLiteral("%1: where the time goes").arg(QString::fromStdString(request.model->name)),
                       timelineFacts(request), theme, body);
}

Picture tradeoffPicture(const ExportRequest &request, const Theme &theme)
{
    const auto plot = std::make_shared<PruningPlot>();
    plot->setPalette(picturePalette(request.style.dark));
    plot->setFont(pictureFont());
    plot->resize(kTradeoffSize);
    std::vector<PlottedPoint> points;
    QStringList strategies;
    for (const StudyPoint &each : request.tradeoff) {
        points.push_back(plottedPoint(each));
        if (const QString title = strategyTitle(each.point.strategies); !strategies.contains(title))
            strategies << title;
    }
    plot->setPoints(std::move(points));
    const TimedSchedule &first = *request.tradeoff.front().schedule;
    const Picture body{{}, kTradeoffSize, [=](QCPPainter &painter) { plot->paintWhole(painter, kTradeoffSize); }};
    return withHeading(
        QStringLiteral("%1: latency and cost of the search").arg(QString::fromStdString(request.model->name)),
        QStringLiteral("%1, %2. A mark is a search with the r, s beside it; the line is the Pareto front")
            .arg(strategies.join(QStringLiteral(", ")), QString::fromStdString(settingsText(first))),
        theme, body);
}

} // namespace stagecraft
