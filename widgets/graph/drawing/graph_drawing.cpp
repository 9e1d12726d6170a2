#include "widgets/graph/drawing/graph_drawing.h"

#include "widgets/graph/drawing/dot_drawing.h"
#include "widgets/graph/drawing/drawing_parts.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft {
namespace {

// dot takes superlinear time: parts above this size, and all parts of a graph above the other bound, are laid out by
// rows.
constexpr std::size_t kMaxDotPart = 300;
constexpr std::size_t kMaxDotGraph = 4000;

constexpr double kPlainRank = 10;
constexpr double kPlainGap = 14;
constexpr double kLeeway = 40; // how far a part's centre may lie from that of the column
constexpr double kLeewayPerWidth = 0.06;
constexpr double kFramePadding = 16;
constexpr double kFrameTop = 14;      // the title sits on the frame's upper border
constexpr double kBlockGap = 58;      // between the ports of neighbouring blocks
constexpr double kGapPerShift = 0.08; // extra space for connections that go far sideways

// Lays out the parts one by one and stacks them.
class Stacker {
public:
    Stacker(DrawingParts drawing, const DrawingOptions &options, DotRunner *dot)
        : m_parts(std::move(drawing)), m_options(options), m_dot(dot)
    {
        const std::size_t parts = m_parts.parts.size();
        m_inside.resize(parts);
        m_crossing.resize(parts);
        for (const auto &[from, to] : m_parts.joined) {
            const std::size_t first = m_parts.partOf[from];
            const std::size_t last = m_parts.partOf[to];
            if (first == last) {
                m_inside[first].emplace_back(from, to);
                continue;
            }
            for (std::size_t part = first; part < last; ++part)
                m_crossing[part].insert(from);
            m_entering.emplace(NodePair(from, static_cast<std::uint32_t>(last)), std::vector<std::uint32_t>{})
                .first->second.push_back(to);
        }
    }

    [[nodiscard]] std::optional<GraphDrawing> run(std::stop_token stop)
    {
        for (std::size_t part = 0; part < m_parts.parts.size(); ++part) {
            if (stop.stop_requested())
                return std::nullopt;
            stack(part, stop);
        }
        if (stop.stop_requested()) // dot does not lay out parts after a stop, so the last ones may be incomplete
            return std::nullopt;
        connect();
        return std::move(m_parts.drawing);
    }

private:
    // A part with its ports, and the node of the drawing for each of its nodes.
    struct PartInDrawing {
        Part part;
        std::vector<std::uint32_t> nodeOf;
        std::map<std::uint32_t, std::uint32_t> topPort; // keyed by the drawing's node that the tensor comes from
        std::map<std::uint32_t, std::uint32_t> bottomPort;
    };

    [[nodiscard]] PartInDrawing partInDrawing(std::size_t index) const
    {
        PartInDrawing result;
        Part &part = result.part;
        std::map<std::uint32_t, std::uint32_t> own;
        const auto add = [&](std::uint32_t node, const QSizeF &size) {
            part.nodes.push_back(size);
            result.nodeOf.push_back(node);
            return static_cast<std::uint32_t>(part.nodes.size() - 1);
        };
        for (const std::uint32_t node : m_parts.parts[index])
            own[node] = add(node, m_parts.drawing.nodes[node].rect.size());
        for (const auto &open : m_open) {
            result.topPort[open.node] = add(open.node, QSizeF(0, 0));
            part.topPorts.push_back(result.topPort[open.node]);
        }
        for (const std::uint32_t node : m_crossing[index]) {
            result.bottomPort[node] = add(node, QSizeF(0, 0));
            part.bottomPorts.push_back(result.bottomPort[node]);
        }
        for (const auto &[from, to] : m_inside[index])
            part.edges.emplace_back(own.at(from), own.at(to));
        for (const auto &open : m_open) {
            const auto readers = m_entering.find({open.node, static_cast<std::uint32_t>(index)});
            if (readers != m_entering.end()) {
                for (const std::uint32_t reader : readers->second)
                    part.edges.emplace_back(result.topPort.at(open.node), own.at(reader));
            }
        }
        for (const auto &[node, port] : result.bottomPort) {
            const auto top = result.topPort.find(node);
            part.edges.emplace_back(top != result.topPort.end() ? top->second : own.at(node), port);
        }
        return result;
    }

    [[nodiscard]] PartDrawing drawn(const Part &part, const Spacing &spacing, const std::stop_token &stop)
    {
        if (m_dot && part.nodes.size() <= kMaxDotPart && m_parts.drawing.nodes.size() <= kMaxDotGraph) {
            auto drawing = dotDrawing(part, spacing, *m_dot, stop);
            if (drawing)
                return std::move(*drawing);
            m_parts.drawing.dotFailure = std::move(drawing.error());
            m_dot = nullptr;
        }
        return layeredDrawing(part, spacing);
    }

