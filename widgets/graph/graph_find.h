#pragma once

// Finds operators by name or type: the matches in the graph's order, and the current one.

#include "graph/graph.h"

#include <QString>

#include <vector>

namespace stagecraft {

class GraphFind {
public:
    // Matches operators whose name or type contains every word of the text, ignoring case. An empty text matches
    // nothing.
    void search(const Graph &graph, const QString &text);
    void clear();

    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] const std::vector<OperatorId> &matches() const { return m_matches; }
    [[nodiscard]] int current() const { return m_current; } // -1: none
    void setCurrent(int index) { m_current = index; }
    void step(int by); // wraps around

private:
    QString m_text;
    std::vector<OperatorId> m_matches;
    int m_current = -1;
};

} // namespace stagecraft
