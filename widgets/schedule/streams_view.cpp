#include "widgets/schedule/streams_view.h"

#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"
#include "widgets/schedule/edit_overlay.h"
#include "widgets/schedule/streams_painter.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace stagecraft {

StreamsView::StreamsView(Selection *selection, QWidget *parent) : PageCanvas(parent), m_selection(selection)
{
    setMinimumSize(80, 120);
    setAccessibleName(QStringLiteral("Streams"));
    connect(selection, &Selection::changed, this, &StreamsView::selectionChanged);
}

void StreamsView::setSchedule(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimedSchedule> schedule)
{
    const bool isOther = !schedule || !m_schedule || schedule->streams != m_schedule->streams;
    if (isOther)
        m_placer = {};
    if (graph != m_graph)
        m_models = graph ? ModelMarks(*graph) : ModelMarks();
    m_graph = std::move(graph);
    m_schedule = m_graph && schedule && schedule->streams ? std::move(schedule) : nullptr;
    m_hovered.reset();
    relayout();
    if (isOther)
        scrollToStart();
    selectionChanged();
}

void StreamsView::setMarks(StageMarks marks)
{
    m_marks = std::move(marks);
    viewport()->update();
}

QRect StreamsView::launchRect(std::size_t launch) const
{
    return launch < m_page.boxes.size() ? m_page.boxes[launch].translated(-offset()).toRect() : QRect();
}

void StreamsView::setPlacer(RowPlacer placer)
{
    if (!m_placer && !placer)
        return;
    m_placer = std::move(placer);
    relayout();
}

StreamsPage StreamsView::pageAt(double zoom) const
{
    const std::optional<RowPlaces> places = m_placer ? std::optional(m_placer(zoom)) : std::nullopt;
    return streamsPage(*m_schedule->streams, viewport()->width(), zoom, places ? &*places : nullptr);
}

QSizeF StreamsView::sizeAt(double zoom) const
{
    return pageAt(zoom).size;
}

QSizeF StreamsView::layOut()
{
    m_page = m_schedule ? pageAt(zoom()) : StreamsPage{};
    return m_page.size;
}

void StreamsView::paintPage(QPainter &painter, const QRectF &visible, const Theme &theme)
{
    paintStreams(painter,
                 {*m_graph, *m_schedule->streams, m_page, theme, m_selection->current().op, m_hovered, m_models},
                 visible);
    for (std::size_t i = 0; i < std::min(m_marks.size(), m_page.boxes.size()); ++i) {
        if (m_marks[i].isPinned && m_page.boxes[i].intersects(visible))
            paintPin(painter, m_page.boxes[i].topRight() + QPointF(-16, -4), theme);
    }
}

std::optional<std::size_t> StreamsView::selectedLaunch() const
{
    if (!m_schedule)
        return std::nullopt;
    return StreamsPicture{*m_graph, *m_schedule->streams, m_page, {}, m_selection->current().op, {}}.selectedLaunch();
}

QString StreamsView::textOf(std::size_t launch) const
{
    const Streams &streams = *m_schedule->streams;
    const auto nameOf = [&](std::size_t which) {
        QStringList names;
        for (const OperatorId id : streams.launches[which].operators)
            names << shownName(m_graph->op(id).name);
        return names.join(QStringLiteral(" + "));
    };
    const auto withStream = [&](std::size_t which) {
        return QStringLiteral("%1 (stream %2)").arg(nameOf(which)).arg(streams.launches[which].stream + 1);
    };
    const StreamLaunch &what = streams.launches[launch];
    const Operator &first = m_graph->op(what.operators.front());
    QStringList lines{
        nameOf(launch),
        what.isMerged()
            ? QStringLiteral("%1 operators merged").arg(what.operators.size())
            : QStringLiteral("%1, output %2")
                  .arg(shownName(displayType(first)), shapeText(m_graph->outputShape(what.operators.front()))),
        QStringLiteral("Stream %1, launch %2 of %3").arg(what.stream + 1).arg(launch + 1).arg(streams.launches.size())};
    QStringList before;
    for (const std::uint32_t from : what.waits)
        before << withStream(from);
    QStringList after;
    for (std::size_t i = launch + 1; i < streams.launches.size(); ++i) {
        if (std::ranges::find(streams.launches[i].waits, launch) != streams.launches[i].waits.end())
            after << withStream(i);
    }
    if (launch < m_marks.size() && m_marks[launch].isPinned)
        lines << QStringLiteral("pinned");
    if (!before.isEmpty())
        lines << QStringLiteral("waits for %1").arg(before.join(QStringLiteral(", ")));
    if (!after.isEmpty())
        lines << QStringLiteral("%1 for it")
                     .arg(after.join(QStringLiteral(", ")) +
                          (after.size() == 1 ? QStringLiteral(" waits") : QStringLiteral(" wait")));
    return lines.join(QLatin1Char('\n'));
}

void StreamsView::pointAt(QPoint position)
{
    setHovered(m_page.launchAt(position + offset()));
}

void StreamsView::pointAway()
{
    setHovered(std::nullopt);
}

void StreamsView::setHovered(std::optional<std::size_t> launch)
{
    if (std::exchange(m_hovered, launch) != launch)
        viewport()->update();
}

void StreamsView::click(QPoint position)
{
    select(m_page.launchAt(position + offset()));
}

void StreamsView::select(std::optional<std::size_t> launch)
{
    if (launch)
        m_selection->set({m_schedule->streams->launches[*launch].operators.front(), std::nullopt});
    else
        m_selection->clear();
}

QString StreamsView::tipAt(QPoint position) const
{
    const auto launch = m_page.launchAt(position + offset());
    return launch ? textOf(*launch).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")) : QString();
}

void StreamsView::step(int direction, bool isAlongStream)
{
    if (!m_schedule)
        return;
    const auto &launches = m_schedule->streams->launches;
    const auto now = selectedLaunch();
    if (!now) {
        select(direction > 0 ? 0 : launches.size() - 1);
        return;
    }
    for (auto next = static_cast<std::ptrdiff_t>(*now) + direction;
         next >= 0 && next < static_cast<std::ptrdiff_t>(launches.size()); next += direction) {
        const auto launch = static_cast<std::size_t>(next);
        if (!isAlongStream || launches[launch].stream == launches[*now].stream) {
            select(launch);
            return;
        }
    }
}

void StreamsView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Down: step(1, true); break;
    case Qt::Key_Up: step(-1, true); break;
    case Qt::Key_Right: step(1, false); break;
    case Qt::Key_Left: step(-1, false); break;
    case Qt::Key_Escape: m_selection->clear(); break;
    default: PageCanvas::keyPressEvent(event);
    }
}

void StreamsView::selectionChanged()
{
    const auto launch = selectedLaunch();
    if (launch) // not under the names of the lanes
        reveal(m_page.boxes[*launch].adjusted(0, -m_page.headerHeight, 0, 0));
    setAccessibleDescription(launch ? textOf(*launch) : QString());
    if (QAccessible::isActive()) {
        QAccessibleEvent event(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&event);
    }
    viewport()->update();
}

} // namespace stagecraft
