#pragma once

// Finds operators by name, type, attributes, shapes, numbers or a regular expression: the matches in the graph's order,
// and the current one.

#include "widgets/graph/overlay/number_query.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft {

class GraphFind {
public:
    // Matches operators that have every word of the text, ignoring case, in their name, type, attributes or shapes
    // ("conv 3x3 relu 192x35x35"), or only in the one that a word names ("type:pool", "name:",
    // "attribute:stride=2x2", "shape:"), and for which every comparison of a number holds ("conv flops > 50M"). A text
    // between slashes is a regular expression for name and type: "/branch\dx\d$/". An empty text matches nothing.
    void search(const HeatSource &source, const QString &text);
    void clear();

    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] const QString &trouble() const { return m_trouble; } // with the text; empty: none
    [[nodiscard]] bool hasNumbers() const { return m_hasNumbers; }     // they change with the schedule
    // "52.1 MFLOP" of each match: the numbers that were asked for.
    [[nodiscard]] const QString &numbersOf(std::size_t match) const { return m_numbers[match]; }
    [[nodiscard]] const std::vector<OperatorId> &matches() const { return m_matches; }
    [[nodiscard]] int current() const { return m_current; } // -1: none
    [[nodiscard]] std::optional<OperatorId> currentOperator() const
    {
        return m_current < 0 ? std::nullopt : std::optional(m_matches[static_cast<std::size_t>(m_current)]);
    }
    void setCurrent(int index) { m_current = index; }
    void step(int by); // wraps around

private:
    QString m_text;
    QString m_trouble;
    bool m_hasNumbers = false;
    std::vector<QString> m_numbers; // of each match
    std::vector<OperatorId> m_matches;
    int m_current = -1;
};

} // namespace stagecraft
