#include "widgets/timeline/counter_plot.h"

#include "widgets/base/format.h"
#include "widgets/timeline/timeline_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kMostTicks = 3; // on each axis
constexpr int kLevels = 300;  // parts of the visible time whose means the axis must cover

Qt::PenStyle meanStyle(std::size_t lane)
{
    constexpr std::array kStyles{Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
    return kStyles[lane % kStyles.size()];
}

} // namespace

CounterPlot::CounterPlot(QCustomPlot *plot, QCPMarginGroup *margins, CounterChoice choice)
    : m_plot(plot), m_rect(new QCPAxisRect(plot)), m_choice(std::move(choice))
{
    m_plot->plotLayout()->addElement(m_plot->plotLayout()->rowCount(), 0, m_rect);
    m_rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    m_rect->setMinimumMargins(QMargins(8, 3, 8, 3));
    for (QCPAxis *axis : m_rect->axes())
        axis->setLayer(QStringLiteral("axes"));
    for (const QCPAxis::AxisType side : {QCPAxis::atLeft, QCPAxis::atRight}) {
        m_rect->axis(side)->ticker()->setTickCount(kMostTicks);
        m_rect->axis(side)->ticker()->setTickStepStrategy(QCPAxisTicker::tssMeetTickCount);
    }
    m_rect->axis(QCPAxis::atRight)->setLabel(QStringLiteral("% of max"));
    m_bands = new StageBands(time(), m_rect->axis(QCPAxis::atLeft));
    m_rect->setLayer(QStringLiteral("background"));
    m_bands->setLayer(QLatin1String(kBandsLayer));
    m_title = new QCPItemText(plot);
    m_title->setLayer(QStringLiteral("legend"));
    m_title->position->setAxisRect(m_rect);
    m_title->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_title->position->setCoords(0, 0);
    m_title->setPositionAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_title->setPadding(QMargins(4, 0, 4, 1));
    m_title->setClipAxisRect(m_rect);
}

CounterPlot::~CounterPlot()
{
    m_plot->removeItem(m_title);
    for (CounterSteps *line : m_lines)
        m_plot->removePlottable(line);
    m_plot->removePlottable(m_bands);
    m_plot->plotLayout()->remove(m_rect);
    m_plot->plotLayout()->simplify();
}

QString CounterPlot::titleOf(const CounterSeries &series)
{
    return QStringLiteral("%1 (%2)").arg(QString::fromStdString(series.name), QString::fromStdString(series.kind));
}

const CounterSeries *CounterPlot::find(const TimelineLane &lane, const CounterChoice &choice)
{
    const CounterSeries *named = nullptr;
    for (std::size_t i = 0; lane.isMade() && i < lane.timeline().counters.size(); ++i) {
        const CounterSeries &series = lane.timeline().counters[i];
        if (titleOf(series) == choice.title)
            return &series;
        if (!named && QString::fromStdString(series.name) == choice.name)
            named = &series;
    }
    return named;
}

void CounterPlot::setLanes(const Lanes &lanes)
{
    for (CounterSteps *line : std::exchange(m_lines, {}))
        m_plot->removePlottable(line);
    m_letters.clear();
    for (const auto &lane : lanes) {
        auto *line = new CounterSteps(time(), m_rect->axis(QCPAxis::atLeft));
        if (lane->isMade()) {
            line->setSeries({lane->index(), find(*lane, m_choice)},
                            lane->timeline().durationNs); // kept while it is drawn
        }
        m_lines.push_back(line);
        m_letters << lane->what().letter;
    }
    setShifts(lanes);
    m_bands->index = lanes.front()->index();
    select(*lanes.front());
    const CounterSeries *shown = series();
    m_rect->axis(QCPAxis::atRight)->setVisible(shown && shown->maximum > 0 && shown->unit != "%" && isOneMaximum());
}

void CounterPlot::setShifts(const Lanes &lanes)
{
    for (std::size_t i = 0; i < m_lines.size() && i < lanes.size(); ++i)
        m_lines[i]->shiftUs = lanes[i]->shiftUs;
}

void CounterPlot::applyTheme(const Theme &theme, const Lanes &lanes)
{
    m_bands->theme = theme;
    for (std::size_t i = 0; i < m_lines.size() && i < lanes.size(); ++i) {
        m_lines[i]->colour = lanes[i]->colour();
        m_lines[i]->isFilled = lanes.size() == 1;
        m_lines[i]->meanPen = QPen(lanes.size() == 1 ? theme.mutedText : lanes[i]->colour(), 1, meanStyle(i));
    }
    QColor behind = theme.canvas;
    behind.setAlphaF(0.75F);
    m_title->setBrush(behind);
    m_title->setColor(theme.text);
    m_title->setFont(m_rect->axis(QCPAxis::atLeft)->tickLabelFont());
}

void CounterPlot::select(const TimelineLane &first)
{
    m_bands->selected = first.selectedStage();
    m_bands->block = first.selectedBlock();
}

const CounterSeries *CounterPlot::series() const
{
    const auto line = std::ranges::find_if(m_lines, [](const CounterSteps *each) { return each->series(); });
    return line != m_lines.end() ? (*line)->series() : nullptr;
}

// Devices with different maxima have no common scale in per cent.
bool CounterPlot::isOneMaximum() const
{
    return std::ranges::all_of(m_lines, [this](const CounterSteps *line) {
        return !line->series() || line->series()->maximum == series()->maximum;
    });
}

void CounterPlot::setRange(const QCPRange &shown)
{
    time()->setRange(shown);
    fitValues(shown);
    showTitle(shown);
}

// The axis covers the visible means; short peaks above it are cut off, but the tool tip has their values.
void CounterPlot::fitValues(const QCPRange &shown) const
{
    const CounterSeries *first = series();
    if (!first)
        return;
    const double step = shown.size() / kLevels;
    double highest = 0;
    for (const CounterSteps *line : m_lines) {
        for (int i = 0; i < kLevels && step > 0; ++i) {
            const double from = shown.lower + i * step;
            highest = std::max(highest, line->meanIn({from, from + step}));
        }
    }
    const double top = first->maximum > 0 ? std::min(first->maximum, highest * 1.2) : highest * 1.2;
    m_rect->axis(QCPAxis::atLeft)->setRange(0, std::max(top, 1e-9));
    m_rect->axis(QCPAxis::atRight)->setRange(0, first->maximum > 0 ? 100 * top / first->maximum : 100);
}

void CounterPlot::showTitle(const QCPRange &shown) const
{
    const CounterSeries *first = series();
    m_title->setVisible(first != nullptr);
    if (!first)
        return;
    QStringList means;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (const CounterSeries *of = m_lines[i]->series()) {
            const QString letter = m_letters[static_cast<qsizetype>(i)];
            means << (letter.isEmpty() ? QString() : letter + QLatin1Char(' ')) +
                         meanText(*of, m_lines[i]->meanIn(shown));
        }
    }
    m_title->setText(
        QStringLiteral("%1   mean %2").arg(QString::fromStdString(first->name), means.join(QStringLiteral("   "))));
}

bool CounterPlot::fitTicks() const
{
    bool isChanged = false;
    for (const QCPAxis::AxisType side : {QCPAxis::atLeft, QCPAxis::atRight}) {
        const QCPAxis *axis = m_rect->axis(side);
        const int line = QFontMetrics(axis->tickLabelFont()).height();
        const int count = std::clamp(m_rect->height() / (2 * line), 1, kMostTicks);
        isChanged = isChanged || axis->ticker()->tickCount() != count;
        axis->ticker()->setTickCount(count);
    }
    return isChanged;
}

} // namespace stagecraft
