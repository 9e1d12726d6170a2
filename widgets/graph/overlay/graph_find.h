#pragma once

// Finds operators by name, type, attributes, shapes or a regular expression: the matches in the graph's order, and the
// current one.

#include "graph/graph.h"

#include <QString>

#include <vector>

namespace stagecraft {

class GraphFind {
public:
    // Matches operators that have every word of the text, ignoring case, in their name, type, attributes or shapes
    // ("conv 3x3 relu 192x35x35"), or only in the one that a word names ("type:pool", "name:",
    // "attribute:stride=2x2", "shape:"). A text between slashes is a regular expression for name and type:
    // "/branch\dx\d$/". An empty text matches nothing.
    void search(const Graph &graph, const QString &text);
    void clear();

    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] const QString &trouble() const { return m_trouble; } // with the regular expression; empty: none
    [[nodiscard]] const std::vector<OperatorId> &matches() const { return m_matches; }
    [[nodiscard]] int current() const { return m_current; } // -1: none
    void setCurrent(int index) { m_current = index; }
    void step(int by); // wraps around

private:
    QString m_text;
    QString m_trouble;
    std::vector<OperatorId> m_matches;
    int m_current = -1;
};

} // namespace stagecraft
