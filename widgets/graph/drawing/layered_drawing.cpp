#include "widgets/graph/drawing/part_drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

namespace stagecraft {
namespace {

constexpr int kOrderSweeps = 8;
constexpr int kPlaceSweeps = 6;
// If edges need more bends than this in total, they are straight: such a part is only readable zoomed out.
constexpr std::size_t kMaxBends = 60000;

// The part with a bend in each row that a long edge crosses, so that all links join neighbouring rows.
struct Layers {
    struct Vertex {
        QSizeF size;
        int row = 0;
        double x = 0;
        std::vector<std::uint32_t> above;
        std::vector<std::uint32_t> below;
    };

    std::vector<Vertex> vertices;                  // the part's nodes, then the bends
    std::vector<std::vector<std::uint32_t>> rows;  // from left to right
    std::vector<std::vector<std::uint32_t>> bends; // of each edge, from top to bottom
};

std::vector<std::vector<std::uint32_t>> targetsOf(const Part &part)
{
    std::vector<std::vector<std::uint32_t>> targets(part.nodes.size());
    for (const auto &[from, to] : part.edges)
        targets[from].push_back(to);
    return targets;
}

std::vector<std::uint32_t> topological(const Part &part, const std::vector<std::vector<std::uint32_t>> &targets)
{
    std::vector<int> waiting(part.nodes.size(), 0);
    for (const auto &edge : part.edges)
        ++waiting[edge.second];
    std::vector<std::uint32_t> order;
    for (std::uint32_t node = 0; node < part.nodes.size(); ++node) {
        if (waiting[node] == 0)
            order.push_back(node);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const std::uint32_t target : targets[order[i]]) {
            if (--waiting[target] == 0)
                order.push_back(target);
        }
    }
    return order;
}

std::vector<int> rowsOf(const Part &part)
{
    const auto targets = targetsOf(part);
    const auto order = topological(part, targets);
    std::vector<int> rows(part.nodes.size(), part.topPorts.empty() ? 0 : 1);
    for (const std::uint32_t port : part.topPorts)
        rows[port] = 0;
    for (const std::uint32_t node : order) {
        for (const std::uint32_t target : targets[node])
            rows[target] = std::max(rows[target], rows[node] + 1);
    }
    int last = rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
    for (std::uint32_t node = 0; node < rows.size(); ++node) {
        const bool isPort = part.nodes[node].isEmpty();
        if (!isPort && rows[node] == last && !part.bottomPorts.empty()) {
            ++last; // ports have the last row to themselves
            break;
        }
    }
    for (const std::uint32_t port : part.bottomPorts)
        rows[port] = last;
    // Nodes without a predecessor move down to their first reader.
    std::vector<bool> held(part.nodes.size(), false);
    for (const auto &edge : part.edges)
        held[edge.second] = true;
    for (const std::uint32_t node : order | std::views::reverse) {
        if (held[node] || targets[node].empty() || part.nodes[node].isEmpty())
            continue;
        int first = last;
        for (const std::uint32_t target : targets[node])
            first = std::min(first, rows[target]);
        rows[node] = first - 1;
    }
    return rows;
}

Layers layersOf(const Part &part)
{
    const auto rowOf = rowsOf(part);
    Layers layers;
    layers.bends.resize(part.edges.size());
    for (std::size_t i = 0; i < part.nodes.size(); ++i)
        layers.vertices.push_back({part.nodes[i], rowOf[i], 0, {}, {}});
    const int rows = rowOf.empty() ? 0 : *std::max_element(rowOf.begin(), rowOf.end()) + 1;
    layers.rows.resize(static_cast<std::size_t>(rows));
    for (const std::uint32_t port : part.topPorts)
        layers.rows[0].push_back(port);
    for (std::uint32_t i = 0; i < part.nodes.size(); ++i) {
        if (rowOf[i] > 0 || part.topPorts.empty())
            layers.rows[static_cast<std::size_t>(rowOf[i])].push_back(i);
    }
    std::size_t bends = 0;
    for (const auto &[from, to] : part.edges)
        bends += static_cast<std::size_t>(rowOf[to] - rowOf[from] - 1);
    for (std::size_t i = 0; i < part.edges.size(); ++i) {
        const auto [from, to] = part.edges[i];
        std::uint32_t previous = from;
        for (int row = rowOf[from] + 1; row < rowOf[to] && bends <= kMaxBends; ++row) {
            const auto bend = static_cast<std::uint32_t>(layers.vertices.size());
            layers.vertices.push_back({QSizeF(0, 0), row, 0, {previous}, {}});
            layers.vertices[previous].below.push_back(bend);
            layers.rows[static_cast<std::size_t>(row)].push_back(bend);
            layers.bends[i].push_back(bend);
            previous = bend;
        }
        layers.vertices[previous].below.push_back(to);
        layers.vertices[to].above.push_back(previous);
    }
    return layers;
}

// Sorts one row by the mean position of the neighbours in the row before or after it.
void sortRow(Layers &layers, std::size_t row, bool byAbove, const std::vector<double> &position)
{
    auto &vertices = layers.rows[row];
    std::vector<std::pair<double, std::uint32_t>> keyed;
    keyed.reserve(vertices.size());
    for (const std::uint32_t vertex : vertices) {
        const auto &neighbours = byAbove ? layers.vertices[vertex].above : layers.vertices[vertex].below;
        double sum = 0;
        for (const std::uint32_t neighbour : neighbours)
            sum += position[neighbour];
        const double key = neighbours.empty() ? position[vertex] : sum / static_cast<double>(neighbours.size());
        keyed.emplace_back(key, vertex);
    }
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    for (std::size_t i = 0; i < keyed.size(); ++i)
        vertices[i] = keyed[i].second;
}

void orderRows(Layers &layers, bool topIsFixed)
{
    std::vector<double> position(layers.vertices.size(), 0);
    const auto number = [&](std::size_t row) {
        const auto &vertices = layers.rows[row];
        for (std::size_t i = 0; i < vertices.size(); ++i) // rows of different lengths share one scale
            position[vertices[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(vertices.size());
    };
    for (std::size_t row = 0; row < layers.rows.size(); ++row)
        number(row);
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
        for (std::size_t row = 1; row < layers.rows.size(); ++row) {
            sortRow(layers, row, true, position);
            number(row);
        }
        for (std::size_t row = layers.rows.size(); row-- > (topIsFixed ? 1U : 0U);) {
            sortRow(layers, row, false, position);
            number(row);
        }
    }
    for (std::size_t row = 1; row < layers.rows.size(); ++row) { // the last pass goes downwards
        sortRow(layers, row, true, position);
        number(row);
    }
}

// The places nearest to the wanted ones (least squares) that keep order and distance: pool adjacent violators.
void placeRow(Layers &layers, const std::vector<std::uint32_t> &row, const std::vector<double> &wished, double gap)
{
    struct Pool {
        double sum = 0;
        double count = 0;
        std::size_t first = 0;
    };
    std::vector<double> offset(row.size(), 0);
    std::vector<Pool> pools;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) {
            const double halves = (layers.vertices[row[i - 1]].size.width() + layers.vertices[row[i]].size.width()) / 2;
            offset[i] = offset[i - 1] + halves + gap;
        }
        pools.push_back({wished[i] - offset[i], 1, i});
        while (pools.size() > 1) {
            const Pool &last = pools.back();
            Pool &before = pools[pools.size() - 2];
            if (before.sum / before.count <= last.sum / last.count)
                break;
            before.sum += last.sum;
            before.count += last.count;
            pools.pop_back();
        }
    }
    for (std::size_t p = 0; p < pools.size(); ++p) {
        const std::size_t end = p + 1 < pools.size() ? pools[p + 1].first : row.size();
        for (std::size_t i = pools[p].first; i < end; ++i)
            layers.vertices[row[i]].x = pools[p].sum / pools[p].count + offset[i];
    }
}

