#pragma once

// Finds the rectangles near a place: a uniform grid, built once, readable from any thread.

#include <QRectF>

#include <cstdint>
#include <vector>

namespace stagecraft {

class GridIndex {
public:
    GridIndex() = default;
    explicit GridIndex(const std::vector<QRectF> &rects);

    // Indices of the rectangles that touch `area`: ascending, without repeats.
    [[nodiscard]] std::vector<std::uint32_t> touching(const QRectF &area) const;

private:
    struct Cells {
        int left = 0;
        int top = 0;
        int right = -1;
        int bottom = -1;
    };

    [[nodiscard]] Cells cellsOf(const QRectF &area) const;

    QRectF m_bounds;
    double m_cell = 1;
    int m_columns = 0;
    int m_rows = 0;
    std::vector<QRectF> m_rects;
    std::vector<std::uint32_t> m_first; // each cell's start in m_entries, and the end
    std::vector<std::uint32_t> m_entries;
};

} // namespace stagecraft
