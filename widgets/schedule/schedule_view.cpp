// Over 500 lines: one widget with scrolling, painting and mouse handling. Manual editing has files of its own.

#include "widgets/schedule/schedule_view.h"

#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/base/shown_name.h"
#include "widgets/base/theme.h"
#include "widgets/schedule/edit_overlay.h"
#include "widgets/schedule/operator_labels.h"
#include "widgets/schedule/schedule_accessible.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_painter.h"
#include "widgets/schedule/span_change.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kZoomMin = 0.06;
constexpr double kZoomMax = 2.0;
constexpr double kZoomStep = 1.2;

QString escaped(const std::string &text)
{
    return shownName(text).toHtmlEscaped();
}

} // namespace

class ScheduleView::Private {
public:
    Private(ScheduleView *view, Selection *shared) : q(view), selection(shared), theme(themeFor(view->palette())) {}

    ScheduleView *q;
    Selection *selection;
    Theme theme;
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const Schedule> schedule;
    std::vector<std::size_t> stageOf;
    SchedulePage layout;
    RowPlacer placer;
    RowLengths lengths;
    QString missing;
    std::size_t missingIn = 0; // index of the span
    QString hint;
    StageMarks marks;
    OperatorLabels labels;
    std::vector<TimeChange> blockChanges;
    Overlay overlay;
    double zoom = 1;
    std::optional<SchedulePage::Hit> hovered;
    QPoint pressedAt;
    QPoint scrollAtPress;
    bool pressed = false;
    bool pans = false;
    bool dragging = false;

    [[nodiscard]] QPointF offset() const
    {
        return {static_cast<double>(q->horizontalScrollBar()->value()),
                static_cast<double>(q->verticalScrollBar()->value())};
    }

    [[nodiscard]] SchedulePage pageAt(double atZoom) const
    {
        const std::optional<RowPlaces> places = placer ? std::optional(placer(atZoom)) : std::nullopt;
        return schedulePage(*schedule, q->viewport()->width(), atZoom, places ? &*places : nullptr, lengths);
    }

    void relayout()
    {
        layout = schedule ? pageAt(zoom) : SchedulePage{};
        const QSize page = q->viewport()->size();
        q->verticalScrollBar()->setRange(
            0, std::max(0, static_cast<int>(std::ceil(layout.size.height())) - page.height()));
        q->verticalScrollBar()->setPageStep(page.height());
        q->verticalScrollBar()->setSingleStep(24);
        q->horizontalScrollBar()->setRange(
            0, std::max(0, static_cast<int>(std::ceil(layout.size.width())) - page.width()));
        q->horizontalScrollBar()->setPageStep(page.width());
        q->horizontalScrollBar()->setSingleStep(24);
        q->viewport()->update();
        emit q->laidOut();
    }

    [[nodiscard]] std::optional<SchedulePage::Hit> hitAt(QPoint point) const { return layout.at(point + offset()); }

    void select(std::optional<SchedulePage::Hit> hit)
    {
        if (!hit)
            selection->clear();
        else
            selection->set({hit->op, hit->stage});
    }

    void reveal(const QRectF &rect)
    {
        const auto bring = [](QScrollBar *bar, double from, double to) {
            const double top = bar->value();
            const double bottom = top + bar->pageStep();
            if (from < top)
                bar->setValue(static_cast<int>(from));
            else if (to > bottom)
                bar->setValue(static_cast<int>(std::min(from, to - bar->pageStep())));
        };
        bring(q->verticalScrollBar(), rect.top() - 8, rect.bottom() + 8);
        if (rect.left() > 0)
            bring(q->horizontalScrollBar(), rect.left() - 8, rect.right() + 8);
    }

    [[nodiscard]] const OperatorBox *boxOf(OperatorId op) const
    {
        if (op.index() >= stageOf.size() || stageOf[op.index()] >= layout.rows.size())
            return nullptr;
        const StageRow &row = layout.rows[stageOf[op.index()]];
        for (std::size_t i = row.firstBox; i < row.firstBox + row.boxCount; ++i) {
            if (layout.boxes[i].op == op)
                return &layout.boxes[i];
        }
        return nullptr;
    }

