#pragma once

// The colours of the program. A colour means one thing in every view: a stage has the same colour in the graph, the
// schedule, the timeline and the charts. The stage palette keeps neighbours apart for people with colour blindness and
// works on light and dark surfaces; which surface it is follows the application's palette.

#include "support/provenance.h"

#include <QColor>
#include <QPalette>

#include <cstddef>

namespace stagecraft {

struct Theme {
    bool dark = false;
    QColor canvas; // behind graphs, schedules and plots
    QColor panel;  // docks, headers
    QColor border;
    QColor grid; // plot grids, lane lines
    QColor text;
    QColor mutedText;
    QColor edge;      // graph edges
    QColor accent;    // selection, primary action
    QColor mergeMark; // the mark of a merge stage
    QColor warning;
    QColor error;
    QColor faster; // beside a signed number
    QColor slower;

    [[nodiscard]] QColor stageFill(std::size_t stage) const; // neighbours differ; repeats after a cycle
    [[nodiscard]] QColor stageOutline(std::size_t stage) const;
    [[nodiscard]] QColor onFill(const QColor &fill) const; // readable text on a fill
    [[nodiscard]] QColor heat(double share) const;         // 0..1, perceptually even, for latency
    [[nodiscard]] QColor provenance(Provenance provenance) const;
};

[[nodiscard]] Theme themeFor(const QPalette &palette);

} // namespace stagecraft
