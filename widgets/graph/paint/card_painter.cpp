#include "widgets/graph/paint/card_painter.h"

#include "widgets/base/format.h"
#include "widgets/base/model_marks.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kColourZoom = 0.12;
constexpr double kBadgeZoom = 0.55; // from it the text of a card is as large as the window's
constexpr double kBothZoom = 0.33;  // name and badge fit below each other
constexpr double kTypeZoom = 0.68;
constexpr double kRadius = 7;
constexpr double kHatch = 8; // pixels between the lines of an operator that is gone
constexpr double kBadgeHeight = 17;
constexpr double kLine = 16;
constexpr double kModelMark = 5; // pixels, at least

struct Inks {
    QColor fill;
    QColor outline;
    QColor text;
    QColor muted;
    double outlineWidth = 1;
    Qt::PenStyle outlineStyle = Qt::SolidLine;
};

bool isSet(const std::vector<bool> &marks, std::uint32_t node)
{
    return node < marks.size() && marks[node];
}

Inks inksOf(const GraphScene &scene, std::uint32_t node)
{
    const Theme &theme = scene.theme;
    const Emphasis &emphasis = scene.emphasis;
    const NodeStyle &style = scene.styles[node];
    Inks inks;
    inks.fill = style.fill;
    const bool plain = style.fill == theme.panel;
    inks.text = plain ? theme.text : theme.onFill(style.fill);
    inks.outline = plain ? theme.border : mixed(style.fill, theme.dark ? Qt::white : Qt::black, 0.28);
    if (style.merged) {
        inks.outline = theme.mergeMark;
        inks.outlineWidth = 2;
    }
    if (style.mark != OperatorMark::None) {
        inks.text = theme.text;
        inks.outline = markOutline(theme, style.mark);
        inks.outlineWidth = 2;
    }
    if (style.opaque) {
        inks.outline = theme.warning;
        inks.outlineWidth = 2;
        inks.outlineStyle = Qt::DashLine;
    }
    const bool selected = isSet(emphasis.selected, node);
    const bool steppedBack = (emphasis.dimOthers && !selected && !isSet(emphasis.chosen, node)) ||
                             (!emphasis.matches.empty() && !isSet(emphasis.matches, node) && !selected);
    if (steppedBack) {
        inks.fill = mixed(inks.fill, theme.canvas, 0.72);
        inks.text = mixed(inks.text, theme.canvas, plain ? 0.5 : 0.0);
        if (!plain)
            inks.text = mixed(theme.mutedText, theme.canvas, 0.25);
        inks.outline = mixed(inks.outline, theme.canvas, 0.6);
    }
    inks.muted = mixed(inks.text, inks.fill, 0.22);
    return inks;
}

