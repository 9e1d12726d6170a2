#pragma once

// Finding operators by name or type: which ones match, in the graph's order, and which one is current.

#include "graph/graph.h"

#include <QString>

#include <vector>

namespace stagecraft {

class GraphFind {
public:
    // Every word of the text must occur in the operator's name or type, in any case. An empty text matches nothing.
    void search(const Graph &graph, const QString &text);
    void clear();

    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] const std::vector<OperatorId> &matches() const { return m_matches; }
    [[nodiscard]] int current() const { return m_current; } // -1: none
    void setCurrent(int index) { m_current = index; }
    void step(int by); // round and round

private:
    QString m_text;
    std::vector<OperatorId> m_matches;
    int m_current = -1;
};

} // namespace stagecraft
