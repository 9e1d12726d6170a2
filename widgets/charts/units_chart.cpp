#include "widgets/charts/units_chart.h"

#include "widgets/base/format.h"
#include "widgets/base/plot_style.h"
#include "widgets/base/selection.h"
#include "widgets/charts/unit_drawing.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kLabelHeight = 1.15;   // of its letters, that the label of a row takes
constexpr double kTimesHeadroom = 1.12; // of the axis of times over the slowest rKernel
constexpr double kTimeColumn = 3;       // widths of the two columns
constexpr double kRKernelColumn = 1;
constexpr double kRowsHeight = 3; // heights of rows and use
constexpr double kUseHeight = 1;
constexpr int kWidestHidden = 1; // pixels of a column that is not shown

std::int64_t lengthNs(const FusedUnits &fused)
{
    const std::vector<BusyUnits> busy = busyUnits(fused);
    return busy.empty() ? 0 : busy.back().fromNs - busy.front().fromNs;
}

bool hasTimes(const FusedUnits &fused)
{
    return std::ranges::any_of(fused.rOperators, [](const TimedROperator &one) {
        return std::ranges::any_of(one.rKernels, [](const TimedRKernel &rKernel) { return rKernel.aloneNs > 0; });
    });
}

} // namespace

class UnitsChart::Private {
public:
    Selection *selection = nullptr;
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TimedSchedule> schedule;
    std::vector<FusedUnits> fused;
    DrawnUnits drawn;
    std::optional<std::size_t> stage; // that is drawn
    UnitRows *rows = nullptr;
    QCPAxisRect *useRect = nullptr;
    QCPGraph *use = nullptr; // per cent of the units that are busy
    QCPAxisRect *rKernelRect = nullptr;
    RKernelMarks *rKernels = nullptr;

    [[nodiscard]] const FusedUnits *wanted() const
    {
        const auto &selected = selection->current().stage;
        const auto found = selected ? std::ranges::find(fused, *selected, &FusedUnits::stage) : fused.end();
        if (found != fused.end())
            return &*found;
        const auto slowest = std::ranges::max_element(fused, {}, lengthNs);
        return slowest == fused.end() ? nullptr : &*slowest;
    }

    // As many as there is room for.
    void labelRows(QCPAxis &axis) const
    {
        const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
        const auto rowHeight = std::abs(axis.coordToPixel(1) - axis.coordToPixel(0));
        const double needed = kLabelHeight * QFontMetricsF(axis.tickLabelFont()).height();
        const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(needed / std::max(rowHeight, 1.0))));
        for (std::size_t row = 0; row < drawn.fused.rows.size(); row += step)
            ticker->addTick(static_cast<double>(row), drawn.numbersText(row));
        axis.setTicker(ticker);
    }

    void fillUse() const
    {
        QVector<double> times;
        QVector<double> shares;
        const auto all = static_cast<double>(unitCount(drawn.fused));
        for (const BusyUnits &busy : busyUnits(drawn.fused)) {
            times << drawn.us(busy.fromNs);
            shares << 100 * static_cast<double>(busy.units) / all;
        }
        use->setData(times, shares, true);
    }
};

