// Several operators of the graph at once: ancestors, descendants, paths; and showing only these.

#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/graph/graph_paths.h"
#include "widgets/graph/graph_view_state.h"

#include <algorithm>

namespace stagecraft {

void GraphView::Private::createActions()
{
    const auto add = [this](const QString &text, const char *keys, auto act) {
        auto *action = new QAction(text, q);
        action->setShortcut(QKeySequence(QLatin1String(keys)));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, q, act);
        q->addAction(action);
        actions << action;
    };
    add(QStringLiteral("&Ancestors of the operator"), "Shift+Up", [this] { q->chooseAncestors(); });
    add(QStringLiteral("&Descendants of the operator"), "Shift+Down", [this] { q->chooseDescendants(); });
    add(QStringLiteral("&Paths from the operator selected before"), "Shift+Right", [this] { q->choosePath(); });
    add(QStringLiteral("&Isolate, or show all again"), "I", [this] { q->setIsolated(!isIsolated); });
}

void GraphView::Private::choose(std::vector<bool> operators, const QString &what)
{
    chosen = std::move(operators);
    const auto count = static_cast<std::int64_t>(std::ranges::count(chosen, true));
    if (count == 0)
        chosen.clear();
    refreshEmphasis();
    q->setAccessibleDescription(QStringLiteral("%1: %2").arg(what, plural(count, "operator")));
    q->setToolTip({});
}

void GraphView::chooseAncestors()
{
    Private &d = *m_private;
    if (d.hasGraph() && d.selection && d.selection->current().op)
        d.choose(ancestorsOf(*d.graph, *d.selection->current().op), QStringLiteral("Ancestors"));
}

void GraphView::chooseDescendants()
{
    Private &d = *m_private;
    if (d.hasGraph() && d.selection && d.selection->current().op)
        d.choose(descendantsOf(*d.graph, *d.selection->current().op), QStringLiteral("Descendants"));
}

void GraphView::choosePath()
{
    Private &d = *m_private;
    if (d.hasGraph() && d.selection && d.selection->current().op && d.selectedBefore)
        d.choose(pathsBetween(*d.graph, *d.selectedBefore, *d.selection->current().op), QStringLiteral("Paths"));
}

std::vector<OperatorId> GraphView::chosen() const
{
    std::vector<OperatorId> operators;
    for (std::size_t i = 0; i < m_private->chosen.size(); ++i) {
        if (m_private->chosen[i])
            operators.push_back(OperatorId::fromIndex(i));
    }
    return operators;
}

void GraphView::setIsolated(bool isolated)
{
    Private &d = *m_private;
    const Selected selected = d.selection ? d.selection->current() : Selected{};
    const bool isAnything = !d.chosen.empty() || selected != Selected{};
    if (!d.hasGraph() || d.isIsolated == (isolated && isAnything))
        return;
    d.isIsolated = isolated;
    d.refreshEmphasis();
    if (!isolated)
        return;
    QRectF shown;
    for (std::uint32_t node = 0; node < d.scene.prepared->drawing.nodes.size(); ++node) {
        if (isShown(d.scene.emphasis, node))
            shown |= d.scene.prepared->drawing.nodes[node].rect;
    }
    d.moveTo(fitted(d.viewport, shown, d.fitMargins(), 1.0), true);
}

bool GraphView::isIsolated() const
{
    return m_private->isIsolated;
}

const QList<QAction *> &GraphView::viewActions() const
{
    return m_private->actions;
}

} // namespace stagecraft
