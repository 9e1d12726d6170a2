#include "desktop/frame/drop_hint.h"

#include "widgets/base/format.h"
#include "widgets/base/theme.h"

#include <QFileInfo>
#include <QPainter>

namespace stagecraft {
namespace {

constexpr int kFromEdge = 6;
constexpr int kPen = 3;
constexpr int kVeil = 215; // of 255: the window shines through a little
constexpr qreal kLarger = 1.4;

} // namespace

DropHint::DropHint(QWidget *parent) : QLabel(parent)
{
    setObjectName(QStringLiteral("dropHint"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    QFont larger = font();
    larger.setPointSizeF(larger.pointSizeF() * kLarger);
    setFont(larger);
    hide();
}

void DropHint::showFor(const QStringList &paths)
{
    setText(paths.size() == 1 ? QStringLiteral("Drop to open %1").arg(QFileInfo(paths.front()).fileName())
                              : QStringLiteral("Drop to open %1").arg(plural(paths.size(), "file")));
    setGeometry(parentWidget()->rect());
    raise();
    show();
}

void DropHint::paintEvent(QPaintEvent *event)
{
    const Theme theme = themeFor(palette());
    QPainter painter(this);
    QColor veil = theme.canvas;
    veil.setAlpha(kVeil);
    painter.fillRect(rect(), veil);
    painter.setPen(QPen(theme.accent, kPen, Qt::DashLine));
    painter.drawRect(rect().adjusted(kFromEdge, kFromEdge, -kFromEdge, -kFromEdge));
    painter.end();
    QLabel::paintEvent(event);
}

} // namespace stagecraft
