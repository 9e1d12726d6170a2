#include "widgets/charts/memory_chart.h"

#include "schedule/stage_groups.h"
#include "schedule/streams/stream_parts.h"
#include "widgets/base/format.h"
#include "widgets/base/plot_style.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNamePadding = 4;     // pixels beside a name in its rectangle
constexpr double kLeastNameWidth = 30; // narrower rectangles carry no name
constexpr double kKibi = 1024;
constexpr double kHeadroom = 1.1; // of the axis over the arena, for the mark of the peak

// The unit of the axis: bytes in it, and its name.
std::pair<double, QString> unitOf(double bytes)
{
    constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB"};
    double unit = 1;
    std::size_t name = 0;
    while (bytes / unit >= kKibi && name + 1 < kNames.size()) {
        unit *= kKibi;
        ++name;
    }
    return {unit, QString::fromLatin1(kNames[name])};
}

// The buffers, the live bytes of each stage, and the peak.
class Buffers : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    std::optional<ShownMemory> memory;
    std::vector<std::size_t> live; // by stage
    std::size_t peak = 0;          // the first stage with the most
    std::vector<std::size_t> stageOfOperator;
    double unit = 1; // bytes of the axis
    Selected selected;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }

    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override
    {
        found = memory.has_value();
        return found ? QCPRange(0.5, static_cast<double>(live.size()) + 0.5) : QCPRange();
    }

    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override
    {
        found = memory.has_value();
        return found ? QCPRange(0, static_cast<double>(memory->use.arenaBytes) / unit * kHeadroom) : QCPRange();
    }

    [[nodiscard]] bool hasStreams() const { return memory && memory->schedule->streams; }
    [[nodiscard]] std::size_t colourOf(OperatorId writer) const
    {
        const std::size_t stage = stageOfOperator[writer.index()];
        return hasStreams() ? memory->schedule->streams->launches[stage].stream : stage;
    }

    // The operator that writes the buffer first; invalid: inputs of the graph, or workspace.
    [[nodiscard]] OperatorId writerOf(const plan::MemoryBuffer &buffer) const
    {
        OperatorId writer;
        for (const TensorId tensor : buffer.tensors) {
            const OperatorId producer = memory->graph->tensor(tensor).producer;
            if (producer.isValid() &&
                (!writer.isValid() || stageOfOperator[producer.index()] < stageOfOperator[writer.index()]))
                writer = producer;
        }
        return writer;
    }

    [[nodiscard]] QRectF rectOf(const plan::MemoryBuffer &buffer) const
    {
        const double left = xOf(buffer.life.firstStage);
        const double right = xOf(buffer.life.lastStage + 1);
        const double bottom = yOf(buffer.offset);
        const double top = yOf(buffer.offset + buffer.life.bytes);
        return {left, top, std::max(1.0, right - left), std::max(1.0, bottom - top)};
    }

    [[nodiscard]] bool isSelected(const plan::MemoryBuffer &buffer) const
    {
        return selected.op && std::ranges::any_of(buffer.tensors, [this](TensorId tensor) {
                   return memory->graph->tensor(tensor).producer == *selected.op;
               });
    }