    // From the block's header to its last stage.
    [[nodiscard]] QRectF rectOfBlock(std::size_t block) const
    {
        QRectF rect;
        for (const BlockHeader &header : layout.headers) {
            if (header.block == block)
                rect |= QRectF(0, header.rect.top(), 1, header.rect.height());
        }
        for (const StageRow &row : layout.rows) {
            if (schedule->stages[row.stage].block == block)
                rect |= QRectF(0, row.rect.top(), 1, row.rect.height());
        }
        return rect;
    }

    void selectionChanged(const Selected &selected)
    {
        if (const OperatorBox *box = selected.op ? boxOf(*selected.op) : nullptr)
            reveal(box->rect);
        else if (selected.stage && *selected.stage < layout.rows.size())
            reveal({0, layout.rows[*selected.stage].rect.top(), 1, layout.rows[*selected.stage].rect.height()});
        else if (selected.block)
            reveal(rectOfBlock(*selected.block));
        q->viewport()->update();
        tellSelected(q);
    }

    // Zooms and keeps the page point under `anchor` in place.
    void zoomAbout(double wanted, QPointF anchor)
    {
        const double next = std::clamp(wanted, kZoomMin, kZoomMax);
        if (next == zoom || !schedule)
            return;
        const double before = layout.size.height() > 0 ? (anchor.y() + offset().y()) / layout.size.height() : 0;
        zoom = next;
        relayout();
        q->verticalScrollBar()->setValue(static_cast<int>(before * layout.size.height() - anchor.y()));
        emit q->zoomChanged(zoom);
    }

    void stepStage(int direction)
    {
        if (!schedule || schedule->stages.empty())
            return;
        const auto last = static_cast<std::ptrdiff_t>(schedule->stages.size()) - 1;
        const auto &stage = selection->current().stage;
        const std::ptrdiff_t next = stage ? static_cast<std::ptrdiff_t>(*stage) + direction : direction > 0 ? 0 : last;
        selection->set({std::nullopt, static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, last))});
    }

    void stepOperator(int direction)
    {
        if (layout.boxes.empty())
            return;
        const Selected &now = selection->current();
        std::ptrdiff_t next = 0;
        if (const OperatorBox *box = now.op ? boxOf(*now.op) : nullptr)
            next = (box - layout.boxes.data()) + direction;
        else if (now.stage && *now.stage < layout.rows.size())
            next = static_cast<std::ptrdiff_t>(layout.rows[*now.stage].firstBox);
        next = std::clamp<std::ptrdiff_t>(next, 0, static_cast<std::ptrdiff_t>(layout.boxes.size()) - 1);
        const OperatorBox &box = layout.boxes[static_cast<std::size_t>(next)];
        selection->set({box.op, box.stage});
    }

    [[nodiscard]] QString tip(const SchedulePage::Hit &hit) const
    {
        const Stage &stage = schedule->stages[hit.stage];
        QString text;
        if (hit.op) {
            const Operator &op = graph->op(*hit.op);
            text += QStringLiteral("<b>%1</b><br>%2, output %3<br>%4<br>")
                        .arg(escaped(op.name), escaped(displayType(op)), shapeText(graph->outputShape(*hit.op)),
                             isCosted(*graph, *hit.op) ? flopsText(flops(*graph, *hit.op))
                                                       : QStringLiteral("arithmetic not known"));
        }
        text += QStringLiteral("%1 of %2: %3, %4")
                    .arg(stageTitle(hit.stage), blockTitle(stage.block).toLower(),
                         stage.strategy == Strategy::Merge ? QStringLiteral("operator merge")
                                                           : QStringLiteral("concurrent execution"),
                         plural(static_cast<std::int64_t>(stage.groups.size()),
                                stage.strategy == Strategy::Merge ? "operator" : "group"));
        if (hit.stage < schedule->stageTimings.size()) {
            text += QStringLiteral("<br>%1").arg(
                latencyText(schedule->stageTimings[hit.stage].latencyUs, schedule->leavesOutWork(*graph, hit.stage)));
            if (schedule->provenance)
                text += QStringLiteral(" <i>%1</i>").arg(provenanceText(*schedule->provenance));
        }
        if (hit.stage < marks.size() && !marks[hit.stage].change.isEmpty())
            text += QStringLiteral("<br>against the original: %1").arg(marks[hit.stage].change);
        if (hit.stage < marks.size() && !marks[hit.stage].parts.isEmpty())
            text += QStringLiteral(": %1").arg(marks[hit.stage].parts);
        if (hit.stage < marks.size() && !marks[hit.stage].verdict.isEmpty())
            text += QStringLiteral("<br>%1").arg(marks[hit.stage].verdict);
        if (hit.stage < marks.size() && marks[hit.stage].isPinned)
            text += QStringLiteral("<br>pinned");
        return QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text);
    }

    [[nodiscard]] QString tip(const BlockHeader &header) const
    {
        QStringList lines{QStringLiteral("%1: %2").arg(
            blockTitle(header.block), plural(static_cast<std::int64_t>(header.operators), "operator"))};
        const auto index = static_cast<std::size_t>(&header - layout.headers.data());
        if (header.parts) {
            const QString parts = partsText(*header.parts);
            lines << (header.parts->barriersUs > 0
                          ? QStringLiteral("%1 = %2").arg(latencyText(header.parts->latencyUs()), parts)
                          : parts);
        }
        if (index < blockChanges.size())
            lines << QStringLiteral("against the first pane: %1").arg(changeText(blockChanges[index]));
        if (header.stages > 1)
            lines << aboutBarriers(barriersIn(schedule->stages, stagesOfBlock(schedule->stages, header.block)));
        return lines.join(QLatin1Char('\n'));
    }

    // Painted where the counterpart would be: at the end of its span.
    void paintMissing(QPainter &painter) const
    {
        if (missing.isEmpty() || missingIn >= layout.spans.size())
            return;
        const SpanPlace &span = layout.spans[missingIn];
        const int width = q->viewport()->width();
        const QFontMetrics metrics = painter.fontMetrics();
        const QString said = metrics.elidedText(missing, Qt::ElideRight, width - 28);
        const double height = metrics.height() + 6;
        QRectF place(width - metrics.horizontalAdvance(said) - 24.0, span.top + span.height - offset().y() - height - 3,
                     metrics.horizontalAdvance(said) + 16.0, height);
        place.moveTop(std::clamp(place.top(), 3.0, std::max(3.0, q->viewport()->height() - height - 3)));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.accent, 1.5, Qt::DashLine));
        painter.setBrush(theme.panel);
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter.setPen(theme.text);
        painter.drawText(place, Qt::AlignCenter, said);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }

    void paintHint(QPainter &painter) const
    {
        painter.setPen(theme.mutedText);
        painter.drawText(q->viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, hint);
    }
};

