#pragma once

// A counter over time as a filled step line. If many steps share a pixel, it shows their time-weighted mean (solid) and
// their peak (faint), so that a whole network is readable and a zoomed part is exact.

#include "timeline/timeline.h"
#include "widgets/theme.h"

#include <qcustomplot.h>

#include <cstdint>
#include <vector>

namespace stagecraft {

class CounterSteps : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    QColor colour;
    bool isFilled = true; // if false, only a line, so that others show through

    // Not owned: the series must outlive the plottable's use of it. Null: nothing is drawn.
    void setSeries(const CounterSeries *series, std::int64_t durationNs);

    struct Summary {
        double mean = 0;
        double peak = 0;
    };
    // Over [fromNs, toNs); fromNs < toNs.
    [[nodiscard]] Summary between(double fromNs, double toNs) const;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    [[nodiscard]] std::size_t stepAt(double timeNs) const;
    [[nodiscard]] double integralTo(double timeNs) const;

    const CounterSeries *m_series = nullptr;
    std::int64_t m_durationNs = 0;
    std::vector<double> m_integral; // of the counter up to the start of each step
};

} // namespace stagecraft