protected:
    void draw(QCPPainter *painter) override
    {
        if (!memory)
            return;
        painter->setAntialiasing(false);
        const QCPRange stages = keyAxis()->range();
        if (selected.stage && *selected.stage < live.size())
            painter->fillRect(columnOf(*selected.stage), mixed(theme.canvas, theme.accent, 0.16));
        for (const plan::MemoryBuffer &buffer : memory->use.buffers) {
            if (static_cast<double>(buffer.life.lastStage) + 1.5 >= stages.lower &&
                static_cast<double>(buffer.life.firstStage) + 0.5 <= stages.upper)
                drawBuffer(*painter, buffer);
        }
        for (const plan::MemoryBuffer &buffer : memory->use.buffers) { // selected ones lie on top
            if (isSelected(buffer)) {
                painter->setPen(QPen(theme.accent, 2));
                painter->setBrush(Qt::NoBrush);
                painter->drawRect(rectOf(buffer).adjusted(0, 0, -1, -1));
            }
        }
        drawLive(*painter);
        drawPeak(*painter);
    }

    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    [[nodiscard]] double xOf(std::size_t stage) const
    {
        return keyAxis()->coordToPixel(static_cast<double>(stage) + 0.5);
    }
    [[nodiscard]] double yOf(std::size_t bytes) const
    {
        return valueAxis()->coordToPixel(static_cast<double>(bytes) / unit);
    }
    [[nodiscard]] QRectF columnOf(std::size_t stage) const
    {
        const QRectF area = keyAxis()->axisRect()->rect();
        return {xOf(stage), area.top(), std::max(1.0, xOf(stage + 1) - xOf(stage)), area.height()};
    }

    void drawBuffer(QCPPainter &painter, const plan::MemoryBuffer &buffer) const
    {
        const QRectF rect = rectOf(buffer);
        const OperatorId writer = writerOf(buffer);
        const QColor fill = writer.isValid() ? theme.stageFill(colourOf(writer)) : theme.grid;
        painter.fillRect(rect, fill);
        if (buffer.tensors.empty())
            painter.fillRect(rect, QBrush(theme.mutedText, Qt::BDiagPattern));
        if (rect.width() > 3 && rect.height() > 3) { // smaller ones would be outlines only
            painter.setPen(QPen(theme.canvas, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(0, 0, -1, -1));
        }
        const QRectF inner =
            rect.intersected(keyAxis()->axisRect()->rect()).adjusted(kNamePadding, 0, -kNamePadding, 0);
        const QFontMetricsF metrics(painter.font());
        if (inner.width() < kLeastNameWidth || inner.height() < metrics.height())
            return;
        painter.setPen(theme.onFill(fill));
        painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                         metrics.elidedText(nameOf(buffer), Qt::ElideMiddle, inner.width()));
    }

    [[nodiscard]] QString nameOf(const plan::MemoryBuffer &buffer) const
    {
        return buffer.tensors.empty() ? QStringLiteral("workspace")
                                      : QString::fromStdString(memory->graph->tensor(buffer.tensors.back()).name);
    }

    void drawLive(QCPPainter &painter) const
    {
        QPolygonF line;
        for (std::size_t stage = 0; stage < live.size(); ++stage)
            line << QPointF(xOf(stage), yOf(live[stage])) << QPointF(xOf(stage + 1), yOf(live[stage]));
        painter.setPen(QPen(theme.text, 1.2));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
    }

    // The peak stage, with its bytes on whichever side has room.
    void drawPeak(QCPPainter &painter) const
    {
        const QRectF area = keyAxis()->axisRect()->rect();
        const double middle = (xOf(peak) + xOf(peak + 1)) / 2;
        if (middle < area.left() || middle > area.right())
            return;
        const double y = yOf(live[peak]);
        painter.setAntialiasing(true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.warning);
        painter.drawPolygon(QPolygonF({{middle, y - 1}, {middle - 5, y - 9}, {middle + 5, y - 9}}));
        const QString text = QStringLiteral("peak %1, %2")
                                 .arg(bytesText(static_cast<double>(live[peak])), stageText(*memory->schedule, peak));
        const QFontMetricsF metrics(painter.font());
        const double width = metrics.horizontalAdvance(text);
        const bool isRight = middle + 9 + width <= area.right();
        const QRectF place(isRight ? middle + 9 : middle - 9 - width, y - 5 - metrics.height() / 2, width,
                           metrics.height());
        painter.fillRect(place.adjusted(-2, 0, 2, 0), theme.canvas);
        painter.setPen(theme.text);
        painter.drawText(place, Qt::AlignCenter, text);
    }
};

} // namespace

class MemoryChart::Private {
public:
    Selection *selection = nullptr;
    Buffers *buffers = nullptr;

