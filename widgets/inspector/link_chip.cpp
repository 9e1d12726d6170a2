#include "widgets/inspector/link_chip.h"

#include "widgets/base/theme.h"

#include <QEvent>
#include <QPainter>

namespace stagecraft {
namespace {

constexpr int kPadding = 8;
constexpr int kSwatch = 9;
constexpr int kSwatchGap = 6;

} // namespace

LinkChip::LinkChip(const InspectorLink &link, QWidget *parent) : QAbstractButton(parent), m_link(link)
{
    setText(link.text);
    setAccessibleName(link.text);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); // long names are cut, not wider than the page
    setAttribute(Qt::WA_Hover);
    connect(this, &QAbstractButton::clicked, this, [this] {
        if (m_link.asksWhy)
            emit whyPressed();
        else if (m_link.toTry)
            emit tryPressed(*m_link.toTry);
        else
            emit chosen(m_link.target);
    });
}

QSize LinkChip::sizeHint() const
{
    const int swatch = m_link.stage ? kSwatch + kSwatchGap : 0;
    return {fontMetrics().horizontalAdvance(text()) + 2 * kPadding + swatch + 2, fontMetrics().height() + 7};
}

QSize LinkChip::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), 60), sizeHint().height()};
}

void LinkChip::paintEvent(QPaintEvent *)
{
    const Theme theme = themeFor(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool raised = underMouse() || hasFocus();
    QColor fill = theme.canvas;
    if (raised) {
        fill = theme.accent;
        fill.setAlphaF(0.14F);
    }
    painter.setPen(QPen(raised ? theme.accent : theme.border, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    QRect area = rect().adjusted(kPadding, 0, -kPadding, 0);
    if (m_link.stage) {
        painter.setPen(QPen(theme.stageOutline(*m_link.stage), 1));
        painter.setBrush(theme.stageFill(*m_link.stage));
        painter.drawRoundedRect(QRectF(area.left(), (height() - kSwatch) / 2.0, kSwatch, kSwatch), 2.5, 2.5);
        area.adjust(kSwatch + kSwatchGap, 0, 0, 0);
    }
    painter.setPen(theme.text);
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(text(), Qt::ElideMiddle, area.width() + 1));
}

void LinkChip::resizeEvent(QResizeEvent *event)
{
    QAbstractButton::resizeEvent(event);
    setToolTip(sizeHint().width() > width() ? text() : QString());
}

} // namespace stagecraft
