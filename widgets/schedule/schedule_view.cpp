#include "widgets/schedule/schedule_view.h"

#include "widgets/schedule/edit_overlay.h"
#include "widgets/schedule/schedule_accessible.h"
#include "widgets/schedule/schedule_painter.h"
#include "widgets/schedule/schedule_tips.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <span>
#include <utility>

namespace stagecraft {

ScheduleView::ScheduleView(Selection *selection, QWidget *parent) : PageCanvas(parent), m_selection(selection)
{
    installScheduleAccessibility();
    setHint(QStringLiteral("Open a model to see its schedules here."));
    setMinimumSize(220, 120);
    setAccessibleName(QStringLiteral("Schedule"));
    connect(selection, &Selection::changed, this, &ScheduleView::selectionChanged);
}

void ScheduleView::setSchedule(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimedSchedule> schedule)
{
    const bool isOtherModel = graph != m_graph;
    if (!schedule || !m_schedule || schedule->stages != m_schedule->stages) {
        m_placer = {};
        m_blockChanges.clear();
    }
    m_graph = std::move(graph);
    if (isOtherModel)
        m_models = m_graph ? ModelMarks(*m_graph) : ModelMarks();
    m_schedule = m_graph ? std::move(schedule) : nullptr;
    m_labels = OperatorLabels(m_graph, m_schedule);
    m_stageOf = m_schedule ? stageOfOperator(*m_graph, *m_schedule) : std::vector<std::size_t>();
    m_hovered.reset();
    relayout();
    if (isOtherModel)
        scrollToStart();
    tellOtherSchedule(this);
}

void ScheduleView::setPlacer(RowPlacer placer)
{
    m_placer = std::move(placer);
    relayout();
}

void ScheduleView::setLengths(const RowLengths &lengths)
{
    if (std::exchange(m_lengths, lengths) != lengths)
        relayout();
}

void ScheduleView::setBlockChanges(std::vector<TimeChange> changes)
{
    m_blockChanges = std::move(changes);
    viewport()->update();
}

void ScheduleView::setMissing(const QString &text, std::size_t span)
{
    if (m_missing == text && m_missingIn == span)
        return;
    m_missing = text;
    m_missingIn = span;
    setAccessibleDescription(text);
    viewport()->update();
}

void ScheduleView::scrollToSpan(std::size_t span)
{
    if (span >= m_page.spans.size())
        return;
    // Shows the span with some rows before it; a long span from its start.
    const SpanPlace &place = m_page.spans[span];
    const double room = viewport()->height();
    const double above = std::clamp((room - place.height) / 2, 8.0, std::max(8.0, room / 3));
    verticalScrollBar()->setValue(static_cast<int>(place.top - above));
}

void ScheduleView::setMarks(StageMarks marks)
{
    m_marks = std::move(marks);
    viewport()->update();
}

QRect ScheduleView::stageRect(std::size_t stage) const
{
    return stage < m_page.rows.size() ? m_page.rows[stage].rect.translated(-offset()).toRect() : QRect();
}

QRect ScheduleView::operatorRect(OperatorId op) const
{
    const OperatorBox *box = boxOf(op);
    return box ? box->rect.translated(-offset()).toRect() : QRect();
}

QRect ScheduleView::foldRect(std::size_t firstSpan) const
{
    const auto fold = std::ranges::find(m_page.folds, firstSpan, &FoldLine::firstSpan);
    return fold != m_page.folds.end() ? fold->rect.translated(-offset()).toRect() : QRect();
}

SchedulePage ScheduleView::pageAt(double zoom) const
{
    const std::optional<RowPlaces> places = m_placer ? std::optional(m_placer(zoom)) : std::nullopt;
    return schedulePage(*m_schedule, viewport()->width(), zoom, places ? &*places : nullptr, m_lengths);
}

QSizeF ScheduleView::layOut()
{
    m_page = m_schedule ? pageAt(zoom()) : SchedulePage{};
    return m_page.size;
}

std::optional<SchedulePage::Hit> ScheduleView::hitAt(QPoint position) const
{
    return m_page.at(position + offset());
}

const OperatorBox *ScheduleView::boxOf(OperatorId op) const
{
    if (op.index() >= m_stageOf.size() || m_stageOf[op.index()] >= m_page.rows.size())
        return nullptr;
    const StageRow &row = m_page.rows[m_stageOf[op.index()]];
    const auto boxes = std::span(m_page.boxes).subspan(row.firstBox, row.boxCount);
    const auto box = std::ranges::find(boxes, op, &OperatorBox::op);
    return box != boxes.end() ? &*box : nullptr;
}

// From the block's header to its last stage.
QRectF ScheduleView::rectOfBlock(std::size_t block) const
{
    QRectF rect;
    for (const BlockHeader &header : m_page.headers) {
        if (header.block == block)
            rect |= QRectF(0, header.rect.top(), 1, header.rect.height());
    }
    for (const StageRow &row : m_page.rows) {
        if (m_schedule->stages[row.stage].block == block)
            rect |= QRectF(0, row.rect.top(), 1, row.rect.height());
    }
    return rect;
}

void ScheduleView::setHovered(std::optional<SchedulePage::Hit> hit)
{
    if (std::exchange(m_hovered, hit) != hit)
        viewport()->update();
}

void ScheduleView::click(QPoint position)
{
    if (const FoldLine *fold = m_page.foldAt(position + offset()))
        emit foldPressed(fold->firstSpan);
    else if (const auto hit = hitAt(position))
        m_selection->set({hit->op, hit->stage});
    else
        m_selection->clear();
}

QString ScheduleView::tipAt(QPoint position) const
{
    if (const auto hit = hitAt(position))
        return stageTip(*m_graph, *m_schedule, m_marks, *hit);
    const BlockHeader *header = m_page.headerAt(position + offset());
    if (!header)
        return {};
    const auto index = static_cast<std::size_t>(header - m_page.headers.data());
    return blockTip(*m_schedule, *header, index < m_blockChanges.size() ? &m_blockChanges[index] : nullptr);
}

void ScheduleView::selectionChanged(const Selected &selected)
{
    if (const OperatorBox *box = selected.op ? boxOf(*selected.op) : nullptr)
        reveal(box->rect);
    else if (selected.stage && *selected.stage < m_page.rows.size())
        reveal({0, m_page.rows[*selected.stage].rect.top(), 1, m_page.rows[*selected.stage].rect.height()});
    else if (selected.block)
        reveal(rectOfBlock(*selected.block));
    viewport()->update();
    tellSelected(this);
}

void ScheduleView::stepStage(int direction)
{
    if (!m_schedule || m_schedule->stages.empty())
        return;
    const auto last = static_cast<std::ptrdiff_t>(m_schedule->stages.size()) - 1;
    const auto &stage = selected().stage;
    const std::ptrdiff_t next = stage ? static_cast<std::ptrdiff_t>(*stage) + direction : direction > 0 ? 0 : last;
    m_selection->set({std::nullopt, static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, last))});
}

