#include "widgets/fact_strip.h"

#include "widgets/theme.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kBetween = 18;

}

void FactStrip::setFacts(std::vector<Fact> facts)
{
    m_facts = std::move(facts);
    m_message.clear();
    setToolTip(plainText());
    update();
}

void FactStrip::setMessage(const QString &message)
{
    m_facts.clear();
    m_message = message;
    setToolTip({});
    update();
}

QString FactStrip::plainText() const
{
    if (m_facts.empty())
        return m_message;
    QStringList lines;
    for (const Fact &fact : m_facts)
        lines << QStringLiteral("%1 %2 %3").arg(fact.label, fact.value, fact.after).trimmed();
    return lines.join(QLatin1Char('\n'));
}

QSize FactStrip::sizeHint() const
{
    return {600, fontMetrics().height() + 4};
}

QSize FactStrip::minimumSizeHint() const
{
    return {80, fontMetrics().height() + 4};
}

void FactStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme theme = themeFor(palette());
    if (m_facts.empty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(m_message, Qt::ElideRight, width()));
        return;
    }
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics boldMetrics(bold);
    int x = 0;
    for (const Fact &fact : m_facts) {
        const int label = fact.label.isEmpty() ? 0 : fontMetrics().horizontalAdvance(fact.label) + 5;
        const int value = boldMetrics.horizontalAdvance(fact.value);
        const int after = fact.after.isEmpty() ? 0 : fontMetrics().horizontalAdvance(fact.after) + 5;
        if (x > 0 && x + label + value + after > width())
            break;
        painter.setFont(font());
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(x, 0, label, height()), Qt::AlignVCenter | Qt::AlignLeft, fact.label);
        painter.setFont(bold);
        painter.setPen(theme.text);
        painter.drawText(QRect(x + label, 0, value + 2, height()), Qt::AlignVCenter | Qt::AlignLeft, fact.value);
        painter.setFont(font());
        painter.setPen(fact.afterColour.isValid() ? fact.afterColour : theme.mutedText);
        painter.drawText(QRect(x + label + value, 0, after, height()), Qt::AlignVCenter | Qt::AlignRight, fact.after);
        x += label + std::max(value, boldMetrics.horizontalAdvance(fact.widest)) + after + kBetween;
    }
}

} // namespace stagecraft
