#pragma once

// The plot of a timeline view on one time axis: a row for each timeline, and below them the chosen counter of all of
// them. The shared time is that of the first timeline; the others may be shifted against it.

#include "widgets/timeline/timeline_lane.h"

#include <functional>
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

    void applyTheme(const Theme &theme);
    void fitRows() const;
    void shareHeight() const;

    [[nodiscard]] const QCPRange &shown() const { return m_shown; } // in shared time
    [[nodiscard]] QCPRange whole() const;
    void setRange(const QCPRange &wanted);
    void reveal(const TimelineLane &lane, const QCPRange &own); // moves but never zooms: the user chose the scale
    // If aligned, the selection starts at the same time in all lanes as in the first.
    void shift(bool isAligned);

    // By title, else by name; the same counter may exist twice, sampled and modelled.
    void chooseCounter(const QString &title, const QString &name);
    [[nodiscard]] static QString counterTitle(const CounterSeries &series);
    [[nodiscard]] const CounterSeries *counterOf(const TimelineLane &lane) const; // null if it has none

private:
    [[nodiscard]] const CounterSeries *counter() const; // the first one; it gives the unit and the maximum
    [[nodiscard]] bool isOneMaximum(double maximum) const;
    void fitCounter() const;
    void fitTicks() const;
    bool fitLabel() const; // true if it changed

    QCustomPlot *m_plot;
    QCPAxisRect *m_counters;
    QCPMarginGroup *m_margins;
    std::vector<std::unique_ptr<TimelineLane>> m_lanes;
    QCPRange m_shown{0, 1};
    QString m_counterTitle;
    QString m_counterName;
    QString m_counterLabel; // in full
    Theme m_theme;
    bool m_isSettingRange = false;
};

} // namespace stagecraft
