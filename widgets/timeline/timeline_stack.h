#pragma once

// The plot of a timeline view on one time axis: a row for each timeline, and below them the chosen counters, one below
// the other, each with the lines of all timelines. The shared time is that of the first timeline; the others may be
// shifted against it.

#include "widgets/timeline/counter_plot.h"
#include "widgets/timeline/time_overlay.h"
#include "widgets/timeline/timeline_lane.h"

#include <memory>
#include <vector>

namespace stagecraft {

class TimelineStack {
public:
    explicit TimelineStack(QWidget *parent);

    [[nodiscard]] QCustomPlot *plot() const { return m_plot; }
    void setLaneCount(std::size_t count); // at least one
    [[nodiscard]] const std::vector<std::unique_ptr<TimelineLane>> &lanes() const { return m_lanes; }
    [[nodiscard]] TimelineLane &first() const { return *m_lanes.front(); }
    [[nodiscard]] bool isAlone() const { return m_lanes.size() == 1; }
    [[nodiscard]] bool isAnyMade() const;
    [[nodiscard]] TimelineLane *laneAt(QPointF at) const; // null: outside the rows
    [[nodiscard]] bool isAmongCounters(QPointF at) const;

    void setCounters(const std::vector<CounterChoice> &choices); // also after what the lanes show has changed
    [[nodiscard]] const std::vector<std::unique_ptr<CounterPlot>> &counters() const { return m_counters; }

    void applyTheme(const Theme &theme);
    void fitRows() const;
    void shareHeight() const; // no row is lower than a name; the plot is then higher than its place

    // The time axis is drawn elsewhere: the plot has no numbers of its own.
    void setHasRuler(bool hasRuler);
    [[nodiscard]] const QCPAxis &timeAxis() const { return *first().time(); }
    [[nodiscard]] QString timeTitle() const;

    [[nodiscard]] const QCPRange &shown() const { return m_shown; } // in shared time
    [[nodiscard]] QCPRange whole() const;
    [[nodiscard]] bool isWhole() const { return m_shown.size() >= whole().size() * 0.999; }
    void setRange(const QCPRange &wanted);
    void zoom(double factor, double aboutUs); // below 1: closer
    void pan(double byUs);
    void reveal(const TimelineLane &lane, const QCPRange &own); // moves but never zooms: the user chose the scale
    [[nodiscard]] double timeAt(double x) const;                // in shared time, at a pixel of the plot
    // If aligned, the selection starts at the same time in all lanes as in the first.
    void shift(bool isAligned);
    void select(TimelineLane &lane, const Selected &selected);

    // What stands over all rows and counters.
    [[nodiscard]] const OverTime &over() const { return m_overlay->over; }
    void setOver(OverTime over);

private:
    void nameTimeAxis() const; // only the lowest one has numbers
    void fitTicks() const;

    QCustomPlot *m_plot;
    QCPMarginGroup *m_margins;
    std::vector<std::unique_ptr<TimelineLane>> m_lanes;
    std::vector<std::unique_ptr<CounterPlot>> m_counters;
    TimeOverlay *m_overlay;
    QCPRange m_shown{0, 1};
    bool m_hasRuler = false;
    Theme m_theme;
};

} // namespace stagecraft
