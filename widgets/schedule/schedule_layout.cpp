#include "widgets/schedule/schedule_layout.h"

#include "schedule/difference.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kGutterWidest = 186;
constexpr double kGutterNarrowest = 112; // number and latency, no bar
constexpr double kBlockHeaderHeight = 26;
constexpr double kLaneWidthMin = 72;
constexpr double kNarrowPane = 360; // side by side: names only in tool tips
constexpr double kNarrowLane = 12;
constexpr double kNarrowPaneGutter = 104;
constexpr double kFoldLineHeight = 24;
constexpr double kOperatorHeight = 34;
constexpr double kMergeTitle = 14; // above the cells of a merge stage's box
constexpr double kBoxGap = 6;
constexpr double kRowPadding = 7;
constexpr double kPageMargin = 10;

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

double titleHeight(const Stage &stage, double zoom)
{
    return stage.strategy == Strategy::Merge ? kMergeTitle * zoom : 0;
}

// Height of a stage's boxes, one below the other.
double innerHeight(const Stage &stage, double zoom)
{
    const auto tallest = static_cast<double>(tallestLane(stage));
    return titleHeight(stage, zoom) + tallest * kOperatorHeight * zoom + (tallest - 1) * kBoxGap * zoom;
}

class Placer {
public:
    Placer(const Schedule &schedule, double viewWidth, double zoom, const RowPlaces *places, RowLengths lengths)
        : m_schedule(schedule), m_places(places), m_lengths(lengths), m_zoom(zoom),
          m_isNarrow(places && viewWidth < kNarrowPane),
          m_gutter(m_isNarrow ? kNarrowPaneGutter : std::clamp(viewWidth * 0.34, kGutterNarrowest, kGutterWidest)),
          m_lanesWidth(std::max(m_isNarrow ? 40.0 : 120.0, viewWidth - m_gutter - 2 * kPageMargin)),
          m_narrowest(m_isNarrow || lengths.areLatencies ? kNarrowLane : kLaneWidthMin), m_right(m_gutter + kPageMargin)
    {
    }

    ScheduleLayout place()
    {
        for (const double latencyUs : m_schedule.stageLatenciesUs())
            m_layout.slowestStageUs = std::max(m_layout.slowestStageUs, latencyUs);
        m_fullUs = m_lengths.fullUs > 0 ? m_lengths.fullUs : m_layout.slowestStageUs;
        if (m_places)
            placeFolds();
        std::size_t span = 0;
        for (std::size_t stage = 0; stage < m_schedule.stages.size(); ++stage) {
            if (stage == 0 || m_schedule.stages[stage].block != m_schedule.stages[stage - 1].block)
                placeHeader(stage);
            if (m_places && span < m_places->spans.size() && stage == m_places->spans[span].stages.first)
                startSpan(m_places->spans[span++]);
            placeStage(stage);
        }
        m_layout.size = QSizeF(m_right + kPageMargin, (m_places ? m_places->height : m_y) + kPageMargin);
        for (FoldLine &fold : m_layout.folds)
            fold.rect.setWidth(m_layout.size.width());
        for (BlockHeader &header : m_layout.headers)
            header.rect.setWidth(m_layout.size.width());
        for (StageRow &row : m_layout.rows)
            row.rect.setWidth(m_layout.size.width());
        return std::move(m_layout);
    }

private:
    void placeFolds()
    {
        m_layout.spans = m_places->spans;
        for (const FoldPlace &fold : m_places->folds)
            m_layout.folds.push_back({QRectF(0, fold.top, 0, fold.height), fold.stages, fold.firstSpan, fold.isFolded,
                                      sumOfStagesUs(m_schedule, fold.stages)});
    }

    void startSpan(const SpanPlace &span)
    {
        m_y = span.top;
        m_isFolded = span.height <= 0;
    }

    void placeHeader(std::size_t first)
    {
        if (m_places && m_layout.headers.size() < m_places->headerTops.size())
            m_y = m_places->headerTops[m_layout.headers.size()];
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
        const double height = headerHeight(m_zoom);
        header.rect = QRectF(0, m_y, 0, height);
        m_y += height;
        m_layout.headers.push_back(header);
    }

    [[nodiscard]] double lengthOf(std::size_t stage) const
    {
        if (!m_lengths.areLatencies || m_fullUs <= 0 || stage >= m_schedule.stageTimings.size())
            return m_lanesWidth;
        return m_lanesWidth * std::min(1.0, m_schedule.stageTimings[stage].latencyUs / m_fullUs);
    }

    void placeStage(std::size_t index)
    {
        const Stage &stage = m_schedule.stages[index];
        if (m_isFolded) {
            m_layout.rows.push_back({index, QRectF(0, m_y, 0, 0), {}, {}, m_layout.boxes.size(), 0});
            return;
        }
        const bool merge = stage.strategy == Strategy::Merge;
        const double box = kOperatorHeight * m_zoom;
        const double gap = kBoxGap * m_zoom;
        const double padding = kRowPadding * m_zoom;
        const double title = titleHeight(stage, m_zoom);
        const double inner = innerHeight(stage, m_zoom);
        const auto lanes = static_cast<double>(laneCount(stage));
        const double between = merge ? 0 : gap;
        const double share = (lengthOf(index) - (lanes - 1) * between) / lanes;
        const double lane = std::max(share, m_narrowest * m_zoom);

        StageRow row;
        row.stage = index;
        row.rect = QRectF(0, m_y, 0, inner + 2 * padding);
        row.gutter = QRectF(kPageMargin, m_y, m_gutter - kPageMargin, row.rect.height());
        const double left = m_gutter + kPageMargin;
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
    const RowPlaces *m_places;
    RowLengths m_lengths;
    double m_fullUs = 0; // latency that the width of the lanes stands for
    double m_zoom;
    bool m_isNarrow;
    double m_gutter;
    double m_lanesWidth;
    double m_narrowest; // lane width
    double m_right;
    double m_y = 0;
    bool m_isFolded = false;
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

const FoldLine *ScheduleLayout::foldAt(QPointF point) const
{
    const auto found = std::ranges::find_if(
        folds, [&](const FoldLine &fold) { return fold.rect.top() <= point.y() && point.y() < fold.rect.bottom(); });
    return found != folds.end() ? &*found : nullptr;
}

std::pair<std::size_t, std::size_t> ScheduleLayout::rowsBetween(double top, double bottom) const
{
    const auto first =
        std::partition_point(rows.begin(), rows.end(), [top](const StageRow &row) { return row.rect.bottom() < top; });
    const auto last =
        std::partition_point(first, rows.end(), [bottom](const StageRow &row) { return row.rect.top() <= bottom; });
    return {static_cast<std::size_t>(first - rows.begin()), static_cast<std::size_t>(last - rows.begin())};
}

ScheduleLayout layoutSchedule(const Schedule &schedule, double viewWidth, double zoom, const RowPlaces *places,
                              RowLengths lengths)
{
    return Placer(schedule, viewWidth, zoom, places, lengths).place();
}

double headerHeight(double zoom)
{
    return std::max(18.0, kBlockHeaderHeight * std::min(1.0, zoom));
}

double rowHeight(const Stage &stage, double zoom)
{
    return innerHeight(stage, zoom) + 2 * kRowPadding * zoom;
}

double foldLineHeight(double zoom)
{
    return std::max(14.0, kFoldLineHeight * std::min(1.0, zoom));
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
