#pragma once

// A counter over time as a filled step line. If many steps share a pixel, it shows their time-weighted mean (solid) and
// their peak (faint), so that a whole network is readable and a zoomed part is exact. A dashed line is the mean over
// what is visible.

#include "timing/timeline/timeline.h"
#include "widgets/base/theme.h"

#include <qcustomplot.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace stagecraft {

class CounterSteps : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    QColor colour;
    QPen meanPen;
    bool isFilled = true; // if false, only a line, so that others show through
    double shiftUs = 0;   // the counter's time minus that of the axis

    // Null: nothing is drawn.
    void setSeries(std::shared_ptr<const CounterSeries> series, std::int64_t durationNs);
    [[nodiscard]] const CounterSeries *series() const { return m_series.get(); }

    struct Summary {
        double mean = 0;
        double peak = 0;
    };
    // Over [fromNs, toNs) of its own time; fromNs < toNs.
    [[nodiscard]] Summary between(double fromNs, double toNs) const;
    // Over the part of a range of the axis (microseconds) in which the counter has time; 0 if there is none.
    [[nodiscard]] double meanIn(const QCPRange &axisUs) const;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    [[nodiscard]] Summary atPixel(double x, double width) const; // negative: outside its time
    void drawLines(QCPPainter &painter) const;
    void drawPixels(QCPPainter &painter) const;
    [[nodiscard]] std::size_t stepAt(double timeNs) const;
    [[nodiscard]] double integralTo(double timeNs) const;
    [[nodiscard]] double peakOf(std::size_t first, std::size_t last) const;

    std::shared_ptr<const CounterSeries> m_series;
    std::int64_t m_durationNs = 0;
    // At every kBlock-th step: the integral up to it, and the peak from it to the next.
    std::vector<double> m_integrals;
    std::vector<double> m_peaks;
};

} // namespace stagecraft