    [[nodiscard]] const plan::MemoryBuffer *bufferAt(QPointF point) const
    {
        if (!buffers->memory)
            return nullptr;
        const auto &all = buffers->memory->use.buffers;
        const auto found =
            std::ranges::find_if(all, [&](const auto &buffer) { return buffers->rectOf(buffer).contains(point); });
        return found == all.end() ? nullptr : &*found;
    }
};

MemoryChart::MemoryChart(Selection *selection, QWidget *parent)
    : PlotPage(parent), m_private(std::make_unique<Private>())
{
    Private &d = *m_private;
    d.selection = selection;
    d.buffers = new Buffers(plot()->xAxis, plot()->yAxis);
    plot()->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot()->axisRect()->setRangeDrag(Qt::Horizontal);
    plot()->axisRect()->setRangeZoom(Qt::Horizontal);
    plot()->xAxis->setLabel(QStringLiteral("stage"));
    const QSharedPointer<QCPAxisTickerFixed> wholeNumbers(new QCPAxisTickerFixed);
    wholeNumbers->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    plot()->xAxis->setTicker(wholeNumbers);
    setHint(QStringLiteral("The tensors that a schedule keeps in memory, stage by stage, appear here."));
    setAccessibleName(QStringLiteral("Memory"));
    plot()->setAccessibleName(accessibleName());
    applyTheme();
    connect(plot()->xAxis, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this, [this](const QCPRange &range) {
        const double stages = static_cast<double>(m_private->buffers->live.size());
        const QCPRange kept = keptWithin(range, 0.4, stages + 0.6, std::min(4.0, stages));
        if (stages > 0 && kept != range)
            plot()->xAxis->setRange(kept);
    });
    connect(selection, &Selection::changed, this, [this](const Selected &selected) {
        m_private->buffers->selected = selected;
        plot()->replot(QCustomPlot::rpQueuedReplot);
    });
}

MemoryChart::~MemoryChart() = default;

