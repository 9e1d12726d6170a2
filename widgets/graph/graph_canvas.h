#pragma once

// The drawing of a graph on a canvas: paints its content, and knows what is under the pointer. Lives on the UI thread.
//
// Mouse: as of a canvas; a double click zooms to the operator, or about the pointer. Hovering shows the facts.

#include "graph/graph.h"
#include "widgets/canvas/canvas.h"

#include <QTimer>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace stagecraft {

struct GraphContent;
struct GraphHit;

class GraphCanvas : public Canvas {
    Q_OBJECT

public:
    explicit GraphCanvas(QWidget *parent = nullptr);
    ~GraphCanvas() override;

public slots:
    void zoomToSelection();

protected:
    [[nodiscard]] bool isPlain() const { return m_isPlain; } // without tools, so that margins are small
    void setPlain(bool plain) { m_isPlain = plain; }
    [[nodiscard]] virtual int coveredTop() const = 0; // pixels that are not in sight

    // Where the view goes; they need a layout.
    void showStart(); // the whole graph if cards stay readable, else its top
    void showAround(std::span<const OperatorId> operators, bool animated); // the whole graph if cards show their names
    void reveal(const QRectF &sceneRect);                                  // empty: nothing
    void revealReadably(OperatorId op);
    void fitVisible(); // what is not hidden

    [[nodiscard]] GraphContent &shown() { return *m_content; }
    [[nodiscard]] const GraphContent &shown() const { return *m_content; }
    [[nodiscard]] GraphHit hitAt(const QPointF &position) const;
    [[nodiscard]] bool isOperator(const GraphHit &hit) const;
    [[nodiscard]] bool isBlock(const GraphHit &hit) const; // its title, or folded
    void setBusy(bool isBusy);                             // says so, unless it is for a moment

    [[nodiscard]] std::optional<QRectF> content() const override;
    [[nodiscard]] QMarginsF fitMargins() const override;
    void paintContent(QPainter &painter, const QRectF &into) const override;
    void viewportChanged() override { m_isHoverShown = false; }
    void pointAt(const QPointF &position) override;
    void pointAway() override { setHovered(std::nullopt); }
    void paintEvent(QPaintEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;

private:
    [[nodiscard]] QMarginsF revealMargins() const;
    void setHovered(std::optional<std::uint32_t> node);
    void paintBusy(QPainter &painter) const;

    std::unique_ptr<GraphContent> m_content;
    QTimer m_hoverTimer;
    QTimer m_busyTimer;
    bool m_isPlain = false;
    bool m_isHoverShown = false;
    bool m_isBusyShown = false;
};

} // namespace stagecraft
