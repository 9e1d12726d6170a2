#include "widgets/schedule/overview_strip.h"

#include "widgets/base/format.h"
#include "widgets/base/theme.h"
#include "widgets/canvas/tips.h"
#include "widgets/schedule/schedule_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kMark = 4; // width of the difference marks at the right

}

OverviewStrip::OverviewStrip(ScheduleView *view, QWidget *parent) : QWidget(parent), m_view(view)
{
    setFixedWidth(kWidth);
    setAccessibleName(QStringLiteral("Overview"));
    connect(view, &ScheduleView::laidOut, this, qOverload<>(&QWidget::update));
    connect(view->verticalScrollBar(), &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
}

QSize OverviewStrip::sizeHint() const
{
    return {kWidth, 120};
}

// A page shorter than its view is not stretched, so that the strip is level with it.
double OverviewStrip::scale() const
{
    const double page = std::max(m_view->page().size.height(), static_cast<double>(m_view->viewport()->height()));
    return page > 0 ? height() / page : 0;
}

QRect OverviewStrip::stageRect(std::size_t stage) const
{
    const auto &rows = m_view->page().rows;
    if (stage >= rows.size() || rows[stage].rect.height() <= 0)
        return {};
    const QRectF &row = rows[stage].rect;
    return QRectF(0, row.top() * scale(), width(), std::max(1.0, row.height() * scale())).toRect();
}

QRect OverviewStrip::sightRect() const
{
    return QRectF(0, m_view->verticalScrollBar()->value() * scale(), width(), m_view->viewport()->height() * scale())
        .toRect();
}

void OverviewStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme theme = themeFor(palette());
    painter.fillRect(rect(), theme.panel);
    const auto &schedule = m_view->schedule();
    if (!schedule)
        return;
    const SchedulePage &page = m_view->page();
    for (const StageRow &row : page.rows) {
        const bool isMeasured = row.stage < schedule->measured.stages.size() && page.slowestStageUs > 0;
        const QRect place = stageRect(row.stage);
        if (!place.isEmpty())
            painter.fillRect(place.adjusted(1, 0, -static_cast<int>(kMark) - 1, 0),
                             isMeasured
                                 ? theme.heat(schedule->measured.stages[row.stage].latencyUs / page.slowestStageUs)
                                 : theme.grid);
    }
    for (const SpanPlace &span : page.spans) {
        if (!span.isEqual)
            painter.fillRect(QRectF(width() - kMark, span.top * scale(), kMark, std::max(2.0, span.height * scale())),
                             theme.accent);
    }
    if (page.size.height() > m_view->viewport()->height()) {
        painter.setPen(QPen(theme.text, 1));
        painter.drawRect(sightRect().adjusted(0, 0, -1, -1));
    }
}

void OverviewStrip::scrollTo(double y)
{
    if (scale() > 0)
        m_view->verticalScrollBar()->setValue(static_cast<int>(y / scale() - m_view->viewport()->height() / 2.0));
}

void OverviewStrip::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        scrollTo(event->position().y());
}

void OverviewStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        scrollTo(event->position().y());
}

bool OverviewStrip::event(QEvent *event)
{
    const auto textAt = [this](QPoint point) {
        const TimedSchedule &schedule = *m_view->schedule();
        const auto &rows = m_view->page().rows;
        const auto row =
            std::ranges::find_if(rows, [&](const StageRow &each) { return stageRect(each.stage).contains(point); });
        return row != rows.end() && row->stage < schedule.measured.stages.size()
                   ? QStringLiteral("%1: %2").arg(stageTitle(row->stage),
                                                  latencyText(schedule.measured.stages[row->stage].latencyUs))
                   : QString();
    };
    return (m_view->schedule() && showTip(event, this, textAt)) || QWidget::event(event);
}

} // namespace stagecraft
