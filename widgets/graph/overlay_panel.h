#pragma once

// A small rounded panel that floats on a canvas and follows the theme.

#include <QWidget>

namespace stagecraft {

class OverlayPanel : public QWidget {
    Q_OBJECT

public:
    explicit OverlayPanel(QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;
    // What falls on the panel beside its controls does not reach the canvas.
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
};

} // namespace stagecraft
