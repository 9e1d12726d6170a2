#pragma once

// What the chart of virtual units draws (units_chart.h).

#include "graph/graph.h"
#include "timing/timeline/unit_rows.h"
#include "widgets/base/theme.h"

#include <qcustomplot.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {

// A fused stage with times from its start.
struct DrawnUnits {
    std::shared_ptr<const Graph> graph;
    FusedUnits fused;
    std::int64_t fromNs = 0;
    std::int64_t toNs = 0;
    std::optional<OperatorId> selected;

    [[nodiscard]] QColor colourOf(const Theme &theme, std::uint32_t rOperator) const;
    [[nodiscard]] QString nameOf(std::uint32_t rOperator) const;
    [[nodiscard]] QString unitsText(std::size_t row) const;      // "unit 3", "units 1 to 80"
    [[nodiscard]] QString numbersText(std::size_t row) const;    // "3", "1–80"
    [[nodiscard]] std::int64_t firstUnit(std::size_t row) const; // from 1
    [[nodiscard]] double us(std::int64_t ns) const { return static_cast<double>(ns - fromNs) / 1000; }
    [[nodiscard]] double lengthUs() const { return static_cast<double>(toNs - fromNs) / 1000; }
};

// What lies at a point of the rows: an rTask, or the wait before `next`.
struct UnitHit {
    std::size_t row = 0;
    std::optional<std::size_t> task;
    std::int64_t fromNs = 0;
    std::int64_t toNs = 0;
};

// rTasks by time and row, from the top.
class UnitRows : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    const DrawnUnits *units = nullptr; // null: nothing is drawn

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

    [[nodiscard]] std::optional<UnitHit> hitAt(QPointF point) const;
    [[nodiscard]] QRectF rectOf(std::size_t row, std::int64_t fromNs, std::int64_t toNs) const;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    void drawTask(QCPPainter &painter, std::size_t row, const UnitTask &task) const;
    void drawWait(QCPPainter &painter, const QRectF &rect) const;
};

// The rKernels of each operator: time alone against share of the units, those of an operator joined by a line.
class RKernelMarks : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    const DrawnUnits *units = nullptr;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

    // Its rOperator and rKernel.
    [[nodiscard]] std::optional<std::pair<std::uint32_t, std::size_t>> markAt(QPointF point) const;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    [[nodiscard]] QPointF centreOf(const TimedRKernel &rKernel) const;
};

} // namespace stagecraft