// Outside the card, so that fill and text are unchanged.
void paintRing(QPainter &painter, const GraphScene &scene, std::uint32_t node, const QRectF &rect, double zoom)
{
    const Theme &theme = scene.theme;
    const Emphasis &emphasis = scene.emphasis;
    QColor colour;
    double width = 0;
    if (isSet(emphasis.selected, node)) {
        colour = theme.accent;
        width = 3;
    } else if (emphasis.currentMatch == node) {
        colour = theme.warning;
        width = 3;
    } else if (isSet(emphasis.matches, node)) {
        colour = theme.warning;
        width = 1.5;
    } else if (isSet(emphasis.chosen, node)) {
        colour = theme.accent;
        width = 2;
    } else if (isSet(emphasis.related, node) || emphasis.hovered == node) {
        colour = theme.accent;
        width = 1.5;
    } else {
        return;
    }
    width = std::max(width, 0.7 * width / zoom); // visible when zoomed out
    const double away = width / 2 + 1;
    painter.setPen(QPen(colour, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(-away, -away, away, away), kRadius + away, kRadius + away);
}

void paintBadge(QPainter &painter, const GraphScene &scene, const NodeStyle &style, const QRectF &box, const Inks &inks,
                const QFont &font)
{
    if (style.badge.isEmpty())
        return;
    const QColor fill = style.merged ? scene.theme.mergeMark : mixed(inks.fill, inks.text, 0.82);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
    painter.setFont(font);
    painter.setPen(style.merged ? scene.theme.onFill(fill) : inks.fill);
    painter.drawText(box, Qt::AlignCenter, style.badge);
}

void paintFull(QPainter &painter, const GraphScene &scene, std::uint32_t node, const QRectF &rect, const Inks &inks)
{
    const CardLabel &label = labelOf(*scene.prepared, node);
    const NodeStyle &style = scene.styles[node];
    const QRectF inner = rect.adjusted(kCardPadding, 6, -kCardPadding, -6);
    const auto line = [&](int row) { return QRectF(inner.left(), inner.top() + row * kLine, inner.width(), kLine); };
    painter.setFont(scene.fonts.type);
    painter.setPen(inks.text);
    painter.drawText(line(0), Qt::AlignLeft | Qt::AlignVCenter, label.type);
    painter.setFont(scene.fonts.name);
    painter.setPen(inks.muted);
    painter.drawText(line(1), Qt::AlignLeft | Qt::AlignVCenter, label.name);
    if (style.value.isEmpty()) {
        painter.drawText(line(2), Qt::AlignLeft | Qt::AlignVCenter, label.detail);
    } else { // the window goes first, the shape second where there is no room for both
        painter.setFont(scene.fonts.badge);
        painter.setPen(inks.text);
        const double valueWidth = QFontMetricsF(scene.fonts.badge).horizontalAdvance(style.value) + 6;
        painter.drawText(line(2), Qt::AlignRight | Qt::AlignVCenter, style.value);
        painter.setFont(scene.fonts.name);
        painter.setPen(inks.muted);
        painter.drawText(
            line(2).adjusted(0, 0, -valueWidth, 0), Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(scene.fonts.name).elidedText(label.detail, Qt::ElideRight, inner.width() - valueWidth));
    }
    const double width = style.badge.size() > 3 ? kBadgeWidth + 4 : style.badge.size() > 1 ? 28 : 20;
    paintBadge(painter, scene, style, {rect.right() - 6 - width, rect.top() + 6, width, kBadgeHeight}, inks,
               scene.fonts.badge);
}

void paintType(QPainter &painter, const GraphScene &scene, std::uint32_t node, const QRectF &rect, const Inks &inks)
{
    const CardLabel &label = labelOf(*scene.prepared, node);
    const NodeStyle &style = scene.styles[node];
    const QRectF inner = rect.adjusted(kCardPadding, 4, -kCardPadding, -5);
    const QRectF upper(inner.left(), inner.top(), inner.width(), 27);
    const QRectF lower(inner.left(), upper.bottom(), inner.width(), inner.bottom() - upper.bottom());
    painter.setFont(scene.fonts.large);
    painter.setPen(inks.text);
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, label.shortType);
    QFont font = scene.fonts.large;
    font.setPixelSize(17);
    const double width = style.badge.isEmpty()    ? 0
                         : style.badge.size() > 2 ? kLargeBadgeWidth + 10
                         : style.badge.size() > 1 ? 40.0
                                                  : 28.0;
    paintBadge(painter, scene, style, {lower.right() - width, lower.top() + 1, width, lower.height() - 1}, inks, font);
    painter.setFont(scene.fonts.largeName);
    painter.setPen(inks.muted);
    // The number that is looked for, else the end of the name: it tells operators of one type apart.
    const QRectF rest = lower.adjusted(0, 0, -width - 4, 0);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, style.value.isEmpty() ? label.shortName : style.value);
}

QFont inPixels(QFont font, double pixels, double zoom) // whatever the zoom
{
    font.setPixelSize(static_cast<int>(std::lround(pixels / zoom)));
    return font;
}