void placeRows(Layers &layers, double gap)
{
    const auto place = [&](std::size_t row, bool byAbove) {
        std::vector<double> wished;
        for (const std::uint32_t vertex : layers.rows[row]) {
            const auto &v = layers.vertices[vertex];
            const auto &neighbours = byAbove ? v.above : v.below;
            double sum = 0;
            for (const std::uint32_t neighbour : neighbours)
                sum += layers.vertices[neighbour].x;
            wished.push_back(neighbours.empty() ? v.x : sum / static_cast<double>(neighbours.size()));
        }
        placeRow(layers, layers.rows[row], wished, gap);
    };
    for (const auto &row : layers.rows)
        placeRow(layers, row, std::vector<double>(row.size(), 0), gap);
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
        for (std::size_t row = 1; row < layers.rows.size(); ++row)
            place(row, true);
        for (std::size_t row = layers.rows.size() - 1; row-- > 0;)
            place(row, false);
    }
}

std::vector<double> rowPlaces(const Layers &layers, double gap)
{
    std::vector<double> y;
    double top = 0;
    for (const auto &row : layers.rows) {
        double height = 0;
        for (const std::uint32_t vertex : row)
            height = std::max(height, layers.vertices[vertex].size.height());
        y.push_back(top + height / 2);
        top += height + gap;
    }
    return y;
}

Curve curveThrough(const std::vector<QPointF> &stops, std::optional<double> arrow)
{
    Curve curve;
    curve.points.push_back(stops.front());
    for (std::size_t i = 1; i < stops.size(); ++i) {
        QPointF end = stops[i];
        if (i + 1 == stops.size() && arrow) {
            curve.arrowTip = end;
            end.ry() -= *arrow;
        }
        const QPointF start = curve.points.back();
        const double bend = (end.y() - start.y()) / 2;
        curve.points.insert(curve.points.end(), {start + QPointF(0, bend), end - QPointF(0, bend), end});
    }
    return curve;
}

} // namespace

PartDrawing layeredDrawing(const Part &part, const Spacing &spacing)
{
    if (part.nodes.empty())
        return {};
    Layers layers = layersOf(part);
    orderRows(layers, !part.topPorts.empty());
    placeRows(layers, spacing.node);
    const auto y = rowPlaces(layers, spacing.rank);
    const auto centre = [&](std::uint32_t vertex) {
        return QPointF(layers.vertices[vertex].x, y[static_cast<std::size_t>(layers.vertices[vertex].row)]);
    };

    PartDrawing drawing;
    for (std::uint32_t node = 0; node < part.nodes.size(); ++node)
        drawing.centres.push_back(centre(node));
    for (std::size_t i = 0; i < part.edges.size(); ++i) {
        const auto [from, to] = part.edges[i];
        std::vector<QPointF> stops{centre(from) + QPointF(0, part.nodes[from].height() / 2)};
        for (const std::uint32_t bend : layers.bends[i])
            stops.push_back(centre(bend));
        stops.push_back(centre(to) - QPointF(0, part.nodes[to].height() / 2));
        drawing.curves.push_back(
            curveThrough(stops, part.nodes[to].isEmpty() ? std::nullopt : std::optional(spacing.arrow)));
    }
    return drawing;
}

} // namespace stagecraft
