#include "widgets/graph/graph_search.h"

#include "operators/schema.h"
#include "widgets/base/shown_name.h"
#include "widgets/graph/graph_content.h"

#include <algorithm>

namespace stagecraft {

GraphSearch::GraphSearch(const GraphContent *content, QWidget *view)
    : QObject(view), m_content(content),
      m_bar(new FindBar(QStringLiteral("Find: conv 3x3, type:pool, flops > 50M, /branch.$/"), view))
{
}

void GraphSearch::reset()
{
    m_find.clear();
    m_bar->setText({});
    m_bar->showHits(0, {});
    m_bar->hide();
}

void GraphSearch::search(const QString &text)
{
    m_find.search({*m_content->graph, m_content->blocks, m_content->schedule.get(), m_content->timeline.get()}, text);
    m_bar->setText(text);
    m_bar->showHits(static_cast<int>(m_find.matches().size()), [this](int match) {
        const auto at = static_cast<std::size_t>(match);
        const Operator &op = m_content->graph->op(m_find.matches()[at]);
        QStringList parts{shownName(op.name), QString::fromStdString(displayType(op)), m_find.numbersOf(at)};
        parts.removeAll(QString());
        return parts.join(QStringLiteral(" · "));
    });
}

void GraphSearch::find(const QString &text, double top)
{
    search(text);
    if (!m_content->isLaidOut())
        return;
    const auto &matches = m_find.matches();
    const auto first = std::ranges::find_if(matches, [&](OperatorId op) { return m_content->rectOf(op).top() >= top; });
    if (first != matches.end())
        m_find.setCurrent(static_cast<int>(first - matches.begin()));
}

void GraphSearch::findAgain()
{
    if (!m_content->graph || (!m_find.hasNumbers() && m_find.trouble().isEmpty()))
        return;
    const auto before = m_find.currentOperator();
    search(QString(m_find.text())); // not the text that searching clears
    const auto &matches = m_find.matches();
    const auto same = before ? std::ranges::find(matches, *before) : matches.end();
    if (same != matches.end())
        m_find.setCurrent(static_cast<int>(same - matches.begin()));
    showFound();
}

void GraphSearch::showFound()
{
    if (m_find.trouble().isEmpty())
        m_bar->showMatches(m_find.current(), static_cast<int>(m_find.matches().size()));
    else
        m_bar->showTrouble(m_find.trouble());
    emit changed();
}

} // namespace stagecraft
