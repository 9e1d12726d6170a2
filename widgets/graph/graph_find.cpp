#include "widgets/graph/graph_find.h"

#include "graph/operator_table.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft {

void GraphFind::search(const Graph &graph, const QString &text)
{
    clear();
    m_text = text;
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words.isEmpty())
        return;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &op = graph.operators()[i];
        const QString name = QString::fromStdString(op.name);
        const QString type = QString::fromStdString(displayType(op));
        const bool matches = std::all_of(words.begin(), words.end(), [&](const QString &word) {
            return name.contains(word, Qt::CaseInsensitive) || type.contains(word, Qt::CaseInsensitive);
        });
        if (matches)
            m_matches.push_back(OperatorId::fromIndex(i));
    }
    m_current = m_matches.empty() ? -1 : 0;
}

void GraphFind::clear()
{
    m_text.clear();
    m_matches.clear();
    m_current = -1;
}

void GraphFind::step(int by)
{
    if (m_matches.empty())
        return;
    const int count = static_cast<int>(m_matches.size());
    m_current = ((m_current + by) % count + count) % count;
}

} // namespace stagecraft