    void stack(std::size_t index, const std::stop_token &stop)
    {
        const PartInDrawing in = partInDrawing(index);
        if (in.part.nodes.empty())
            return;
        Spacing spacing = m_options.spacing;
        const std::size_t block = index - 1; // wraps around for the inputs, which are not a block
        const bool framed = block < m_parts.drawing.blocks.size() && !m_parts.drawing.blocks[block].folded;
        const bool plain = !framed && !m_parts.drawing.blocks.empty();
        if (plain)
            spacing.rank = kPlainRank; // terminals and folded blocks have no frame
        m_gap = plain && m_wasPlain ? kPlainGap : kBlockGap;
        m_wasPlain = plain;
        PartDrawing drawing = drawn(in.part, spacing, stop);
        joinPorts(in.part, drawing);
        const QPointF offset = placeOf(in, drawing);
        for (QPointF &centre : drawing.centres)
            centre += offset;
        for (Curve &curve : drawing.curves) {
            for (QPointF &point : curve.points)
                point += offset;
            if (curve.arrowTip)
                *curve.arrowTip += offset;
        }
        takeNodes(in, drawing);
        takeGaps(in, drawing);
        const auto first = static_cast<std::uint32_t>(m_parts.drawing.curves.size());
        takeCurves(in, drawing);
        frame(index, in, first);
        openPorts(in, drawing);
    }

    // Layouts may end curves at the border of a port; two curves that meet there must not leave a gap.
    static void joinPorts(const Part &part, PartDrawing &drawing)
    {
        for (std::size_t i = 0; i < part.edges.size(); ++i) {
            const auto [from, to] = part.edges[i];
            if (part.nodes[from].isEmpty())
                drawing.curves[i].points.front() = drawing.centres[from];
            if (part.nodes[to].isEmpty())
                drawing.curves[i].points.back() = drawing.centres[to];
        }
    }

    // Below the previous parts, shifted sideways so that connections run as straight down as possible.
    [[nodiscard]] QPointF placeOf(const PartInDrawing &in, const PartDrawing &drawing) const
    {
        double top = 0;
        double left = 0;
        double right = 0;
        for (std::size_t i = 0; i < drawing.centres.size(); ++i) {
            const QSizeF half = in.part.nodes[i] / 2;
            const QPointF centre = drawing.centres[i];
            top = i == 0 ? centre.y() - half.height() : std::min(top, centre.y() - half.height());
            left = i == 0 ? centre.x() - half.width() : std::min(left, centre.x() - half.width());
            right = i == 0 ? centre.x() + half.width() : std::max(right, centre.x() + half.width());
        }
        if (m_open.empty())
            return {-(left + right) / 2, m_bottom + (m_bottom > 0 ? m_gap : 0) - top};
        double shift = 0;
        for (const auto &open : m_open)
            shift += open.place.x() - drawing.centres[in.topPort.at(open.node)].x();
        shift /= static_cast<double>(m_open.size());
        // If only connections counted, the column would drift to one side.
        const double middle = (left + right) / 2;
        const double leeway = kLeeway + kLeewayPerWidth * (right - left);
        shift = std::clamp(middle + shift, -leeway, leeway) - middle;
        double farthest = 0;
        for (const auto &open : m_open)
            farthest =
                std::max(farthest, std::abs(open.place.x() - drawing.centres[in.topPort.at(open.node)].x() - shift));
        return {shift, m_bottom + m_gap + farthest * kGapPerShift - top};
    }

    void takeNodes(const PartInDrawing &in, const PartDrawing &drawing)
    {
        for (std::size_t i = 0; i < in.part.nodes.size(); ++i) {
            if (!in.part.nodes[i].isEmpty())
                m_parts.drawing.nodes[in.nodeOf[i]].rect.moveCenter(drawing.centres[i]);
            m_bottom = std::max(m_bottom, drawing.centres[i].y() + in.part.nodes[i].height() / 2);
        }
    }

    // From the lower ports of the previous part to the upper ports of this one.
    void takeGaps(const PartInDrawing &in, const PartDrawing &drawing)
    {
        for (const auto &open : m_open) {
            const QPointF start = open.place;
            const QPointF end = drawing.centres[in.topPort.at(open.node)];
            const QPointF bend(0, (end.y() - start.y()) / 2);
            m_trunk[open.node].push_back(static_cast<std::uint32_t>(m_parts.drawing.curves.size()));
            m_parts.drawing.curves.push_back({{start, start + bend, end - bend, end}, std::nullopt});
        }
    }

