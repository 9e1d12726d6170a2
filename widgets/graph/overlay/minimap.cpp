#include "widgets/graph/overlay/minimap.h"

#include "widgets/graph/paint/graph_painter.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kMaxWidth = 120;
constexpr double kMaxHeightShare = 0.5;
constexpr double kMinSide = 14;
constexpr double kMinimapPadding = 7;
constexpr double kMargin = 12;
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

std::optional<MinimapPlace> minimapPlace(const GraphViewport &viewport, const QRectF &scene)
{
    if (scene.isEmpty() || viewport.size.width() < kSmallestView.width() ||
        viewport.size.height() < kSmallestView.height())
        return std::nullopt;
    if (viewport.visible().contains(scene))
        return std::nullopt;
    const QSizeF room(kMaxWidth, viewport.size.height() * kMaxHeightShare);
    QSizeF size = scene.size().scaled(room, Qt::KeepAspectRatio);
    size = QSizeF(std::max(size.width(), kMinSide), std::max(size.height(), kMinSide));
    MinimapPlace place;
    place.box = QRectF(0, 0, size.width() + 2 * kMinimapPadding, size.height() + 2 * kMinimapPadding);
    place.box.moveBottomRight({viewport.size.width() - kMargin, viewport.size.height() - kMargin});
    place.content = place.box.adjusted(kMinimapPadding, kMinimapPadding, -kMinimapPadding, -kMinimapPadding);
    place.scene = scene;
    return place;
}

QPixmap minimapPicture(const GraphScene &scene, const QSizeF &size, double devicePixelRatio)
{
    QPixmap picture((size * devicePixelRatio).toSize());
    picture.setDevicePixelRatio(devicePixelRatio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    paintOverview(painter, scene, QRectF(QPointF(0, 0), size));
    return picture;
}

void paintMinimap(QPainter &painter, const MinimapPlace &place, const QPixmap &picture, const GraphViewport &viewport,
                  const Theme &theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor back = theme.canvas;
    back.setAlphaF(0.92F);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(back);
    painter.drawRoundedRect(place.box.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
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
