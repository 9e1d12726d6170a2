#include "pictures/picture_page.h"

#include <QFontMetricsF>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kMargin = 20;
constexpr double kLeastWidth = 480; // of a heading
constexpr double kCellPadding = 12;
constexpr double kCellHeight = 30;
constexpr double kTallCellHeight = 42; // with a second line

QFont titleFont()
{
    QFont font = pictureFont();
    font.setPointSizeF(13);
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont strongFont()
{
    QFont font = pictureFont();
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont smallFont()
{
    QFont font = pictureFont();
    font.setPointSizeF(8);
    return font;
}

double heightOf(const std::vector<PictureCell> &row)
{
    return std::ranges::any_of(row, [](const PictureCell &cell) { return !cell.below.isEmpty(); }) ? kTallCellHeight
                                                                                                   : kCellHeight;
}

std::vector<double> columnWidths(const std::vector<std::vector<PictureCell>> &rows)
{
    const QFontMetricsF strong(strongFont()); // the wider one
    const QFontMetricsF small(smallFont());
    std::vector<double> widths;
    for (const std::vector<PictureCell> &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max({widths[i], strong.horizontalAdvance(row[i].text) + 2 * kCellPadding,
                                  small.horizontalAdvance(row[i].below) + 2 * kCellPadding, row[i].bar ? 220.0 : 0.0});
    }
    return widths;
}

void paintCell(QCPPainter &painter, const PictureCell &cell, const QRectF &rect, const Theme &theme)
{
    if (cell.fill)
        painter.fillRect(rect, *cell.fill);
    if (cell.bar) {
        QColor colour = theme.accent;
        colour.setAlphaF(0.28F);
        const QRectF within = rect.adjusted(0, 5, 0, -5);
        painter.fillRect(QRectF(within.topLeft(), QSizeF(within.width() * *cell.bar, within.height())), colour);
    }
    const QRectF inner = rect.adjusted(kCellPadding, 0, -kCellPadding, 0);
    const bool hasBelow = !cell.below.isEmpty();
    const Qt::Alignment side = cell.isNumber ? Qt::AlignRight : Qt::AlignLeft;
    painter.setFont(cell.isStrong ? strongFont() : pictureFont());
    painter.setPen(theme.text);
    painter.drawText(hasBelow ? inner.adjusted(0, 5, 0, -20) : inner, static_cast<int>(side | Qt::AlignVCenter),
                     cell.text);
    if (!hasBelow)
        return;
    painter.setFont(smallFont());
    painter.setPen(theme.mutedText);
    painter.drawText(inner.adjusted(0, 21, 0, -5), static_cast<int>(side | Qt::AlignVCenter), cell.below);
}

void paintTable(QCPPainter &painter, const std::vector<std::vector<PictureCell>> &rows,
                const std::vector<double> &widths, double width, const Theme &theme)
{
    double y = 0;
    for (const std::vector<PictureCell> &row : rows) {
        const double height = heightOf(row);
        if (&row == &rows.front())
            painter.fillRect(QRectF(0, 0, width, height), theme.panel);
        double x = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            paintCell(painter, row[i], {x, y, widths[i], height}, theme);
            x += widths[i];
        }
        y += height;
        painter.setPen(QPen(theme.border, 1));
        painter.drawLine(QPointF(0, y), QPointF(width, y));
    }
}

} // namespace

QPalette picturePalette(bool dark)
{
    // Widgets read from the palette whether they are dark, and take all colours from the theme then.
    QPalette palette(dark ? QColor(0x1e, 0x24, 0x2c) : QColor(0xf5, 0xf7, 0xf9));
    const Theme theme = themeFor(palette);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::Base, theme.canvas);
    return palette;
}

QFont pictureFont()
{
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPointSizeF(9);
    font.setHintingPreference(QFont::PreferNoHinting); // letters stand the same at every scale
    return font;
}

Picture withHeading(const QString &title, const QString &facts, const Theme &theme, const Picture &body)
{
    const QFontMetricsF titles(titleFont());
    const QFontMetricsF words(pictureFont());
    const double inner = std::max({kLeastWidth, body.size.width(), titles.horizontalAdvance(title)});
    const QRectF titlePlace(kMargin, kMargin - 4, inner, titles.height());
    const double factsHeight =
        words.boundingRect(QRectF(0, 0, inner, 1e4), static_cast<int>(Qt::TextWordWrap), facts).height();
    const QRectF factsPlace(kMargin, titlePlace.bottom() + 3, inner, factsHeight + 2);
    const QPointF place(kMargin, std::ceil(factsPlace.bottom() + 12));
    const QSizeF size(std::ceil(inner + 2 * kMargin), std::ceil(place.y() + body.size.height() + kMargin));
    return {title, size, [=, paint = body.paint](QCPPainter &painter) {
                painter.fillRect(QRectF(QPointF(), size), theme.canvas);
                painter.setFont(titleFont());
                painter.setPen(theme.text);
                painter.drawText(titlePlace, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), title);
                painter.setFont(pictureFont());
                painter.setPen(theme.mutedText);
                painter.drawText(factsPlace, static_cast<int>(Qt::AlignLeft | Qt::TextWordWrap), facts);
                painter.save();
                painter.translate(place);
                paint(painter);
                painter.restore();
            }};
}

Picture tablePicture(const std::vector<std::vector<PictureCell>> &rows, const Theme &theme)
{
    const std::vector<double> widths = columnWidths(rows);
    double width = 0;
    for (const double each : widths)
        width += each;
    double height = 0;
    for (const std::vector<PictureCell> &row : rows)
        height += heightOf(row);
    return {{}, {width, height + 1}, [=](QCPPainter &painter) { paintTable(painter, rows, widths, width, theme); }};
}

} // namespace stagecraft