    void takeCurves(const PartInDrawing &in, PartDrawing &drawing)
    {
        for (std::size_t i = 0; i < in.part.edges.size(); ++i) {
            const auto [from, to] = in.part.edges[i];
            const auto curve = static_cast<std::uint32_t>(m_parts.drawing.curves.size());
            m_parts.drawing.curves.push_back(std::move(drawing.curves[i]));
            if (in.part.nodes[to].isEmpty()) {
                m_nextTrunk.emplace_back(in.nodeOf[from], curve);
                continue;
            }
            DrawingEdge edge{in.nodeOf[from], in.nodeOf[to], {}};
            if (in.part.nodes[from].isEmpty())
                edge.curves = m_trunk.at(in.nodeOf[from]);
            edge.curves.push_back(curve);
            m_parts.drawing.edges.push_back(std::move(edge));
        }
        for (const auto &[node, curve] : m_nextTrunk)
            m_trunk[node].push_back(curve);
        m_nextTrunk.clear();
    }

    void frame(std::size_t index, const PartInDrawing &in, std::uint32_t firstCurve)
    {
        auto &blocks = m_parts.drawing.blocks;
        if (index == 0 || index > blocks.size())
            return;
        QRectF bounds;
        for (const std::uint32_t node : m_parts.parts[index])
            bounds |= m_parts.drawing.nodes[node].rect;
        if (blocks[index - 1].folded) {
            blocks[index - 1].frame = bounds;
            return;
        }
        for (std::size_t i = 0; i < in.part.edges.size(); ++i) {
            const auto [from, to] = in.part.edges[i];
            if (in.part.nodes[from].isEmpty() && in.part.nodes[to].isEmpty())
                continue; // only passes through
            for (const QPointF &point : m_parts.drawing.curves[firstCurve + i].points) {
                bounds.setLeft(std::min(bounds.left(), point.x()));
                bounds.setRight(std::max(bounds.right(), point.x()));
            }
        }
        double top = bounds.top() - m_options.spacing.rank;
        double bottom = bounds.bottom() + m_options.spacing.rank;
        bounds.adjust(-kFramePadding, 0, kFramePadding, 0);
        bounds.setTop(top - kFrameTop);
        bounds.setBottom(bottom);
        const std::size_t block = index - 1;
        const double missing = (block < m_options.titleWidths.size() ? m_options.titleWidths[block] : 0) +
                               2 * kFramePadding - bounds.width();
        if (missing > 0)
            bounds.adjust(-missing / 2, 0, missing / 2, 0);
        blocks[block].frame = bounds;
    }

    void openPorts(const PartInDrawing &in, const PartDrawing &drawing)
    {
        m_open.clear();
        for (const auto &[node, port] : in.bottomPort)
            m_open.push_back({node, drawing.centres[port]});
        std::stable_sort(m_open.begin(), m_open.end(),
                         [](const Open &a, const Open &b) { return a.place.x() < b.place.x(); });
    }

    void connect()
    {
        GraphDrawing &drawing = m_parts.drawing;
        for (const DrawingNode &node : drawing.nodes)
            drawing.bounds |= node.rect;
        for (const DrawingBlock &block : drawing.blocks)
            drawing.bounds |= block.frame;
        for (const Curve &curve : drawing.curves) {
            for (const QPointF &point : curve.points) {
                drawing.bounds.setLeft(std::min(drawing.bounds.left(), point.x()));
                drawing.bounds.setRight(std::max(drawing.bounds.right(), point.x()));
            }
        }
        std::sort(drawing.edges.begin(), drawing.edges.end(), [](const DrawingEdge &a, const DrawingEdge &b) {
            return std::pair(a.from, a.to) < std::pair(b.from, b.to);
        });
    }

    struct Open {
        std::uint32_t node = 0; // where the tensor comes from
        QPointF place;          // its port at the lower border of the previous part
    };

    DrawingParts m_parts;
    const DrawingOptions &m_options;
    DotRunner *m_dot;                                          // null after its first failure
    std::vector<std::vector<NodePair>> m_inside;               // part -> connected nodes inside
    std::vector<std::set<std::uint32_t>> m_crossing;           // part -> sources of tensors that cross its lower border
    std::map<NodePair, std::vector<std::uint32_t>> m_entering; // (source, part) -> readers there
    std::vector<Open> m_open;
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_trunk; // source -> curves of its trunk so far
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_nextTrunk;
    double m_bottom = 0;
    double m_gap = kBlockGap;
    bool m_wasPlain = false;
};

} // namespace

std::optional<GraphDrawing> drawGraph(const Graph &graph, const Blocks &blocks, const DrawingOptions &options,
                                      DotRunner *dot, std::stop_token stop)
{
    return Stacker(drawingPartsOf(graph, blocks, options), options, dot).run(std::move(stop));
}

} // namespace stagecraft
