#include "widgets/shelf/shelf_delegate.h"

#include "widgets/base/pane_badge.h"
#include "widgets/base/theme.h"
#include "widgets/shelf/shelf_badge.h"

#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kLeft = 12;
constexpr int kRight = 10;
constexpr int kTop = 5;
constexpr int kLatencyBarHeight = 3;
constexpr int kBeside = 16; // width of the "+"
constexpr int kBadge = 16;
constexpr int kBetweenTexts = 8; // at least, two texts of a line
constexpr int kEnoughForAName = 110;
constexpr int kChevron = 12; // width

QFont smallOf(QFont font)
{
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

// Lines of one row, from top to bottom.
struct Lines {
    QRect first;
    QRect second;
    QRect third;
    QRect bar;
};

bool hasThirdLine(const ShelfRow &row)
{
    return !row.note.isEmpty() || row.isDisturbed;
}

Lines linesOf(const QStyleOptionViewItem &option, const ShelfRow &row)
{
    const int first = QFontMetrics(option.font).height();
    const int small = QFontMetrics(smallOf(option.font)).height();
    const QRect inner = option.rect.adjusted(kLeft, kTop, -kRight, 0);
    Lines lines;
    lines.first = QRect(inner.left(), inner.top(), inner.width(), first);
    lines.second = QRect(inner.left(), lines.first.bottom() + 2, inner.width(), small);
    int below = lines.second.bottom() + 3;
    if (hasThirdLine(row)) {
        lines.third = QRect(inner.left(), below - 1, inner.width(), small + 2);
        below = lines.third.bottom() + 3;
    }
    lines.bar = QRect(inner.left(), below, inner.width(), kLatencyBarHeight);
    return lines;
}

ShelfRow rowOf(const QModelIndex &index)
{
    return index.data(kShelfRowRole).value<ShelfRow>();
}

bool isGroup(const QModelIndex &index)
{
    return !index.data(kShelfRowRole).isValid();
}

QString chipText()
{
    return QStringLiteral("Disturbed: measure again");
}

// The right text takes its space first; the left is elided.
void drawPair(QPainter *painter, const QRect &line, const QString &left, const QColor &leftColour, const QString &right,
              const QColor &rightColour)
{
    const QFontMetrics metrics = painter->fontMetrics();
    const int rightWidth = right.isEmpty() ? 0 : metrics.horizontalAdvance(right);
    painter->setPen(rightColour);
    painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, right);
    painter->setPen(leftColour);
    const int room = line.width() - rightWidth - (rightWidth > 0 ? kBetweenTexts : 0);
    if (room <= 0)
        return;
    painter->drawText(QRect(line.left(), line.top(), room, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(left, Qt::ElideRight, room));
}

void drawCheck(QPainter *painter, const QRect &place, const QColor &colour)
{
    QPainterPath path;
    path.moveTo(place.left(), place.center().y());
    path.lineTo(place.left() + place.width() * 0.38, place.bottom() - 1);
    path.lineTo(place.right(), place.top() + 1);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.6));
    painter->drawPath(path);
}

void drawPin(QPainter *painter, const QRect &place, const QColor &colour)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.4));
    painter->setBrush(colour);
    const QPointF middle(place.center());
    painter->drawEllipse(middle - QPointF(0, 2), 2.6, 2.6);
    painter->drawLine(middle, middle + QPointF(0, 5));
    painter->setBrush(Qt::NoBrush);
}

// A shield.
void drawVerified(QPainter *painter, const QRect &place, const QColor &colour)
{
    const QRectF box(place.left() + 0.5, place.center().y() - 5.5, 9, 11);
    QPainterPath path;
    path.moveTo(box.center().x(), box.top());
    path.lineTo(box.right(), box.top() + 2);
    path.quadTo(QPointF(box.right(), box.bottom() - 2), QPointF(box.center().x(), box.bottom()));
    path.quadTo(QPointF(box.left(), box.bottom() - 2), QPointF(box.left(), box.top() + 2));
    path.closeSubpath();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.3));
    painter->drawPath(path);
    painter->restore();
}

// Points down while the rows of the group are listed, else to the right.
void drawChevron(QPainter *painter, const QRect &place, bool isFolded, const QColor &colour)
{
    const QPointF middle = QRectF(place).center();
    QPainterPath path;
    if (isFolded) {
        path.moveTo(middle + QPointF(-2, -4));
        path.lineTo(middle + QPointF(2, 0));
        path.lineTo(middle + QPointF(-2, 4));
    } else {
        path.moveTo(middle + QPointF(-4, -2));
        path.lineTo(middle + QPointF(0, 2));
        path.lineTo(middle + QPointF(4, -2));
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.6));
    painter->drawPath(path);
    painter->restore();
}

