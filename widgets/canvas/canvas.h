#pragma once

// A scene in a widget, panned and zoomed, with the whole of it in a strip at the right where it does not fit. Views of
// graphs derive from it. Lives on the UI thread.
//
// Mouse: drag pans, wheel scrolls, Ctrl+wheel and pinch zoom about the cursor, a press in the strip goes there. Keys:
// arrows, A and D (pan), page keys, End, W, S, + and - (zoom), F or 0 (fit).

#include "widgets/canvas/drag.h"
#include "widgets/canvas/minimap.h"
#include "widgets/canvas/viewport.h"

#include <QPixmap>
#include <QVariantAnimation>
#include <QWidget>

#include <optional>

namespace stagecraft {

class Canvas : public QWidget {
    Q_OBJECT

public:
    explicit Canvas(QWidget *parent = nullptr);

    [[nodiscard]] double zoom() const { return m_viewport.zoom; }
    [[nodiscard]] bool isMoving() const; // an animation is running

public slots:
    void fitAll();
    void zoomIn() { zoomBy(1.25); }
    void zoomOut() { zoomBy(0.8); }
    void zoomToActualSize();

signals:
    void zoomChanged(double zoom);

protected:
    // What is drawn, in the scene; nullopt: nothing.
    [[nodiscard]] virtual std::optional<QRectF> content() const = 0;
    [[nodiscard]] virtual QMarginsF fitMargins() const = 0;
    virtual void paintContent(QPainter &painter, const QRectF &into) const = 0; // all of it, for the minimap
    virtual void viewportChanged() = 0;
    virtual void pointAt(const QPointF &position) = 0; // no button is down
    virtual void pointAway() = 0;                      // at nothing, or it pans
    virtual void click(const QPointF &position, Qt::KeyboardModifiers modifiers) = 0;

    [[nodiscard]] const Viewport &viewport() const { return m_viewport; }
    [[nodiscard]] const Viewport &destination() const { return m_destination; }  // of the animation, if one runs
    [[nodiscard]] QRectF canvas() const { return {QPointF(), m_viewport.size}; } // what no strip takes
    // Some of the content stays in sight.
    void moveTo(const Viewport &target, bool animated);
    void stop(); // the animation
    void panBy(const QPointF &delta) { moveTo(panned(m_destination, delta), true); }
    // `below`: pixels of height that are not the canvas'. What is at the top left stays there.
    void divide(int below, bool hasMinimap);
    [[nodiscard]] bool isInMinimap(const QPointF &position) const;
    [[nodiscard]] static bool isShortcut(const QKeyEvent &event); // may be one of the window, not of the canvas
    void refreshMinimap() { m_minimap = {}; }                     // the content has changed
    void paintMinimap(QPainter &painter, const Theme &theme);

    bool event(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] std::optional<MinimapPlace> minimapHere() const; // none where all fits, or has no room
    void setViewport(const Viewport &target);
    void zoomBy(double factor);
    void pointOrDrag(const QPointF &position);

    Viewport m_viewport;
    Viewport m_destination;
    Viewport m_start; // of the animation
    QVariantAnimation m_animation;
    Drag m_drag;
    QPointF m_draggedFrom;
    bool m_isMinimapDragged = false;
    bool m_hasMinimap = true;
    QPixmap m_minimap;
    QSizeF m_minimapSize;
};

} // namespace stagecraft