void paintTerminal(QPainter &painter, const GraphScene &scene, std::uint32_t node, CardDetail detail)
{
    const QRectF rect = scene.prepared->drawing.nodes[node].rect;
    const Inks inks = inksOf(scene, node);
    painter.setPen(QPen(inks.outline == scene.theme.border ? scene.theme.edge : inks.outline, 1.2));
    painter.setBrush(scene.theme.canvas);
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    const double zoom = painter.worldTransform().m11();
    if (detail < CardDetail::Badge || zoom < kNameOnCardZoom)
        return;
    const CardLabel &label = labelOf(*scene.prepared, node);
    const QRectF inner = rect.adjusted(8, 4, -8, -4);
    painter.setPen(inks.text);
    if (detail == CardDetail::Badge) {
        painter.setFont(inPixels(scene.fonts.name, kSmallNamePixels, zoom));
        painter.drawText(rect, Qt::AlignCenter | Qt::TextDontClip, label.shortType);
        return;
    }
    painter.setFont(detail == CardDetail::Full ? scene.fonts.name : scene.fonts.large);
    if (detail == CardDetail::Type) {
        painter.drawText(inner, Qt::AlignCenter, label.shortType);
        return;
    }
    painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2), Qt::AlignCenter, label.name);
    painter.setPen(inks.muted);
    painter.drawText(QRectF(inner.left(), inner.center().y(), inner.width(), inner.height() / 2), Qt::AlignCenter,
                     label.detail);
}

void paintFolded(QPainter &painter, const GraphScene &scene, std::uint32_t node, CardDetail detail)
{
    const DrawingNode &at = scene.prepared->drawing.nodes[node];
    const Inks inks = inksOf(scene, node);
    const QRectF rect = at.rect;
    const NodeStyle &style = scene.styles[node];
    for (const double lift : {6.0, 3.0, 0.0}) { // a stack of cards
        painter.setPen(QPen(scene.theme.border, 1));
        painter.setBrush(lift > 0 ? scene.theme.panel : inks.fill);
        painter.drawRoundedRect(rect.translated(0, -lift).adjusted(lift, 0, -lift, 0), kRadius, kRadius);
    }
    const QRectF inner = rect.adjusted(kCardPadding, 6, -kCardPadding, -8);
    if (detail >= CardDetail::Type) {
        painter.setFont(scene.fonts.title);
        painter.setPen(inks.text);
        painter.drawText(inner, Qt::AlignLeft | Qt::AlignTop,
                         QString(QChar(0x25b8)) + QLatin1Char(' ') + scene.prepared->labels.blockTitles[at.block]);
    }
    if (const double zoom = painter.worldTransform().m11(); detail == CardDetail::Badge && zoom >= kNameOnCardZoom) {
        painter.setFont(inPixels(scene.fonts.name, kSmallNamePixels, zoom));
        painter.setPen(inks.text);
        painter.drawText(rect, Qt::AlignHCenter | Qt::AlignTop | Qt::TextDontClip, blockTitle(at.block));
    }
    if (!style.value.isEmpty()) {
        if (detail >= CardDetail::Type) {
            painter.setFont(scene.fonts.badge);
            painter.drawText(inner, Qt::AlignRight | Qt::AlignBottom, style.value);
        }
        return;
    }
    const auto &stages = scene.blockStages[at.block];
    const double width = stages.empty() ? 0 : inner.width() / static_cast<double>(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const QRectF chip(inner.left() + static_cast<double>(i) * width, rect.bottom() - 18,
                          std::max(width - 2, width / 2), 9);
        painter.fillRect(chip, scene.theme.stageFill(stages[i]));
    }
}

// Of one model of several: within the left edge of the card.
void paintModel(QPainter &painter, const GraphScene &scene, std::uint32_t node, const QRectF &rect, double zoom)
{
    const auto &model = scene.styles[node].model;
    const Emphasis &emphasis = scene.emphasis;
    if (!model || (emphasis.dimOthers && !isSet(emphasis.selected, node) && !isSet(emphasis.chosen, node)))
        return;
    const double width = std::min(std::max(kModelMark, kModelMark / zoom), rect.width() / 4);
    const double away = zoom > kBadgeZoom ? kRadius / 2 : 1.5;
    paintModelMark(painter, {rect.left() + 1.5, rect.top() + away, width, rect.height() - 2 * away}, *model,
                   scene.theme, std::max(1.0, 1 / zoom));
}

