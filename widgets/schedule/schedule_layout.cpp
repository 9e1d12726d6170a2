#include "widgets/schedule/schedule_layout.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kGutterWidest = 186;
constexpr double kGutterNarrowest = 112; // number and latency, no bar
constexpr double kHeaderHeight = 26;
constexpr double kLaneWidthMin = 72;
constexpr double kLaneWidthMax = 210;
constexpr double kBoxHeight = 34;
constexpr double kMergeTitle = 14; // above the cells of a merge stage's box
constexpr double kGap = 6;
constexpr double kPadding = 7;
constexpr double kMargin = 10;

std::size_t laneCount(const Stage &stage)
{
    return std::max<std::size_t>(1, stage.groups.size());
}

std::size_t tallestLane(const Stage &stage)
{
    std::size_t tallest = 1;
    for (const auto &group : stage.groups)
        tallest = std::max(tallest, group.size());
    return tallest;
}

class Placer {
public:
    Placer(const Schedule &schedule, double viewWidth, double zoom)
        : m_schedule(schedule), m_zoom(zoom), m_gutter(std::clamp(viewWidth * 0.34, kGutterNarrowest, kGutterWidest)),
          m_lanesWidth(std::max(120.0, viewWidth - m_gutter - 2 * kMargin)), m_right(m_gutter + kMargin)
    {
    }

    ScheduleLayout place()
    {
        for (const double latencyUs : m_schedule.stageLatenciesUs())
            m_layout.slowestStageUs = std::max(m_layout.slowestStageUs, latencyUs);
        for (std::size_t stage = 0; stage < m_schedule.stages.size(); ++stage) {
            if (stage == 0 || m_schedule.stages[stage].block != m_schedule.stages[stage - 1].block)
                placeHeader(stage);
            placeStage(stage);
        }
        m_layout.size = QSizeF(m_right + kMargin, m_y + kMargin);
        for (BlockHeader &header : m_layout.headers)
            header.rect.setWidth(m_layout.size.width());
        for (StageRow &row : m_layout.rows)
            row.rect.setWidth(m_layout.size.width());
        return std::move(m_layout);
    }

private:
    void placeHeader(std::size_t first)
    {
        BlockHeader header;
        header.block = m_schedule.stages[first].block;
        double latencyUs = 0;
        for (std::size_t i = first; i < m_schedule.stages.size() && m_schedule.stages[i].block == header.block; ++i) {
            ++header.stages;
            header.operators += m_schedule.stages[i].operatorCount();
            if (i < m_schedule.stageTimings.size())
                latencyUs += m_schedule.stageTimings[i].latencyUs;
        }
        if (m_schedule.hasStageLatencies())
            header.latencyUs = latencyUs;
        const double height = std::max(18.0, kHeaderHeight * std::min(1.0, m_zoom));
        header.rect = QRectF(0, m_y, 0, height);
        m_y += height;
        m_layout.headers.push_back(header);
    }

    void placeStage(std::size_t index)
    {
        const Stage &stage = m_schedule.stages[index];
        const bool merge = stage.strategy == Strategy::Merge;
        const double box = kBoxHeight * m_zoom;
        const double gap = kGap * m_zoom;
        const double padding = kPadding * m_zoom;
        const double title = merge ? kMergeTitle * m_zoom : 0;
        const auto tallest = static_cast<double>(tallestLane(stage));
        const double inner = title + tallest * box + (tallest - 1) * gap;
        const auto lanes = static_cast<double>(laneCount(stage));
        const double between = merge ? 0 : gap;
        const double share = (m_lanesWidth - (lanes - 1) * between) / lanes;
        const double lane = std::clamp(share, kLaneWidthMin * m_zoom, std::max(kLaneWidthMin, kLaneWidthMax) * m_zoom);

        StageRow row;
        row.stage = index;
        row.rect = QRectF(0, m_y, 0, inner + 2 * padding);
        row.gutter = QRectF(kMargin, m_y, m_gutter - kMargin, row.rect.height());
        const double left = m_gutter + kMargin;
        row.lanes = QRectF(left, m_y + padding, lanes * lane + (lanes - 1) * between, inner);
        row.firstBox = m_layout.boxes.size();
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            const double x = left + static_cast<double>(group) * (lane + between);
            for (std::size_t i = 0; i < stage.groups[group].size(); ++i) {
                const double y = m_y + padding + title + static_cast<double>(i) * (box + gap);
                m_layout.boxes.push_back({QRectF(x, y, lane, box), stage.groups[group][i], index, group, merge});
            }
        }
        row.boxCount = m_layout.boxes.size() - row.firstBox;
        m_right = std::max(m_right, row.lanes.right());
        m_y = row.rect.bottom();
        m_layout.rows.push_back(row);
    }

    const Schedule &m_schedule;
    double m_zoom;
    double m_gutter;
    double m_lanesWidth;
    double m_right;
    double m_y = 0;
    ScheduleLayout m_layout;
};

} // namespace

std::optional<ScheduleLayout::Hit> ScheduleLayout::at(QPointF point) const
{
    const auto [first, last] = rowsBetween(point.y(), point.y());
    for (std::size_t i = first; i < last; ++i) {
        const StageRow &row = rows[i];
        if (!row.rect.contains(point))
            continue;
        for (std::size_t box = row.firstBox; box < row.firstBox + row.boxCount; ++box) {
            if (boxes[box].rect.contains(point))
                return Hit{row.stage, boxes[box].op};
        }
        return Hit{row.stage, std::nullopt};
    }
    return std::nullopt;
}

std::pair<std::size_t, std::size_t> ScheduleLayout::rowsBetween(double top, double bottom) const
{
    const auto first =
        std::partition_point(rows.begin(), rows.end(), [top](const StageRow &row) { return row.rect.bottom() < top; });
    const auto last =
        std::partition_point(first, rows.end(), [bottom](const StageRow &row) { return row.rect.top() <= bottom; });
    return {static_cast<std::size_t>(first - rows.begin()), static_cast<std::size_t>(last - rows.begin())};
}

ScheduleLayout layoutSchedule(const Schedule &schedule, double viewWidth, double zoom)
{
    return Placer(schedule, viewWidth, zoom).place();
}

std::vector<std::size_t> stageOfOperator(const Graph &graph, const Schedule &schedule)
{
    std::vector<std::size_t> stageOf(graph.size(), schedule.stages.size());
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        for (const auto &group : schedule.stages[stage].groups) {
            for (const OperatorId op : group) {
                if (op.index() < stageOf.size())
                    stageOf[op.index()] = stage;
            }
        }
    }
    return stageOf;
}

} // namespace stagecraft
