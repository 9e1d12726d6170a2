#pragma once

// Draws a timeline in a plot: kernels as boxes on the row of their stream or of each of their threads, and stages as
// bands in the background. Times on the key axis are microseconds.

#include "timeline/timeline.h"
#include "widgets/selection.h"
#include "widgets/theme.h"

#include <qcustomplot.h>

#include <cstddef>
#include <memory>
#include <optional>

namespace stagecraft {

inline double microseconds(std::int64_t ns)
{
    return static_cast<double>(ns) / 1e3;
}

class StageBands : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    std::shared_ptr<const Timeline> timeline;
    std::optional<std::size_t> selected;
    bool numbered = false; // stage numbers at the top of the bands

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}
};

class KernelRows : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    std::shared_ptr<const Timeline> timeline;
    Selected selected;

    [[nodiscard]] QRectF rectOf(const KernelSpan &kernel) const; // pixels, on its first row
    [[nodiscard]] const KernelSpan *kernelAt(QPointF pixel) const;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    [[nodiscard]] QRectF rectOn(const KernelSpan &kernel, std::size_t row) const;
    [[nodiscard]] bool isSelected(const KernelSpan &kernel) const;
    void drawBox(QCPPainter &painter, const KernelSpan &kernel, const QRectF &rect) const;
};

} // namespace stagecraft