// The number that is looked for, else name and badge, or the name alone.
void paintSmall(QPainter &painter, const GraphScene &scene, std::uint32_t node, const QRectF &rect, const Inks &inks,
                double zoom)
{
    const NodeStyle &style = scene.styles[node];
    const QRectF inner = rect.adjusted(2 / zoom, 0, -2 / zoom, 0);
    const bool areBoth = zoom >= kBothZoom && (!style.badge.isEmpty() || !style.value.isEmpty());
    painter.setPen(inks.text);
    if (!style.value.isEmpty() && !areBoth) {
        painter.setFont(inPixels(scene.fonts.badge, kSmallNamePixels - 1, zoom));
        painter.drawText(inner, Qt::AlignCenter, style.value);
        return;
    }
    const QString &name =
        scene.smallNames->at(node, labelOf(*scene.prepared, node).name, static_cast<int>(inner.width() * zoom));
    painter.setFont(inPixels(scene.fonts.name, kSmallNamePixels, zoom));
    const double line = (kSmallNamePixels + 1) / zoom;
    if (!areBoth) {
        painter.drawText(inner, Qt::AlignCenter | Qt::TextDontClip, name);
        return;
    }
    painter.drawText(QRectF(inner.left(), rect.top(), inner.width(), line), Qt::AlignCenter | Qt::TextDontClip, name);
    const QRectF lower(inner.left(), rect.top() + line, inner.width(), rect.height() - line);
    if (!style.value.isEmpty()) {
        painter.setFont(inPixels(scene.fonts.badge, kSmallNamePixels - 1, zoom));
        painter.drawText(lower, Qt::AlignCenter | Qt::TextDontClip, style.value);
        return;
    }
    const double height = std::min(lower.height() - 2 / zoom, 12 / zoom);
    const double width = height * (0.9 + 0.55 * static_cast<double>(style.badge.size()));
    paintBadge(painter, scene, style,
               {lower.center().x() - width / 2, lower.center().y() - height / 2 - 1, width, height}, inks,
               inPixels(scene.fonts.badge, 9, zoom));
}

} // namespace

const CardLabel &labelOf(const PreparedGraph &graph, std::uint32_t node)
{
    const DrawingNode &at = graph.drawing.nodes[node];
    if (at.kind == DrawingNode::Kind::Operator)
        return graph.labels.operators[at.op.index()];
    // Inputs come first and outputs last, in the graph's order.
    return at.kind == DrawingNode::Kind::Input
               ? graph.labels.inputs[node]
               : graph.labels.outputs[node - (graph.drawing.nodes.size() - graph.labels.outputs.size())];
}

CardDetail cardDetail(double zoom)
{
    if (zoom < kColourZoom)
        return CardDetail::Colour;
    if (zoom < kBadgeZoom)
        return CardDetail::Badge;
    return zoom < kTypeZoom ? CardDetail::Type : CardDetail::Full;
}

void paintCard(QPainter &painter, const GraphScene &scene, std::uint32_t node, CardDetail detail)
{
    const DrawingNode &at = scene.prepared->drawing.nodes[node];
    const double zoom = painter.worldTransform().m11();
    if (at.kind == DrawingNode::Kind::Input || at.kind == DrawingNode::Kind::Output) {
        paintTerminal(painter, scene, node, detail);
    } else if (at.kind == DrawingNode::Kind::FoldedBlock) {
        paintFolded(painter, scene, node, detail);
        paintModel(painter, scene, node, at.rect, zoom);
    } else {
        const Inks inks = inksOf(scene, node);
        painter.setPen(QPen(inks.outline, inks.outlineWidth, inks.outlineStyle));
        painter.setBrush(inks.fill);
        painter.drawRoundedRect(at.rect, kRadius, kRadius);
        if (scene.styles[node].mark == OperatorMark::Gone && detail != CardDetail::Colour)
            paintHatch(painter, at.rect.adjusted(2, 2, -2, -2), inks.outline, std::max(kHatch, kHatch / zoom));
        paintModel(painter, scene, node, at.rect, zoom);
        if (detail == CardDetail::Full) {
            paintFull(painter, scene, node, at.rect, inks);
        } else if (detail == CardDetail::Type) {
            paintType(painter, scene, node, at.rect, inks);
        } else if (detail == CardDetail::Badge && zoom >= kNameOnCardZoom) {
            paintSmall(painter, scene, node, at.rect, inks, zoom);
        }
    }
    paintRing(painter, scene, node, at.rect, zoom);
}

} // namespace stagecraft