ScheduleView::ScheduleView(Selection *selection, QWidget *parent)
    : QAbstractScrollArea(parent), m_private(std::make_unique<Private>(this, selection))
{
    installScheduleAccessibility();
    m_private->hint = QStringLiteral("Open a model to see its schedules here.");
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(220, 120);
    setAccessibleName(QStringLiteral("Schedule"));
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    connect(selection, &Selection::changed, this,
            [this](const Selected &selected) { m_private->selectionChanged(selected); });
}

ScheduleView::~ScheduleView() = default;

void ScheduleView::setSchedule(std::shared_ptr<const Graph> graph, std::shared_ptr<const Schedule> schedule)
{
    Private &d = *m_private;
    const bool otherModel = graph != d.graph;
    if (!schedule || !d.schedule || schedule->stages != d.schedule->stages) {
        d.placer = {};
        d.blockChanges.clear();
    }
    d.graph = std::move(graph);
    d.schedule = d.graph ? std::move(schedule) : nullptr;
    d.labels = OperatorLabels(d.graph, d.schedule);
    d.stageOf = d.schedule ? stageOfOperator(*d.graph, *d.schedule) : std::vector<std::size_t>{};
    d.hovered.reset();
    d.relayout();
    if (otherModel) {
        verticalScrollBar()->setValue(0);
        horizontalScrollBar()->setValue(0);
    }
    tellOtherSchedule(this);
}

const std::shared_ptr<const Graph> &ScheduleView::graph() const
{
    return m_private->graph;
}

const Selected &ScheduleView::selected() const
{
    return m_private->selection->current();
}

