#pragma once

// One counter below the rows of the timelines: the lines of all of them on one scale, and its name with the mean over
// what is visible of each. The time axis is the shared one.

#include "widgets/timeline/counter_steps.h"
#include "widgets/timeline/kernel_rows.h"
#include "widgets/timeline/timeline_lane.h"

#include <qcustomplot.h>

#include <QString>

#include <memory>
#include <vector>

namespace stagecraft {

// By title, else by name; the same counter may exist twice, sampled and modelled.
struct CounterChoice {
    QString title;
    QString name;

    friend bool operator==(const CounterChoice &, const CounterChoice &) = default;
};

class CounterPlot {
public:
    using Lanes = std::vector<std::unique_ptr<TimelineLane>>;

    CounterPlot(QCustomPlot *plot, QCPMarginGroup *margins, CounterChoice choice);
    CounterPlot(const CounterPlot &) = delete;
    CounterPlot &operator=(const CounterPlot &) = delete;
    ~CounterPlot(); // removes its parts from the plot

    void setLanes(const Lanes &lanes); // to be called again when what they show changes
    void setShifts(const Lanes &lanes);
    void applyTheme(const Theme &theme, const Lanes &lanes);
    void select(const TimelineLane &first);
    void setRange(const QCPRange &shown);
    [[nodiscard]] bool fitTicks() const; // on the axes of its values, to their height; true: their number changed

    [[nodiscard]] const CounterChoice &choice() const { return m_choice; }
    [[nodiscard]] QCPAxisRect *rect() const { return m_rect; }
    [[nodiscard]] QCPAxis *time() const { return m_rect->axis(QCPAxis::atBottom); }
    [[nodiscard]] QString title() const { return m_title->text(); } // with the means
    [[nodiscard]] const CounterSteps &line(std::size_t lane) const { return *m_lines[lane]; }
    [[nodiscard]] double meanIn(std::size_t lane, const QCPRange &shared) const
    {
        return m_lines[lane]->meanIn(shared);
    }

    [[nodiscard]] static QString titleOf(const CounterSeries &series);
    [[nodiscard]] static const CounterSeries *find(const TimelineLane &lane, const CounterChoice &choice);

private:
    [[nodiscard]] const CounterSeries *series() const; // the first one; it gives the unit and the maximum
    [[nodiscard]] bool isOneMaximum() const;
    void fitValues(const QCPRange &shown) const;
    void showTitle(const QCPRange &shown) const;

    QCustomPlot *m_plot;
    QCPAxisRect *m_rect;
    CounterChoice m_choice;
    StageBands *m_bands;
    std::vector<CounterSteps *> m_lines; // one a lane
    QStringList m_letters;
    QCPItemText *m_title;
};

} // namespace stagecraft
