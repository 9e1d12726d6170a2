#include "widgets/schedule/edit_geometry.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kOuter = 0.25; // share of a row that means a place between rows
constexpr double kBar = 6;      // height of the bar that marks a place between two rows

} // namespace

std::optional<EditPlace> placeAt(const SchedulePage &layout, QPointF point)
{
    if (layout.rows.empty())
        return std::nullopt;
    const auto behind = std::ranges::partition_point(
        layout.rows, [&](const StageRow &row) { return row.rect.top() <= point.y() || row.rect.height() <= 0; });
    // Rows of height zero are folded away: take the row above them.
    auto above = behind;
    while (above != layout.rows.begin() && std::prev(above)->rect.height() <= 0)
        --above;
    if (above == layout.rows.begin())
        return EditPlace{0, true};
    const StageRow &row = *std::prev(above);
    const double share = (point.y() - row.rect.top()) / row.rect.height();
    if (share < 0 || share > 1 - kOuter)
        return EditPlace{row.stage + 1, true};
    return share < kOuter ? EditPlace{row.stage, true} : EditPlace{row.stage, false};
}

QRectF placeRect(const SchedulePage &layout, const Schedule &schedule, const EditPlace &place, std::size_t block)
{
    if (layout.rows.empty())
        return {};
    if (!place.isNew)
        return layout.rows[place.stage].rect;
    const bool isBefore =
        place.stage == 0 || (place.stage < layout.rows.size() && schedule.stages[place.stage].block == block);
    const double y = isBefore ? layout.rows[place.stage].rect.top() : layout.rows[place.stage - 1].rect.bottom();
    return {0, y - kBar / 2, layout.size.width(), kBar};
}

std::optional<std::size_t> laneAt(const SchedulePage &layout, const StageRow &row, QPointF point)
{
    if (!row.lanes.contains(point))
        return std::nullopt;
    std::optional<std::size_t> lane;
    for (std::size_t i = row.firstBox; i < row.firstBox + row.boxCount; ++i) {
        const OperatorBox &box = layout.boxes[i];
        if (box.merged || box.rect.contains(point))
            return std::nullopt;
        const bool isIts = row.isList ? point.y() >= box.rect.top() // the last of those above the point
                                      : point.x() >= box.rect.left() && point.x() <= box.rect.right();
        if (isIts)
            lane = box.group;
    }
    return lane;
}

Grabbed grabbedAt(const SchedulePage &layout, QPointF point)
{
    Grabbed grabbed{Grab::Empty, layout.at(point), 0};
    if (!grabbed.hit)
        return grabbed;
    const StageRow &row = layout.rows[grabbed.hit->stage];
    if (grabbed.hit->op) {
        grabbed.what = Grab::Operator;
    } else if (const auto lane = laneAt(layout, row, point)) {
        grabbed.what = Grab::Lane;
        grabbed.lane = *lane;
    } else if (row.gutter.contains(point)) {
        grabbed.what = Grab::Stage;
    }
    return grabbed;
}

std::vector<OperatorId> operatorsIn(const SchedulePage &layout, const QRectF &rect)
{
    std::vector<OperatorId> operators;
    for (const OperatorBox &box : layout.boxes) {
        if (box.rect.height() > 0 && box.rect.intersects(rect))
            operators.push_back(box.op);
    }
    return operators;
}

} // namespace stagecraft
