#include "widgets/base/elided_label.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kSlack = 2; // pixels by which a glyph may exceed its advance

}

ElidedLabel::ElidedLabel(const QString &text, QWidget *parent) : QWidget(parent), m_text(text)
{
    setAccessibleName(text);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString &text)
{
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    refreshToolTip();
    updateGeometry();
    update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode)
{
    m_mode = mode;
    update();
}

void ElidedLabel::setShorter(const QStringList &texts)
{
    m_shorter = texts;
    update();
}

QString ElidedLabel::shownText() const
{
    const int room = contentsRect().width();
    QString shown = m_text;
    for (const QString &shorter : m_shorter) {
        if (fontMetrics().horizontalAdvance(shown) <= room)
            break;
        shown = shorter;
    }
    return fontMetrics().elidedText(shown, m_mode, room);
}

void ElidedLabel::setDetail(const QString &detail)
{
    m_detail = detail;
    refreshToolTip();
}

QSize ElidedLabel::withMargins(int textWidth) const
{
    const QMargins margins = contentsMargins();
    return {textWidth + kSlack + margins.left() + margins.right(),
            fontMetrics().height() + kSlack + margins.top() + margins.bottom()};
}

QSize ElidedLabel::sizeHint() const
{
    return withMargins(fontMetrics().horizontalAdvance(m_text));
}

QSize ElidedLabel::minimumSizeHint() const
{
    return withMargins(std::min(fontMetrics().averageCharWidth() * 6, fontMetrics().horizontalAdvance(m_text)));
}

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter, shownText());
}

void ElidedLabel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    refreshToolTip();
}

void ElidedLabel::refreshToolTip()
{
    QStringList lines;
    if (fontMetrics().horizontalAdvance(m_text) > contentsRect().width())
        lines << m_text;
    if (!m_detail.isEmpty())
        lines << m_detail;
    setToolTip(lines.join(QLatin1Char('\n')));
}

} // namespace stagecraft
