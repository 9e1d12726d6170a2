#include "widgets/canvas/minimap.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kMaxWidth = 96;
constexpr double kMaxWidthShare = 0.16;
constexpr double kMinSide = 14;
constexpr double kMinimapPadding = 6;
constexpr QSizeF kSmallestView{300, 220};

} // namespace

QPointF MinimapPlace::toScene(const QPointF &view) const
{
    return {scene.left() + (view.x() - content.left()) / content.width() * scene.width(),
            scene.top() + (view.y() - content.top()) / content.height() * scene.height()};
}

QRectF MinimapPlace::toView(const QRectF &sceneRect) const
{
    const double x = content.width() / scene.width();
    const double y = content.height() / scene.height();
    return {content.left() + (sceneRect.left() - scene.left()) * x, content.top() + (sceneRect.top() - scene.top()) * y,
            sceneRect.width() * x, sceneRect.height() * y};
}

double minimapWidth(const QSizeF &view, const QRectF &scene)
{
    if (scene.isEmpty() || view.width() < kSmallestView.width() || view.height() < kSmallestView.height())
        return 0;
    if (scene.width() <= view.width() && scene.height() <= view.height())
        return 0;
    const QSizeF room(std::min(kMaxWidth, view.width() * kMaxWidthShare), view.height() - 2 * kMinimapPadding);
    const double width = scene.size().scaled(room, Qt::KeepAspectRatio).width();
    return std::round(std::max(width, kMinSide) + 2 * kMinimapPadding);
}

MinimapPlace minimapPlace(const QRectF &strip, const QRectF &scene)
{
    const QRectF room = strip.adjusted(kMinimapPadding, kMinimapPadding, -kMinimapPadding, -kMinimapPadding);
    QSizeF size = scene.size().scaled(room.size(), Qt::KeepAspectRatio);
    size = QSizeF(std::max(size.width(), kMinSide), std::max(size.height(), kMinSide));
    return {strip, {{room.center().x() - size.width() / 2, room.top()}, size}, scene};
}

void paintMinimap(QPainter &painter, const MinimapPlace &place, const QPixmap &picture, const Viewport &viewport,
                  const Theme &theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(place.box, theme.panel);
    painter.fillRect(QRectF(place.box.topLeft(), QSizeF(1, place.box.height())), theme.border);
    painter.drawPixmap(place.content.topLeft(), picture);
    QRectF shown = place.toView(viewport.visible()) & place.content.adjusted(-3, -3, 3, 3);
    if (shown.height() < 5) // always large enough to be visible
        shown.adjust(0, (shown.height() - 5) / 2, 0, (5 - shown.height()) / 2);
    QColor wash = theme.accent;
    wash.setAlphaF(0.14F);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(wash);
    painter.drawRoundedRect(shown, 2.5, 2.5);
    painter.restore();
}

} // namespace stagecraft