void MemoryChart::setMemory(std::optional<ShownMemory> memory)
{
    Buffers &buffers = *m_private->buffers;
    const bool isKept = memory && buffers.memory && memory->schedule == buffers.memory->schedule; // with its zoom
    const bool isShown = memory && memory->use.stages > 0;
    buffers.selected = m_private->selection->current();
    if (!isShown) {
        buffers.memory.reset();
        showPlot(false);
        return;
    }
    buffers.live = memory->use.liveBytes();
    buffers.peak = static_cast<std::size_t>(std::ranges::max_element(buffers.live) - buffers.live.begin());
    const auto &streams = memory->schedule->streams;
    plot()->xAxis->setLabel(streams ? QStringLiteral("launch") : QStringLiteral("stage"));
    buffers.stageOfOperator =
        stageOfOperators(*memory->graph, streams ? launchesAsStages(*streams) : memory->schedule->stages);
    buffers.memory = std::move(memory);
    showPlot(true); // may draw at once
    const auto [unit, name] = unitOf(static_cast<double>(buffers.memory->use.arenaBytes));
    buffers.unit = unit;
    plot()->yAxis->setLabel(QStringLiteral("offset (%1)").arg(name));
    showFacts();
    if (!isKept)
        plot()->xAxis->setRange(0.4, static_cast<double>(buffers.live.size()) + 0.6);
    bool found = false;
    plot()->yAxis->setRange(buffers.getValueRange(found, QCP::sdBoth, QCPRange()));
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryChart::applyTheme()
{
    Private &d = *m_private;
    d.buffers->theme = themeFor(palette());
    stylePlot(*plot(), d.buffers->theme);
    plot()->xAxis->grid()->setVisible(false);
    showFacts();
    plot()->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryChart::showFacts()
{
    const auto &memory = m_private->buffers->memory;
    if (!memory)
        return;
    const auto fact = [](const char *label, std::size_t bytes) {
        return Fact{QString::fromLatin1(label), bytesText(static_cast<double>(bytes))};
    };
    Fact peak = fact("live peak", memory->use.livePeakBytes());
    peak.after = memory->basis;
    peak.isAfterExtra = true;
    std::vector<Fact> facts{std::move(peak), fact("arena", memory->use.arenaBytes)};
    for (const plan::TargetMemory &target : memory->targets) {
        const plan::MemoryTargetRow &row = plan::memoryTargetRow(target.target);
        Fact &held = facts.emplace_back(fact(row.name.data(), target.heldBytes));
        held.tip = QStringLiteral("%1, simulated: %2").arg(held.label, QString::fromUtf8(row.basis.data()));
    }
    facts.push_back(fact("without reuse", memory->use.noReuseBytes()));
    facts.push_back(fact("TVM's planner", memory->referenceCountedBytes));
    facts.push_back(fact("weights, beside it", memory->weightsBytes));
    setFacts(std::move(facts));
}

void MemoryChart::clicked(QPoint point)
{
    const Buffers &buffers = *m_private->buffers;
    if (const plan::MemoryBuffer *buffer = m_private->bufferAt(point)) {
        const OperatorId writer = buffers.writerOf(*buffer);
        if (writer.isValid()) {
            m_private->selection->set(
                {writer, buffers.hasStreams() ? std::nullopt : std::optional(buffers.stageOfOperator[writer.index()])});
            return;
        }
    }
    const double stage = std::round(plot()->xAxis->pixelToCoord(point.x())) - 1;
    if (plot()->axisRect()->rect().contains(point) && stage >= 0 && stage < static_cast<double>(buffers.live.size()))
        m_private->selection->set(selectedAt(*buffers.memory->schedule, static_cast<std::size_t>(stage)));
    else
        m_private->selection->clear();
}

QString MemoryChart::tipAt(QPoint point) const
{
    const plan::MemoryBuffer *buffer = m_private->bufferAt(point);
    if (!buffer)
        return {};
    const ShownMemory &memory = *m_private->buffers->memory;
    constexpr std::size_t kMostNames = 6;
    QString names;
    for (std::size_t i = 0; i < std::min(buffer->tensors.size(), kMostNames); ++i)
        names +=
            (i > 0 ? QStringLiteral("<br>") : QString()) +
            QStringLiteral("<b>%1</b>")
                .arg(QString::fromStdString(memory.graph->tensor(buffer->tensors[i]).name).left(120).toHtmlEscaped());
    if (buffer->tensors.size() > kMostNames)
        names += QStringLiteral("<br>and %1 more, joined").arg(buffer->tensors.size() - kMostNames);
    if (buffer->tensors.empty())
        names = QStringLiteral("<b>workspace</b>");
    const plan::BufferLife &life = buffer->life;
    return QStringLiteral("%1<br>%2 at offset %3<br>%4")
        .arg(names, bytesText(static_cast<double>(life.bytes)), bytesText(static_cast<double>(buffer->offset)),
             life.firstStage == life.lastStage
                 ? QStringLiteral("in %1 only").arg(stageText(*m_private->buffers->memory->schedule, life.firstStage))
                 : QStringLiteral("from %1 to %2")
                       .arg(stageText(*m_private->buffers->memory->schedule, life.firstStage))
                       .arg(life.lastStage + 1));
}

QPoint MemoryChart::bufferCentre(std::size_t buffer) const
{
    const Buffers &buffers = *m_private->buffers;
    if (!buffers.memory || buffer >= buffers.memory->use.buffers.size())
        return {};
    return fromPlot(buffers.rectOf(buffers.memory->use.buffers[buffer]).center());
}

QString MemoryChart::tipOfBuffer(std::size_t buffer) const
{
    const Buffers &buffers = *m_private->buffers;
    if (!buffers.memory || buffer >= buffers.memory->use.buffers.size())
        return {};
    return tipAt(buffers.rectOf(buffers.memory->use.buffers[buffer]).center().toPoint());
}

} // namespace stagecraft