const std::shared_ptr<const Schedule> &ScheduleView::schedule() const
{
    return m_private->schedule;
}

void ScheduleView::setPlacer(RowPlacer placer)
{
    m_private->placer = std::move(placer);
    m_private->relayout();
}

void ScheduleView::setLengths(const RowLengths &lengths)
{
    if (std::exchange(m_private->lengths, lengths) != lengths)
        m_private->relayout();
}

void ScheduleView::setBlockChanges(std::vector<TimeChange> changes)
{
    if (m_private->blockChanges == changes)
        return;
    m_private->blockChanges = std::move(changes);
    viewport()->update();
}

const std::vector<TimeChange> &ScheduleView::blockChanges() const
{
    return m_private->blockChanges;
}

void ScheduleView::setMissing(const QString &text, std::size_t span)
{
    Private &d = *m_private;
    if (d.missing == text && d.missingIn == span)
        return;
    d.missing = text;
    d.missingIn = span;
    setAccessibleDescription(text);
    viewport()->update();
}

const QString &ScheduleView::missingText() const
{
    return m_private->missing;
}

const SchedulePage &ScheduleView::page() const
{
    return m_private->layout;
}

void ScheduleView::scrollToSpan(std::size_t span)
{
    const Private &d = *m_private;
    if (span >= d.layout.spans.size())
        return;
    // Shows the span with some rows before it; a long span from its start.
    const SpanPlace &place = d.layout.spans[span];
    const double room = viewport()->height();
    const double above = std::clamp((room - place.height) / 2, 8.0, std::max(8.0, room / 3));
    verticalScrollBar()->setValue(static_cast<int>(place.top - above));
}

void ScheduleView::setHint(const QString &hint)
{
    m_private->hint = hint;
    viewport()->update();
}

void ScheduleView::setMarks(StageMarks marks)
{
    m_private->marks = std::move(marks);
    viewport()->update();
}

const StageMarks &ScheduleView::marks() const
{
    return m_private->marks;
}

void ScheduleView::setOverlay(Overlay overlay)
{
    m_private->overlay = std::move(overlay);
}

QPointF ScheduleView::offset() const
{
    return m_private->offset();
}

void ScheduleView::reveal(const QRectF &rect)
{
    m_private->reveal(rect);
}

double ScheduleView::zoom() const
{
    return m_private->zoom;
}

void ScheduleView::setZoom(double zoom)
{
    m_private->zoomAbout(zoom, QPointF(0, 0));
}

QRect ScheduleView::stageRect(std::size_t stage) const
{
    const Private &d = *m_private;
    return stage < d.layout.rows.size() ? d.layout.rows[stage].rect.translated(-d.offset()).toRect() : QRect();
}

QRect ScheduleView::operatorRect(OperatorId op) const
{
    const OperatorBox *box = m_private->boxOf(op);
    return box ? box->rect.translated(-m_private->offset()).toRect() : QRect();
}

QRect ScheduleView::foldRect(std::size_t firstSpan) const
{
    const Private &d = *m_private;
    const auto fold = std::ranges::find(d.layout.folds, firstSpan, &FoldLine::firstSpan);
    return fold != d.layout.folds.end() ? fold->rect.translated(-d.offset()).toRect() : QRect();
}

QSize ScheduleView::sizeHint() const
{
    return {520, 420};
}

void ScheduleView::zoomIn()
{
    m_private->zoomAbout(m_private->zoom * kZoomStep, viewport()->rect().center());
}

void ScheduleView::zoomOut()
{
    m_private->zoomAbout(m_private->zoom / kZoomStep, viewport()->rect().center());
}

void ScheduleView::fitAll()
{
    Private &d = *m_private;
    if (!d.schedule)
        return;
    // Heights and lane widths are not proportional to the zoom (headers stay readable), hence the bisection.
    double low = kZoomMin;
    double high = 1;
    for (int step = 0; step < 12; ++step) {
        const double middle = (low + high) / 2;
        const QSizeF size = d.pageAt(middle).size;
        (size.height() <= viewport()->height() && size.width() <= viewport()->width() ? low : high) = middle;
    }
    d.zoom = low;
    d.relayout();
    emit zoomChanged(d.zoom);
}