UnitsChart::UnitsChart(Selection *selection, QWidget *parent) : PlotPage(parent), m_private(std::make_unique<Private>())
{
    Private &d = *m_private;
    d.selection = selection;
    QCPAxisRect *rowsRect = plot()->axisRect();
    auto *column = new QCPLayoutGrid;
    plot()->plotLayout()->take(rowsRect);
    plot()->plotLayout()->simplify();
    plot()->plotLayout()->addElement(0, 0, column);
    column->addElement(0, 0, rowsRect);
    d.useRect = new QCPAxisRect(plot());
    column->addElement(1, 0, d.useRect);
    column->setRowStretchFactors({kRowsHeight, kUseHeight});
    column->setRowSpacing(2);
    d.rKernelRect = new QCPAxisRect(plot());
    plot()->plotLayout()->addElement(0, 1, d.rKernelRect);
    plot()->plotLayout()->setColumnStretchFactors({kTimeColumn, kRKernelColumn});
    auto *margins = new QCPMarginGroup(plot());
    rowsRect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    d.useRect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    d.rows = new UnitRows(plot()->xAxis, plot()->yAxis);
    d.use = new QCPGraph(d.useRect->axis(QCPAxis::atBottom), d.useRect->axis(QCPAxis::atLeft));
    d.use->setLineStyle(QCPGraph::lsStepLeft);
    d.rKernels = new RKernelMarks(d.rKernelRect->axis(QCPAxis::atBottom), d.rKernelRect->axis(QCPAxis::atLeft));
    plot()->yAxis->setRangeReversed(true);
    plot()->yAxis->grid()->setVisible(false);
    plot()->yAxis->setLabel(QStringLiteral("units"));
    plot()->xAxis->setTickLabels(false);
    d.useRect->axis(QCPAxis::atBottom)->setLabel(QStringLiteral("time in the stage (µs)"));
    d.useRect->axis(QCPAxis::atLeft)->setLabel(QStringLiteral("busy (%)"));
    d.useRect->axis(QCPAxis::atLeft)->setRange(0, 104);
    for (QCPAxis *axis : {d.useRect->axis(QCPAxis::atLeft), d.rKernelRect->axis(QCPAxis::atBottom)}) {
        const QSharedPointer<QCPAxisTickerFixed> halves(new QCPAxisTickerFixed);
        halves->setTickStep(50);
        axis->setTicker(halves);
    }
    d.rKernelRect->axis(QCPAxis::atBottom)->setLabel(QStringLiteral("of the units (%)"));
    d.rKernelRect->axis(QCPAxis::atLeft)->setLabel(QStringLiteral("alone (µs)"));
    d.rKernelRect->axis(QCPAxis::atBottom)->setRange(-4, 104);
    plot()->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    for (QCPAxisRect *rect : {rowsRect, d.useRect}) {
        rect->setRangeDrag(Qt::Horizontal);
        rect->setRangeZoom(Qt::Horizontal);
    }
    d.rKernelRect->setRangeDrag({});
    d.rKernelRect->setRangeZoom({});
    connect(plot(), &QCustomPlot::beforeReplot, this, [this] {
        if (m_private->rows->units)
            m_private->labelRows(*plot()->yAxis);
    });
    const auto follow = [this](QCPAxis *from, QCPAxis *to) {
        connect(from, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this,
                [this, from, to](const QCPRange &range) {
                    const double length = m_private->drawn.lengthUs();
                    const QCPRange kept = length > 0 ? keptWithin(range, 0, length, length / 1000) : range;
                    if (kept != range)
                        from->setRange(kept);
                    else
                        to->setRange(range);
                });
    };
    follow(plot()->xAxis, d.useRect->axis(QCPAxis::atBottom));
    follow(d.useRect->axis(QCPAxis::atBottom), plot()->xAxis);
    setHint(QStringLiteral("The rTasks of a fused stage on the virtual units of the device appear here."));
    setAccessibleName(QStringLiteral("Virtual units"));
    applyTheme();
    connect(selection, &Selection::changed, this, [this](const Selected &) { showStage(); });
}

UnitsChart::~UnitsChart() = default;

void UnitsChart::setFused(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimedSchedule> schedule,
                          std::vector<FusedUnits> fused)
{
    Private &d = *m_private;
    std::erase_if(fused, [](const FusedUnits &one) { return lengthNs(one) == 0; });
    d.graph = std::move(graph);
    d.schedule = std::move(schedule);
    d.fused = std::move(fused);
    d.stage.reset();
    showStage();
}

