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
    // Clicks on the panel outside its controls do not reach the canvas.
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
};

} // namespace stagecraft
