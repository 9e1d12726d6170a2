#include "widgets/graph/graph_choice.h"

#include "widgets/base/format.h"
#include "widgets/graph/graph_content.h"
#include "widgets/graph/graph_paths.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

GraphChoice::GraphChoice(const GraphContent *content, Selection *selection, QWidget *view)
    : QObject(view), m_content(content), m_selection(selection)
{
    const auto add = [this, view](const QString &text, const char *keys, auto act) {
        auto *action = new QAction(text, view);
        action->setShortcut(QKeySequence(QLatin1String(keys)));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, act);
        view->addAction(action);
        m_actions << action;
    };
    add(QStringLiteral("&Ancestors of the operator"), "Shift+Up", [this] { chooseAncestors(); });
    add(QStringLiteral("&Descendants of the operator"), "Shift+Down", [this] { chooseDescendants(); });
    add(QStringLiteral("&Paths from the operator selected before"), "Shift+Right", [this] { choosePath(); });
    add(QStringLiteral("&Isolate, or show all again"), "I", [this] { setIsolated(!m_isIsolated); });
}

void GraphChoice::reset()
{
    m_marks.clear();
    m_before.reset();
    m_now.reset();
    m_isIsolated = false;
}

void GraphChoice::follow()
{
    const auto op = m_selection->current().op;
    if (op && op != m_now)
        m_before = std::exchange(m_now, op);
    if (m_content->isLaidOut() && !m_isIsolated)
        m_marks.clear();
}

bool GraphChoice::drop()
{
    const bool isAny = m_isIsolated || !m_marks.empty();
    m_isIsolated = false;
    m_marks.clear();
    return isAny;
}

void GraphChoice::setIsolated(bool on)
{
    const bool isAnything = !m_marks.empty() || (m_selection && m_selection->current() != Selected{});
    if (!m_content->isLaidOut() || m_isIsolated == (on && isAnything))
        return;
    m_isIsolated = on;
    emit isolated(on);
}

std::optional<OperatorId> GraphChoice::selected() const
{
    return m_content->isLaidOut() && m_selection ? m_selection->current().op : std::nullopt;
}

void GraphChoice::choose(const QString &what, std::vector<bool> marks)
{
    m_marks = std::move(marks);
    const auto count = static_cast<std::int64_t>(std::ranges::count(m_marks, true));
    if (count == 0)
        m_marks.clear();
    emit chosen(QStringLiteral("%1: %2").arg(what, plural(count, "operator")));
}

std::vector<OperatorId> GraphChoice::operators() const
{
    std::vector<OperatorId> operators;
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        if (m_marks[i])
            operators.push_back(OperatorId::fromIndex(i));
    }
    return operators;
}

void GraphChoice::chooseAncestors()
{
    if (const auto op = selected())
        choose(QStringLiteral("Ancestors"), ancestorsOf(*m_content->graph, *op));
}

void GraphChoice::chooseDescendants()
{
    if (const auto op = selected())
        choose(QStringLiteral("Descendants"), descendantsOf(*m_content->graph, *op));
}

void GraphChoice::choosePath()
{
    if (const auto op = selected(); op && m_before)
        choose(QStringLiteral("Paths"), pathsBetween(*m_content->graph, *m_before, *op));
}

} // namespace stagecraft
