#include "widgets/graph/paint/small_names.h"

#include "widgets/base/fitted_name.h"
#include "widgets/graph/paint/card_painter.h"
#include "widgets/graph/paint/graph_scene.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr std::size_t kMaxRemembered = 20000;
constexpr std::size_t kMaxTried = 1500; // a frame stays under 16 ms
constexpr int kWidest = 150;            // pixels
constexpr int kNarrowest = 26;          // less says nothing
constexpr double kGap = 4;              // between card and name
constexpr double kHigh = kSmallNamePixels + 2;

bool isMarked(const std::vector<bool> &marks, std::uint32_t node)
{
    return node < marks.size() && marks[node];
}

// What stands out comes first, each part in the order of the drawing.
std::vector<std::uint32_t> byImportance(const GraphScene &scene, const std::vector<std::uint32_t> &nodes)
{
    const Emphasis &emphasis = scene.emphasis;
    const auto rank = [&](std::uint32_t node) {
        if (isMarked(emphasis.selected, node) || emphasis.currentMatch == node || emphasis.hovered == node)
            return 0;
        return isMarked(emphasis.matches, node) || isMarked(emphasis.chosen, node) ? 1 : 2;
    };
    std::vector<std::uint32_t> order;
    for (int wanted = 0; wanted < 3; ++wanted) {
        const bool isHidden = wanted == 2 && (!emphasis.matches.empty() || emphasis.dimOthers);
        for (std::size_t i = 0; i < nodes.size() && !isHidden && order.size() < kMaxTried; ++i) {
            if (rank(nodes[i]) == wanted)
                order.push_back(nodes[i]);
        }
    }
    return order;
}

QFont smallFont(QFont font)
{
    font.setPixelSize(kSmallNamePixels);
    return font;
}

} // namespace

FittedNames::FittedNames(const QFont &font) : m_metrics(smallFont(font)) {}

const QString &FittedNames::at(std::uint32_t node, const QString &name, int width)
{
    const std::uint64_t key = (std::uint64_t{node} << 16U) | static_cast<std::uint16_t>(width);
    const auto known = m_names.constFind(key);
    if (known != m_names.constEnd())
        return *known;
    if (m_names.size() > static_cast<qsizetype>(kMaxRemembered))
        m_names.clear();
    QString fitted = fittedName(name, m_metrics, width);
    const QString last = name.section(QLatin1Char('/'), -1);
    if (!fitted.endsWith(last)) // its end tells more than its start: "conv2_3x3"
        fitted = m_metrics.elidedText(last, Qt::ElideLeft, width);
    return *m_names.insert(key, fitted);
}

void paintNamesBeside(QPainter &painter, const GraphScene &scene, const Viewport &viewport,
                      const std::vector<std::uint32_t> &nodes)
{
    const PreparedGraph &graph = *scene.prepared;
    std::vector<QRectF> taken;
    const auto isFree = [&](const QRectF &place, std::uint32_t node) {
        if (std::ranges::any_of(taken, [&](const QRectF &other) { return other.intersects(place); }))
            return false;
        const std::vector<std::uint32_t> there = graph.nodeIndex.touching(viewport.toScene(place));
        return std::ranges::all_of(there, [&](std::uint32_t other) {
            return other == node || !viewport.toView(graph.drawing.nodes[other].rect).intersects(place);
        });
    };
    painter.save();
    painter.setFont(smallFont(scene.fonts.name));
    painter.setPen(scene.theme.text);
    for (const std::uint32_t node : byImportance(scene, nodes)) {
        if (graph.drawing.nodes[node].kind == DrawingNode::Kind::FoldedBlock)
            continue;
        const QRectF card = viewport.toView(graph.drawing.nodes[node].rect);
        const QString &whole = labelOf(graph, node).name;
        const double wished = std::min(kWidest, scene.smallNames->metrics().horizontalAdvance(whole) + 1);
        for (double width = wished; width >= std::min<double>(kNarrowest, wished);
             width = width > kNarrowest ? std::max<double>(kNarrowest, width * 0.7) : 0) {
            const QRectF place(card.right() + kGap, card.center().y() - kHigh / 2, width, kHigh);
            if (!isFree(place, node))
                continue;
            taken.push_back(place);
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                             scene.smallNames->at(node, whole, static_cast<int>(width)));
            break;
        }
    }
    painter.restore();
}

} // namespace stagecraft
