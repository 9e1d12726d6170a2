#include "desktop/frame/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace stagecraft {
namespace {

QPixmap drawn(QSvgRenderer &renderer, int size)
{
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    return pixmap;
}

} // namespace

QIcon icon(const QString &name, const QColor &colour)
{
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    // Qt's SVG renderer does not support currentColor.
    const QByteArray source = file.readAll();
    QIcon result;
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Disabled}) {
        QByteArray painted = source;
        painted.replace("currentColor", colour.name().toLatin1());
        QSvgRenderer renderer(painted);
        for (const int size : {16, 20, 24, 32, 48}) {
            QPixmap pixmap = drawn(renderer, size);
            if (mode == QIcon::Disabled) {
                QPixmap faint(pixmap.size());
                faint.fill(Qt::transparent);
                QPainter painter(&faint);
                painter.setOpacity(0.35);
                painter.drawPixmap(0, 0, pixmap);
                painter.end();
                pixmap = faint;
            }
            result.addPixmap(pixmap, mode);
        }
    }
    return result;
}

QIcon applicationIcon()
{
    QSvgRenderer renderer(QStringLiteral(":/icons/stagecraft.svg"));
    QIcon result;
    for (const int size : {16, 24, 32, 48, 64, 128, 256})
        result.addPixmap(drawn(renderer, size));
    return result;
}

} // namespace stagecraft
