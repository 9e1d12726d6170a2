#include "widgets/search/fact_strip.h"

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
        lines << QStringLiteral("%1 %2").arg(fact.label, fact.value);
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
        const int labelWidth = fontMetrics().horizontalAdvance(fact.label) + 5;
        const int valueWidth =
            std::max(boldMetrics.horizontalAdvance(fact.value), boldMetrics.horizontalAdvance(fact.widest));
        if (x > 0 && x + labelWidth + boldMetrics.horizontalAdvance(fact.value) > width())
            break;
        painter.setFont(font());
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(x, 0, labelWidth, height()), Qt::AlignVCenter | Qt::AlignLeft, fact.label);
        painter.setFont(bold);
        painter.setPen(theme.text);
        painter.drawText(QRect(x + labelWidth, 0, valueWidth + 2, height()), Qt::AlignVCenter | Qt::AlignLeft,
                         fact.value);
        x += labelWidth + valueWidth + kBetween;
    }
}

} // namespace stagecraft