void UnitsChart::showStage()
{
    Private &d = *m_private;
    const FusedUnits *fused = d.graph && d.schedule ? d.wanted() : nullptr;
    showPlot(fused != nullptr);
    if (!fused) {
        d.stage.reset();
        d.rows->units = nullptr;
        d.rKernels->units = nullptr;
        return;
    }
    const std::vector<BusyUnits> busy = busyUnits(*fused);
    const bool isOther = d.stage != fused->stage;
    d.stage = fused->stage;
    d.drawn = {d.graph, *fused, busy.front().fromNs, busy.back().fromNs, d.selection->current().op};
    d.rows->units = &d.drawn;
    d.rKernels->units = &d.drawn;
    d.fillUse();
    const bool isTimed = hasTimes(*fused);
    d.rKernelRect->setVisible(isTimed);
    d.rKernels->setVisible(isTimed);
    d.rKernelRect->setMaximumSize(isTimed ? QWIDGETSIZE_MAX : kWidestHidden, QWIDGETSIZE_MAX);
    bool found = false;
    plot()->yAxis->setRange(d.rows->getValueRange(found, QCP::sdBoth, QCPRange()));
    d.rKernelRect->axis(QCPAxis::atLeft)
        ->setRange(0, d.rKernels->getValueRange(found, QCP::sdBoth, QCPRange()).upper * kTimesHeadroom);
    if (isOther)
        plot()->xAxis->setRange(0, d.drawn.lengthUs());
    std::vector<Fact> facts;
    const auto &timings = d.schedule->measured.stages;
    Fact stage{stageTitle(*d.stage),
               latencyText(*d.stage < timings.size() ? timings[*d.stage].latencyUs : d.drawn.lengthUs())};
    if (const auto provenance = d.schedule->measured.provenance) {
        stage.after = provenanceText(*provenance);
        stage.provenance = provenance;
    }
    facts.push_back(std::move(stage));
    facts.push_back({QStringLiteral("virtual units"), countText(unitCount(*fused))});
    facts.push_back({QStringLiteral("busy"), percentText(busyShare(*fused))});
    facts.push_back({QStringLiteral("rOperators"), countText(std::ssize(fused->rOperators))});
    if (d.fused.size() > 1)
        facts.push_back({QStringLiteral("fused stages"), countText(std::ssize(d.fused))});
    setFacts(std::move(facts));
    setAccessibleDescription(plainSummary());
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

void UnitsChart::applyTheme()
{
    Private &d = *m_private;
    const Theme theme = themeFor(palette());
    d.rows->theme = theme;
    d.rKernels->theme = theme;
    stylePlot(*plot(), theme);
    plot()->yAxis->grid()->setVisible(false);
    QColor fill = theme.accent;
    d.use->setPen(QPen(fill, 1.5));
    fill.setAlphaF(0.25F);
    d.use->setBrush(fill);
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

void UnitsChart::clicked(QPoint point)
{
    const Private &d = *m_private;
    if (const auto mark = d.rKernels->markAt(point)) {
        d.selection->set({d.drawn.fused.rOperators[mark->first].op, d.stage});
        return;
    }
    const auto hit = d.rows->hitAt(point);
    if (hit && hit->task) {
        const std::uint32_t rOperator = d.drawn.fused.rows[hit->row].tasks[*hit->task].rOperator;
        d.selection->set({d.drawn.fused.rOperators[rOperator].op, d.stage});
    } else if (d.stage) {
        d.selection->set({std::nullopt, d.stage});
    }
}

QString UnitsChart::tipAt(QPoint point) const
{
    const Private &d = *m_private;
    const auto rKernelText = [](const TimedRKernel &rKernel, bool isChosen) {
        return QStringLiteral("%1%2, %3")
            .arg(rKernel.name.empty() ? QString() : QString::fromStdString(rKernel.name),
                 isChosen ? QStringLiteral(" (chosen)") : QString(), plural(rKernel.rTasks, "rTask"));
    };
    if (const auto mark = d.rKernels->markAt(point)) {
        const TimedROperator &one = d.drawn.fused.rOperators[mark->first];
        const TimedRKernel &rKernel = one.rKernels[mark->second];
        return QStringLiteral("<b>%1</b><br>%2<br>%3 alone on %4 of the units")
            .arg(d.drawn.nameOf(mark->first).toHtmlEscaped(),
                 rKernelText(rKernel, mark->second == one.chosen).toHtmlEscaped(), latencyText(rKernel.aloneNs / 1000),
                 percentText(rKernel.deviceShare));
    }
    const auto hit = d.rows->hitAt(point);
    if (!hit)
        return {};
    const QString when =
        QStringLiteral("%1, from %2 to %3")
            .arg(d.drawn.unitsText(hit->row), latencyText(d.drawn.us(hit->fromNs)), latencyText(d.drawn.us(hit->toNs)));
    if (!hit->task)
        return QStringLiteral("<b>waits %1</b> for rTasks of others<br>%2")
            .arg(latencyText(static_cast<double>(hit->toNs - hit->fromNs) / 1000), when);
    const std::uint32_t rOperator = d.drawn.fused.rows[hit->row].tasks[*hit->task].rOperator;
    const TimedROperator &one = d.drawn.fused.rOperators[rOperator];
    return QStringLiteral("<b>%1</b> %2<br>%3<br>%4")
        .arg(d.drawn.nameOf(rOperator).toHtmlEscaped(),
             latencyText(static_cast<double>(hit->toNs - hit->fromNs) / 1000), when,
             rKernelText(one.rKernels[one.chosen], false).toHtmlEscaped());
}

QPoint UnitsChart::taskCentre(OperatorId op) const
{
    const Private &d = *m_private;
    for (std::size_t row = 0; d.rows->units && row < d.drawn.fused.rows.size(); ++row) {
        for (const UnitTask &task : d.drawn.fused.rows[row].tasks) {
            if (d.drawn.fused.rOperators[task.rOperator].op == op)
                return fromPlot(d.rows->rectOf(row, task.startNs, task.endNs).center());
        }
    }
    return {};
}

} // namespace stagecraft
