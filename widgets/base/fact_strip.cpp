#include "widgets/base/fact_strip.h"

#include "widgets/base/theme.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kBetween = 18;

} // namespace

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
    for (const Fact &fact : m_facts) {
        lines << QStringLiteral("%1 %2 %3").arg(fact.label, fact.value, fact.after).trimmed();
        if (!fact.tip.isEmpty())
            lines << fact.tip;
    }
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

int FactStrip::widthOfFirst() const
{
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const auto places = widths(QFontMetrics(bold));
    return places.empty() ? 0 : places.front().label + places.front().value + places.front().after + 4;
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
    const std::vector<Widths> places = widths(QFontMetrics(bold));
    const QString rest = QStringLiteral("\u2026");
    int x = 0;
    for (std::size_t i = 0; i < m_facts.size(); ++i) {
        const Fact &fact = m_facts[i];
        const auto &[label, value, after, reserved] = places[i];
        if (x > 0 && x + label + value + after > width()) {
            painter.setFont(font());
            painter.setPen(theme.mutedText);
            painter.drawText(QRect(x - kBetween + 4, 0, kBetween, height()), Qt::AlignVCenter | Qt::AlignLeft, rest);
            break;
        }
        painter.setFont(font());
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(x, 0, label, height()), Qt::AlignVCenter | Qt::AlignLeft, fact.label);
        painter.setFont(bold);
        painter.setPen(theme.text);
        painter.drawText(QRect(x + label, 0, value + 2, height()), Qt::AlignVCenter | Qt::AlignLeft, fact.value);
        painter.setFont(font());
        painter.setPen(fact.provenance ? theme.provenance(*fact.provenance)
                       : fact.line     ? theme.line(*fact.line)
                                       : theme.mutedText);
        painter.drawText(QRect(x + label + value, 0, after, height()), Qt::AlignVCenter | Qt::AlignRight, fact.after);
        x += label + reserved + after + kBetween;
    }
}

// Without the extra words if all of them do not fit.
std::vector<FactStrip::Widths> FactStrip::widths(const QFontMetrics &bold) const
{
    std::vector<Widths> widths;
    int all = -kBetween;
    for (const Fact &fact : m_facts) {
        const int value = bold.horizontalAdvance(fact.value);
        widths.push_back({fact.label.isEmpty() ? 0 : fontMetrics().horizontalAdvance(fact.label) + 5, value,
                          fact.after.isEmpty() ? 0 : fontMetrics().horizontalAdvance(fact.after) + 5,
                          std::max(value, bold.horizontalAdvance(fact.widest))});
        all += widths.back().label + widths.back().reserved + widths.back().after + kBetween;
    }
    for (std::size_t i = 0; all > width() && i < widths.size(); ++i) {
        if (m_facts[i].isAfterExtra)
            widths[i].after = 0;
    }
    return widths;
}

} // namespace stagecraft