bool ScheduleView::viewportEvent(QEvent *event)
{
    Private &d = *m_private;
    if (event->type() == QEvent::ToolTip && d.schedule) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const auto hit = d.hitAt(help->pos()))
            QToolTip::showText(help->globalPos(), d.tip(*hit), viewport());
        else if (const BlockHeader *header = d.layout.headerAt(help->pos() + d.offset()))
            QToolTip::showText(help->globalPos(), d.tip(*header), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::Leave && d.hovered) {
        d.hovered.reset();
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void ScheduleView::paintEvent(QPaintEvent *)
{
    Private &d = *m_private;
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), d.theme.canvas);
    if (!d.schedule) {
        d.paintHint(painter);
        return;
    }
    painter.translate(-d.offset());
    const QRectF visible(d.offset(), QSizeF(viewport()->size()));
    paintSchedule(painter,
                  {*d.graph, *d.schedule, d.layout, d.theme, d.selection->current(), d.hovered, hasFocus(), d.marks,
                   d.labels, d.blockChanges},
                  visible);
    paintMarks(painter, d.layout, d.marks, d.theme, visible);
    if (d.overlay)
        d.overlay(painter, visible);
    painter.resetTransform();
    d.paintMissing(painter);
}

void ScheduleView::resizeEvent(QResizeEvent *)
{
    m_private->relayout();
}

void ScheduleView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        m_private->theme = themeFor(palette());
        viewport()->update();
    }
    QAbstractScrollArea::changeEvent(event);
}

void ScheduleView::mousePressEvent(QMouseEvent *event)
{
    Private &d = *m_private;
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    d.pressed = true;
    d.pans = event->button() == Qt::MiddleButton;
    d.dragging = false;
    d.pressedAt = event->position().toPoint();
    d.scrollAtPress = d.offset().toPoint();
}

void ScheduleView::mouseMoveEvent(QMouseEvent *event)
{
    Private &d = *m_private;
    const QPoint here = event->position().toPoint();
    if (d.pressed && d.pans && !d.dragging &&
        (here - d.pressedAt).manhattanLength() >= QApplication::startDragDistance()) {
        d.dragging = true;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (d.dragging) {
        const QPoint target = d.scrollAtPress - (here - d.pressedAt);
        horizontalScrollBar()->setValue(target.x());
        verticalScrollBar()->setValue(target.y());
        return;
    }
    const auto hit = d.hitAt(here);
    const bool same = hit.has_value() == d.hovered.has_value() &&
                      (!hit || (hit->stage == d.hovered->stage && hit->op == d.hovered->op));
    if (!same) {
        d.hovered = hit;
        viewport()->update();
    }
}

void ScheduleView::mouseReleaseEvent(QMouseEvent *event)
{
    Private &d = *m_private;
    if (!d.pressed)
        return;
    d.pressed = false;
    if (std::exchange(d.dragging, false)) {
        viewport()->unsetCursor();
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    if (const FoldLine *fold = d.layout.foldAt(event->position() + d.offset()))
        emit foldPressed(fold->firstSpan);
    else
        d.select(d.hitAt(event->position().toPoint()));
}

void ScheduleView::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ControlModifier) {
        m_private->zoomAbout(m_private->zoom * std::pow(kZoomStep, event->angleDelta().y() / 120.0), event->position());
        event->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(event);
}

void ScheduleView::keyPressEvent(QKeyEvent *event)
{
    Private &d = *m_private;
    switch (event->key()) {
    case Qt::Key_Down: d.stepStage(1); return;
    case Qt::Key_Up: d.stepStage(-1); return;
    case Qt::Key_Right: d.stepOperator(1); return;
    case Qt::Key_Left: d.stepOperator(-1); return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); return;
    case Qt::Key_Minus: zoomOut(); return;
    case Qt::Key_0: fitAll(); return;
    case Qt::Key_1: setZoom(1); return;
    case Qt::Key_Escape: d.selection->clear(); return;
    case Qt::Key_Home: verticalScrollBar()->setValue(0); return;
    case Qt::Key_End: verticalScrollBar()->setValue(verticalScrollBar()->maximum()); return;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

} // namespace stagecraft
