#pragma once

// The colours of the program. A colour has one meaning in all views: a stage has the same colour in the graph, the
// schedule, the timeline and the charts. Neighbours in the stage palette are distinct for people with colour blindness,
// on light and dark surfaces; the application's palette decides which surface is used.

#include "timing/provenance.h"

#include <QColor>
#include <QPalette>

#include <cstddef>

namespace stagecraft {

struct Theme {
    bool dark = false;
    QColor canvas; // background of graphs, schedules and plots
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
    QColor faster; // for signed numbers
    QColor slower;

    [[nodiscard]] QColor stageFill(std::size_t stage) const; // neighbours differ; repeats cyclically
    [[nodiscard]] QColor stageOutline(std::size_t stage) const;
    [[nodiscard]] QColor onFill(const QColor &fill) const; // readable text on a fill
    [[nodiscard]] QColor heat(double share) const;         // 0..1, perceptually uniform, for latency
    [[nodiscard]] QColor provenance(Provenance provenance) const;
    [[nodiscard]] QColor line(std::size_t index) const; // of one of several in a plot, and of its name; repeats
};

// 1 to 21, as WCAG 2.1 defines it.
[[nodiscard]] double contrast(const QColor &a, const QColor &b);
inline constexpr double kReadable = 4.5; // for small text

// A colour between the two: `share` of b, 0..1.
[[nodiscard]] QColor mixed(const QColor &a, const QColor &b, double share);

[[nodiscard]] Theme themeFor(const QPalette &palette);

} // namespace stagecraft
