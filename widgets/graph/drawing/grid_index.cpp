#include "widgets/graph/drawing/grid_index.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kRectsPerCell = 4;
constexpr double kMaxCellsPerSide = 1024;

// QRectF::intersects is false for rectangles without area, such as that of a straight vertical curve.
bool touches(const QRectF &a, const QRectF &b)
{
    return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
}

} // namespace

GridIndex::GridIndex(const std::vector<QRectF> &rects) : m_rects(rects)
{
    if (rects.empty())
        return;
    double left = rects.front().left();
    double top = rects.front().top();
    double right = left;
    double bottom = top;
    for (const QRectF &rect : rects) {
        left = std::min(left, rect.left());
        top = std::min(top, rect.top());
        right = std::max(right, rect.right());
        bottom = std::max(bottom, rect.bottom());
    }
    m_bounds = QRectF(QPointF(left, top), QPointF(right, bottom));
    const double width = std::max(m_bounds.width(), 1.0);
    const double height = std::max(m_bounds.height(), 1.0);
    const double cells = std::max(1.0, static_cast<double>(rects.size()) / kRectsPerCell);
    m_cell = std::max(std::sqrt(width * height / cells), std::max(width, height) / kMaxCellsPerSide);
    m_columns = static_cast<int>(width / m_cell) + 1;
    m_rows = static_cast<int>(height / m_cell) + 1;

    m_first.assign(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows) + 1, 0);
    const auto forEachCell = [&](const QRectF &rect, auto visit) {
        const Cells cell = cellsOf(rect);
        for (int y = cell.top; y <= cell.bottom; ++y) {
            for (int x = cell.left; x <= cell.right; ++x)
                visit(static_cast<std::size_t>(y) * static_cast<std::size_t>(m_columns) + static_cast<std::size_t>(x));
        }
    };
    for (const QRectF &rect : rects)
        forEachCell(rect, [&](std::size_t cell) { ++m_first[cell + 1]; });
    for (std::size_t cell = 1; cell < m_first.size(); ++cell)
        m_first[cell] += m_first[cell - 1];
    m_entries.resize(m_first.back());
    std::vector<std::uint32_t> next(m_first.begin(), m_first.end() - 1);
    for (std::uint32_t i = 0; i < rects.size(); ++i)
        forEachCell(rects[i], [&](std::size_t cell) { m_entries[next[cell]++] = i; });
}

GridIndex::Cells GridIndex::cellsOf(const QRectF &area) const
{
    const auto at = [&](double place, double origin, int count) {
        const double cell = std::clamp(std::floor((place - origin) / m_cell), -1.0, static_cast<double>(count));
        return static_cast<int>(cell);
    };
    return {std::max(at(area.left(), m_bounds.left(), m_columns), 0),
            std::max(at(area.top(), m_bounds.top(), m_rows), 0),
            std::min(at(area.right(), m_bounds.left(), m_columns), m_columns - 1),
            std::min(at(area.bottom(), m_bounds.top(), m_rows), m_rows - 1)};
}

std::vector<std::uint32_t> GridIndex::touching(const QRectF &area) const
{
    std::vector<std::uint32_t> found;
    if (m_rects.empty())
        return found;
    const Cells cell = cellsOf(area);
    for (int y = cell.top; y <= cell.bottom; ++y) {
        for (int x = cell.left; x <= cell.right; ++x) {
            const auto index =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(m_columns) + static_cast<std::size_t>(x);
            for (std::uint32_t i = m_first[index]; i < m_first[index + 1]; ++i) {
                if (touches(m_rects[m_entries[i]], area))
                    found.push_back(m_entries[i]);
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace stagecraft