void ScheduleView::stepOperator(int direction)
{
    if (m_page.boxes.empty())
        return;
    const Selected &now = selected();
    std::ptrdiff_t next = 0;
    if (const OperatorBox *box = now.op ? boxOf(*now.op) : nullptr)
        next = (box - m_page.boxes.data()) + direction;
    else if (now.stage && *now.stage < m_page.rows.size())
        next = static_cast<std::ptrdiff_t>(m_page.rows[*now.stage].firstBox);
    next = std::clamp<std::ptrdiff_t>(next, 0, static_cast<std::ptrdiff_t>(m_page.boxes.size()) - 1);
    const OperatorBox &box = m_page.boxes[static_cast<std::size_t>(next)];
    m_selection->set({box.op, box.stage});
}

void ScheduleView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Down: stepStage(1); break;
    case Qt::Key_Up: stepStage(-1); break;
    case Qt::Key_Right: stepOperator(1); break;
    case Qt::Key_Left: stepOperator(-1); break;
    case Qt::Key_Escape: m_selection->clear(); break;
    default: PageCanvas::keyPressEvent(event);
    }
}

void ScheduleView::paintPage(QPainter &painter, const QRectF &visible, const Theme &theme)
{
    paintSchedule(painter,
                  {*m_graph, *m_schedule, m_page, theme, selected(), m_hovered, hasFocus(), m_marks, m_labels,
                   m_blockChanges, m_models},
                  visible);
    paintMarks(painter, m_page, m_marks, theme, visible);
    painter.save();
    painter.resetTransform();
    paintMissing(painter, theme);
    painter.restore();
}

// Where the counterpart would be: at the end of its span.
void ScheduleView::paintMissing(QPainter &painter, const Theme &theme) const
{
    if (m_missing.isEmpty() || m_missingIn >= m_page.spans.size())
        return;
    const SpanPlace &span = m_page.spans[m_missingIn];
    const int width = viewport()->width();
    const QFontMetrics metrics = painter.fontMetrics();
    const QString said = metrics.elidedText(m_missing, Qt::ElideRight, width - 28);
    const double height = metrics.height() + 6;
    QRectF place(width - metrics.horizontalAdvance(said) - 24.0, span.top + span.height - offset().y() - height - 3,
                 metrics.horizontalAdvance(said) + 16.0, height);
    place.moveTop(std::clamp(place.top(), 3.0, std::max(3.0, viewport()->height() - height - 3)));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.accent, 1.5, Qt::DashLine));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(theme.text);
    painter.drawText(place, Qt::AlignCenter, said);
}

} // namespace stagecraft
