#include "desktop/dialogs/export_picture.h"

#include "widgets/graph/overlay/graph_toolbar.h"

#include <QAbstractButton>
#include <QLabel>
#include <QPixmap>
#include <QPointer>
#include <QScrollBar>
#include <qcustomplot.h>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kMostHeight = 20'000; // of a preview

// What is there to be pressed has no place in a picture.
bool isControl(const QWidget &widget)
{
    return qobject_cast<const QAbstractButton *>(&widget) || qobject_cast<const QScrollBar *>(&widget) ||
           qobject_cast<const GraphToolbar *>(&widget);
}

void paintWidget(QCPPainter &painter, QWidget &widget)
{
    if (auto *plot = qobject_cast<QCustomPlot *>(&widget)) {
        const QRect before = plot->viewport();
        plot->toPainter(&painter, plot->width(), plot->height());
        plot->setViewport(before);
        return;
    }
    widget.render(&painter, QPoint(), QRegion(), QWidget::DrawWindowBackground);
    for (QObject *object : widget.children()) {
        auto *child = qobject_cast<QWidget *>(object);
        if (!child || child->isWindow() || !child->isVisibleTo(&widget) || isControl(*child))
            continue;
        painter.save();
        painter.translate(child->pos());
        painter.setClipRect(child->rect(), Qt::IntersectClip);
        paintWidget(painter, *child);
        painter.restore();
    }
}

} // namespace

Picture pictureOfWidget(QWidget *widget, const QString &title)
{
    return {title, widget->size(), [shown = QPointer<QWidget>(widget)](QCPPainter &painter) {
                if (shown)
                    paintWidget(painter, *shown);
            }};
}

PicturePreview::PicturePreview(QWidget *parent) : QScrollArea(parent)
{
    setAccessibleName(QStringLiteral("The picture"));
}

void PicturePreview::showPicture(const Picture &picture)
{
    const int width = this->width() - verticalScrollBar()->sizeHint().width() - 2 * frameWidth();
    const double scale =
        std::min(width / std::max(picture.size.width(), 1.0), kMostHeight / std::max(picture.size.height(), 1.0));
    const double ratio = devicePixelRatioF();
    QPixmap pixmap = QPixmap::fromImage(imageOf(picture, std::min(scale, 1.5) * ratio));
    pixmap.setDevicePixelRatio(ratio);
    auto *label = new QLabel;
    label->setPixmap(pixmap);
    label->resize(label->sizeHint());
    setWidget(label);
}

void PicturePreview::clear()
{
    delete takeWidget();
}

} // namespace stagecraft
