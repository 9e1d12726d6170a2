#include "widgets/shelf/shelf_badge.h"

#include "widgets/base/pane_badge.h"
#include "widgets/base/theme.h"

#include <QPainter>

namespace stagecraft {
namespace {

constexpr int kBadgeMargin = 5;
constexpr int kBadgeBarHeight = 3;
constexpr qsizetype kMostInitials = 4;

QFont badgeFont(QFont font)
{
    font.setPointSizeF(font.pointSizeF() * 0.82);
    return font;
}

} // namespace

QString initials(const QString &name)
{
    QString text;
    bool isStart = true;
    for (const QChar each : name) {
        if (each.isDigit() || (isStart && each.isLetter()))
            text += each.toUpper();
        isStart = !each.isLetterOrNumber();
    }
    if (text.isEmpty())
        return name.left(1);
    // The end tells "edited 11" from "edited 12".
    return text.size() <= kMostInitials ? text : text.left(1) + text.right(kMostInitials - 1);
}

QSize shelfBadgeSize(const QFont &font)
{
    return {kFoldedShelfWidth, kBadgeMargin + QFontMetrics(font).height() + 3 + QFontMetrics(badgeFont(font)).height() +
                                   2 + kBadgeBarHeight + kBadgeMargin};
}

void paintShelfBadge(QPainter &painter, const QStyleOptionViewItem &option, const ShelfRow &row)
{
    const Theme theme = themeFor(option.palette);
    const bool isAsAsked = row.reason.isEmpty() && row.state == ResultState::Done;
    const QColor text = isAsAsked ? theme.text : theme.mutedText;
    const QRect inner = option.rect.adjusted(kBadgeMargin, kBadgeMargin, -kBadgeMargin, -kBadgeMargin);
    QFont bold = option.font;
    bold.setBold(true);
    painter.setFont(bold);
    const QString shown = row.letters.isEmpty() ? initials(row.name) : row.letters;
    const int height = painter.fontMetrics().height() + 2;
    const int width = std::min(inner.width(), std::max(height, painter.fontMetrics().horizontalAdvance(shown) + 10));
    const QRect badge(inner.center().x() - width / 2, inner.top(), width, height);
    if (!row.letters.isEmpty()) {
        paintPaneBadge(painter, badge, shown, theme, row.isShown);
    } else {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(row.isShown ? theme.accent : theme.border, 1.2));
        painter.setBrush(theme.panel);
        painter.drawRoundedRect(QRectF(badge).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(text);
        painter.drawText(badge, Qt::AlignCenter, shown);
    }
    painter.setFont(badgeFont(option.font));
    painter.setPen(row.state == ResultState::Failed ? theme.error : text);
    const QString latency = row.latency.isEmpty() ? QStringLiteral("...") : row.latency;
    const QRect line(inner.left() - 3, badge.bottom() + 2, inner.width() + 6, painter.fontMetrics().height());
    painter.drawText(line, Qt::AlignCenter, painter.fontMetrics().elidedText(latency, Qt::ElideRight, line.width()));
    const QRect bar(inner.left(), inner.bottom() - kBadgeBarHeight + 1, inner.width(), kBadgeBarHeight);
    painter.fillRect(bar, theme.grid);
    painter.fillRect(QRect(bar.left(), bar.top(), static_cast<int>(bar.width() * row.share), bar.height()),
                     row.reason.isEmpty() ? theme.provenance(row.provenance) : theme.edge);
}

} // namespace stagecraft
