#pragma once

// What stands over all rows of a timeline: the selected range, marks and the places of what was found. In a layer of
// its own, so that it moves without drawing the kernels again.

#include "widgets/base/theme.h"

#include <qcustomplot.h>

#include <optional>
#include <vector>

namespace stagecraft {

// In shared time, microseconds.
struct OverTime {
    std::optional<QCPRange> range;
    std::vector<double> marks;     // ascending
    std::vector<double> found;     // ascending
    std::optional<double> current; // of the found ones
};

class TimeOverlay : public QCPLayerable {
public:
    explicit TimeOverlay(QCustomPlot *plot); // of axis rectangles with the same time axis; owned by the plot

    Theme theme;
    OverTime over;

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override;
    void draw(QCPPainter *painter) override;
    [[nodiscard]] QRect clipRect() const override;

private:
    void drawRange(QCPPainter &painter, const QRectF &area) const;
    void drawMarks(QCPPainter &painter, const QRectF &area) const;
    void drawFound(QCPPainter &painter, const QRectF &area) const;
    [[nodiscard]] double pixelOf(double us) const;
};

} // namespace stagecraft
