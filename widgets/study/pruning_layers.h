#pragma once

// What the plot of a pruning study draws: lines of equal r and s, the Pareto front, published points, whiskers, and a
// mark per point with the colour and shape of its strategy. Costs that the chosen axis cannot show are left out.

#include "widgets/base/theme.h"
#include "widgets/study/plotted_point.h"

#include <QPainterPath>
#include <qcustomplot.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {

// The mark of a strategy around the origin: circle, triangle or square.
[[nodiscard]] QPainterPath markOf(StrategySet strategies, double radius);
[[nodiscard]] QColor colourOf(const Theme &theme, StrategySet strategies);

class PruningLayers : public QCPAbstractPlottable {
    Q_OBJECT

public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    Theme theme;
    std::vector<PlottedPoint> points;
    std::vector<PublishedPoint> published;
    QString publishedBy; // and on which device
    PointCost cost = PointCost::Measurements;
    double unitUs = 1; // of the latency axis
    bool showsEqualR = false;
    bool showsEqualS = false;
    bool showsBounds = false;           // r and s at each point; in a window its pointer says them
    std::optional<std::size_t> current; // the point under the pointer or of the keyboard
    std::vector<PruningPoint> selected;

    [[nodiscard]] QPointF pixelOf(std::size_t point) const;
    [[nodiscard]] QPointF pixelOf(const PublishedPoint &point) const;
    [[nodiscard]] bool isSelected(std::size_t point) const;
    // Published points have seconds only.
    [[nodiscard]] bool showsPublished() const { return cost == PointCost::Seconds && !published.empty(); }

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain domain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain domain, const QCPRange &keys) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    [[nodiscard]] double yOf(double latencyUs) const;
    void drawLabel(QCPPainter &painter, QPointF at, const QString &text);
    void drawLines(QCPPainter &painter, EqualBound equal);
    void drawBounds(QCPPainter &painter);
    void drawFront(QCPPainter &painter) const;
    void drawPublished(QCPPainter &painter);
    using Marks = std::map<std::pair<StrategySet, bool>, QPixmap>; // by strategies and single source
    [[nodiscard]] Marks marks(double pixelRatio) const;
    void drawPoint(QCPPainter &painter, const Marks &marks, std::size_t point) const;
    void drawMark(QPainter &painter, QPointF at, const PruningPoint &point) const;

    std::vector<QRectF> m_labels; // drawn so far
};

} // namespace stagecraft
