#pragma once

// Finds kernels by the names of their operators or their own: the matches of all timelines by time, and the current
// one.

#include "widgets/timeline/timeline_stack.h"

#include <QString>

#include <vector>

namespace stagecraft {

class TimelineFind {
public:
    struct Match {
        std::size_t lane = 0;
        std::uint32_t kernel = 0;
    };

    // Matches kernels whose names contain every word of the text, ignoring case. An empty text matches nothing. The
    // first match at or after the time (shared, microseconds) becomes current.
    void search(const TimelineStack &rows, const QString &text, double fromUs);
    void step(int by); // wraps around

    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] const std::vector<Match> &matches() const { return m_matches; }
    [[nodiscard]] int current() const { return m_current; }                             // -1: none
    [[nodiscard]] static double startUs(const TimelineStack &rows, const Match &match); // in shared time

private:
    QString m_text;
    std::vector<Match> m_matches;
    int m_current = -1;
};

} // namespace stagecraft
