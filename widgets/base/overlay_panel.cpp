#include "widgets/base/overlay_panel.h"

#include "widgets/base/theme.h"

#include <QMouseEvent>
#include <QPainter>

namespace stagecraft {

OverlayPanel::OverlayPanel(QWidget *parent) : QWidget(parent)
{
    setCursor(Qt::ArrowCursor);
}

void OverlayPanel::paintEvent(QPaintEvent *)
{
    const Theme theme = themeFor(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = theme.panel;
    fill.setAlphaF(0.96F);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

void OverlayPanel::mousePressEvent(QMouseEvent *event)
{
    event->accept();
}

void OverlayPanel::mouseDoubleClickEvent(QMouseEvent *event)
{
    event->accept();
}

void OverlayPanel::wheelEvent(QWheelEvent *event)
{
    event->accept();
}

} // namespace stagecraft
