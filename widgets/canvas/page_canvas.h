#pragma once

// A page that is laid out for a zoom, and scrolled. Views of schedules derive from it. Lives on the UI thread.
//
// Mouse: wheel scrolls, Ctrl+wheel zooms about the cursor, the middle button pans. Keys: Home, End, +, -, 0 (fit), 1
// (full size).

#include "widgets/base/theme.h"
#include "widgets/canvas/drag.h"

#include <QAbstractScrollArea>

#include <functional>
#include <utility>

class QPainter;

namespace stagecraft {

class PageCanvas : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit PageCanvas(QWidget *parent = nullptr);

    void setHint(const QString &hint);    // in place of an empty page
    [[nodiscard]] QPointF offset() const; // position of the viewport on the page
    void reveal(const QRectF &rect);      // in page coordinates
    [[nodiscard]] double zoom() const { return m_zoom; }
    void setZoom(double zoom);

    // Paints on top of the page; the painter's origin is the page's, `visible` is in page coordinates.
    using Overlay = std::function<void(QPainter &painter, const QRectF &visible)>;
    void setOverlay(Overlay overlay) { m_overlay = std::move(overlay); }

public slots:
    void zoomIn();
    void zoomOut();
    void fitAll();

signals:
    void zoomChanged(double zoom);
    void laidOut();

protected:
    [[nodiscard]] virtual bool isEmpty() const = 0;
    [[nodiscard]] virtual QSizeF sizeAt(double zoom) const = 0; // of the page, if it is not empty
    virtual QSizeF layOut() = 0;                                // for zoom(); an empty page, too
    // The painter's origin is the page's, `visible` is in page coordinates.
    virtual void paintPage(QPainter &painter, const QRectF &visible, const Theme &theme) = 0;
    // Positions are on the viewport.
    virtual void pointAt(QPoint position) = 0;
    virtual void pointAway() = 0;
    virtual void click(QPoint position) = 0;
    [[nodiscard]] virtual QString tipAt(QPoint position) const = 0;

    void relayout();
    void scrollToStart();

    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void zoomAbout(double wanted, QPointF anchor); // keeps the page point under the anchor in place

    QString m_hint;
    Overlay m_overlay;
    double m_zoom = 1;
    QSizeF m_size; // of the page
    Drag m_drag;
    bool m_isPan = false; // the drag
    QPoint m_scrolledFrom;
};

} // namespace stagecraft