void drawGroup(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index, const Theme &theme)
{
    painter->fillRect(option.rect, theme.panel);
    const QRect inner = option.rect.adjusted(kLeft + kChevron - 4, 4, -kRight, -4);
    const bool isFolded = index.data(kShelfFoldedRole).toBool();
    drawChevron(painter, QRect(kLeft - 6, option.rect.top() + 4, kChevron, inner.height() / 2), isFolded,
                theme.mutedText);
    QFont font = smallOf(option.font);
    painter->setFont(font);
    painter->setPen(theme.mutedText);
    painter->drawText(
        inner, Qt::AlignBottom | Qt::AlignLeft,
        painter->fontMetrics().elidedText(index.data(kShelfDeviceRole).toString(), Qt::ElideRight, inner.width()));
    font.setBold(true);
    painter->setFont(font);
    painter->setPen(index.data(kShelfFitsRole).toBool() ? theme.text : theme.mutedText);
    painter->drawText(inner, Qt::AlignTop | Qt::AlignLeft,
                      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, inner.width()));
    painter->setPen(theme.border);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    if (option.state & QStyle::State_HasFocus) {
        painter->setPen(QPen(theme.accent, 1));
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
}

} // namespace

QSize ShelfDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const int small = QFontMetrics(smallOf(option.font)).height();
    if (m_isFolded)
        return isGroup(index) ? QSize(kFoldedShelfWidth, 9) : shelfBadgeSize(option.font);
    if (isGroup(index))
        return {120, 2 * small + 10};
    QStyleOptionViewItem at = option;
    at.rect = QRect(0, 0, 120, 0);
    return {120, linesOf(at, rowOf(index)).bar.bottom() + 6};
}

QRect ShelfDelegate::chipRect(const ShelfRow &row, const QStyleOptionViewItem &option)
{
    if (!row.isDisturbed)
        return {};
    const QRect line = linesOf(option, row).third;
    const int width = QFontMetrics(smallOf(option.font)).horizontalAdvance(chipText()) + 14;
    return {line.left(), line.top(), qMin(width, line.width()), line.height()};
}

QRect ShelfDelegate::besideRect(const ShelfRow &row, const QStyleOptionViewItem &option)
{
    if (row.state != ResultState::Done)
        return {};
    const QRect line = linesOf(option, row).first;
    return {line.right() - kBeside + 1, line.center().y() - kBeside / 2, kBeside, kBeside};
}

void ShelfDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const Theme theme = themeFor(option.palette);
    painter->save();
    if (isGroup(index) && m_isFolded) {
        painter->fillRect(option.rect, theme.panel);
        painter->setPen(theme.border);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        painter->restore();
        return;
    }
    if (isGroup(index)) {
        drawGroup(painter, option, index, theme);
        painter->restore();
        return;
    }
    const ShelfRow row = rowOf(index);
    const bool selected = option.state & QStyle::State_Selected;
    if (selected) {
        QColor tint = theme.accent;
        tint.setAlphaF(theme.dark ? 0.28F : 0.14F);
        painter->fillRect(option.rect, tint);
    }
    if (row.isShown)
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), 4, option.rect.height()), theme.accent);
    if (m_isFolded) {
        paintShelfBadge(*painter, option, row);
        painter->restore();
        return;
    }
    const bool fits = row.reason.isEmpty();
    const bool isAsAsked = fits && row.state == ResultState::Done;
    const QColor strong = isAsAsked ? theme.text : theme.mutedText;
    const Lines lines = linesOf(option, row);
    QFont bold = option.font;
    bold.setBold(row.isShown);
    painter->setFont(bold);
    QRect first = lines.first;
    if (row.isPinned) {
        drawPin(painter, QRect(first.left(), first.top(), 8, first.height()), strong);
        first.setLeft(first.left() + 13);
    }
    for (const QString &letter : row.letters.split(QStringLiteral(", "), Qt::SkipEmptyParts)) {
        paintPaneBadge(*painter, QRect(first.left(), first.center().y() - kBadge / 2, kBadge, kBadge), letter, theme,
                       row.isShown);
        first.setLeft(first.left() + kBadge + 4);
    }
    if (row.isVerified) {
        drawVerified(painter, QRect(first.left(), first.top(), 9, first.height()), theme.mutedText);
        first.setLeft(first.left() + 14);
    }
    if (const QRect beside = besideRect(row, option); !beside.isEmpty()) {
        const QPoint middle = beside.center();
        painter->setPen(QPen(theme.mutedText, 1.5));
        painter->drawLine(middle - QPoint(4, 0), middle + QPoint(4, 0));
        painter->drawLine(middle - QPoint(0, 4), middle + QPoint(0, 4));
    }
    first.setRight(first.right() - kBeside - 3);
    // The name tells rows apart: where a latency beside it would leave too little of it, that goes to the line below.
    const QFontMetrics metrics = painter->fontMetrics();
    const int room = first.width() - metrics.horizontalAdvance(row.latency) - kBetweenTexts;
    const bool areBeside = room >= std::min(metrics.horizontalAdvance(row.name), kEnoughForAName);
    drawPair(painter, first, row.name, strong, areBeside ? row.latency : QString(), strong);

    painter->setFont(smallOf(option.font));
    QRect second = lines.second;
    const QColor proofColour = fits ? theme.provenance(Provenance::Measured) : theme.mutedText;
    if (row.proof == Proof::Proved) {
        const int size = second.height() * 2 / 3;
        drawCheck(painter, QRect(second.right() - size, second.top() + (second.height() - size) / 2, size, size),
                  proofColour);
        second.setRight(second.right() - size - 6);
    }
    QStringList right;
    if (!areBeside)
        right << row.latency;
    for (const QString &part : {row.interval, row.isBaseline ? QStringLiteral("baseline") : row.speedup, row.gap}) {
        if (!part.isEmpty())
            right << part;
    }
    // Why a row does not fit comes first: rows keep their height when the tool bar changes.
    const QString detail = fits ? row.detail : row.reason + QStringLiteral(" · ") + row.detail;
    drawPair(painter, second, detail, theme.mutedText, right.join(QStringLiteral(" · ")),
             row.gap.isEmpty() || !fits ? theme.mutedText : theme.warning);

    if (hasThirdLine(row)) {
        QRect third = lines.third;
        if (row.isDisturbed) {
            const QRect chip = chipRect(row, option);
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(theme.warning);
            painter->drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), chip.height() / 2.0,
                                     chip.height() / 2.0);
            painter->drawText(chip.adjusted(7, 0, -7, 0), Qt::AlignVCenter | Qt::AlignLeft,
                              painter->fontMetrics().elidedText(chipText(), Qt::ElideRight, chip.width() - 14));
            third.setLeft(chip.right() + 8);
        }
        painter->setPen(row.state == ResultState::Failed ? theme.error : theme.mutedText);
        if (third.width() > 0)
            painter->drawText(third, Qt::AlignVCenter | Qt::AlignLeft,
                              painter->fontMetrics().elidedText(row.note, Qt::ElideRight, third.width()));
    }
    painter->fillRect(lines.bar, theme.grid);
    if (row.share > 0)
        painter->fillRect(QRect(lines.bar.left(), lines.bar.top(), static_cast<int>(lines.bar.width() * row.share),
                                lines.bar.height()),
                          fits ? theme.provenance(row.provenance) : theme.edge);
    if (option.state & QStyle::State_HasFocus) {
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setPen(QPen(theme.accent, 1));
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

QWidget *ShelfDelegate::createEditor(QWidget *parent, const QStyleOptionViewItem &, const QModelIndex &index) const
{
    if (isGroup(index))
        return nullptr;
    auto *editor = new QLineEdit(parent);
    editor->setAccessibleName(QStringLiteral("Name of the result"));
    return editor;
}

void ShelfDelegate::setEditorData(QWidget *editor, const QModelIndex &index) const
{
    auto *line = static_cast<QLineEdit *>(editor);
    if (line->isModified()) // keeps what is being typed when the row gets new values
        return;
    line->setText(rowOf(index).name);
    line->selectAll();
}

void ShelfDelegate::setModelData(QWidget *editor, QAbstractItemModel *, const QModelIndex &index) const
{
    emit renamed(rowOf(index).id, static_cast<QLineEdit *>(editor)->text());
}

void ShelfDelegate::updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option, const QModelIndex &) const
{
    editor->setGeometry(option.rect.left() + 4, option.rect.top() + 1, option.rect.width() - 8,
                        editor->sizeHint().height());
}

} // namespace stagecraft
