#pragma once

// Draws a timeline in a plot: kernels as boxes on the row of their stream or of each of their threads, and stages as
// bands in the background. Kernels narrower than a pixel are drawn together, as strong as their pixel is busy. Between
// kernels a dotted line is a launch and a hatched box a wait; hatching over all rows is a barrier. Times on the key
// axis are microseconds.

#include "graph/graph.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"

#include <qcustomplot.h>

#include <cstddef>
#include <memory>
#include <optional>

namespace stagecraft {

inline double microseconds(std::int64_t ns)
{
    return static_cast<double>(ns) / 1e3;
}

inline std::int64_t nanoseconds(double us)
{
    return static_cast<std::int64_t>(std::floor(us * 1e3));
}

using TimelineIndexPtr = std::shared_ptr<const TimelineIndex>;

class StageBands : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    TimelineIndexPtr index; // null: nothing is drawn
    std::optional<std::size_t> selected;
    std::optional<TimeRange> block; // the selected one
    bool numbered = false;          // stage numbers at the top of the bands

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    void hatch(QCPPainter &painter, const QRegion &barriers) const;
    void drawEdge(QCPPainter &painter, std::size_t place) const;
    void drawSelected(QCPPainter &painter) const;
};

class KernelRows : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    TimelineIndexPtr index;             // null: nothing is drawn
    std::shared_ptr<const Graph> graph; // null: unknown
    ModelMarks models;                  // of the graph
    Selected selected;

    [[nodiscard]] QRectF rectOf(const KernelSpan &kernel) const; // pixels, on its first row
    [[nodiscard]] const KernelSpan *kernelAt(QPointF pixel) const;
    [[nodiscard]] std::optional<std::size_t> rowAt(double pixelY) const;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    [[nodiscard]] QRectF rectOn(TimeRange time, std::size_t row) const;
    [[nodiscard]] bool isSelected(const KernelSpan &kernel) const;
    [[nodiscard]] QString label(const KernelSpan &kernel, const QFontMetrics &metrics, double width) const;
    void drawRow(QCPPainter &painter, std::size_t row) const;
    void drawBox(QCPPainter &painter, const KernelSpan &kernel, const QRectF &rect) const;
    void drawGaps(QCPPainter &painter, std::size_t row, std::size_t next) const; // before the span
    void outlineSelected(QCPPainter &painter) const;
};

} // namespace stagecraft
