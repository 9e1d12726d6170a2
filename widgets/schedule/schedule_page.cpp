#include "widgets/schedule/schedule_page.h"

#include "schedule/compare/difference.h"
#include "schedule/compare/latency_parts.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kGutterWidest = 186;
constexpr double kGutterNarrowest = 112; // number and latency, no bar
constexpr double kBlockHeaderHeight = 26;
constexpr double kLaneWidthMin = 80;
constexpr double kNarrowPane = 360; // side by side
constexpr double kNarrowLane = 12;
constexpr double kLineHeight = 20; // of an operator in a list
constexpr double kLineGap = 3;
constexpr double kGroupMark = 8; // at the left of the operators of a group in a list
constexpr double kNarrowPaneGutter = 96;
constexpr double kNarrowPaneMargin = 4; // at the right
constexpr double kFoldLineHeight = 24;
constexpr double kOperatorHeight = 34;
constexpr double kFrameTitle = 14; // above the cells of the box of a merged or fused stage
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
    return stage.isMerged() || stage.isFused() ? kFrameTitle * zoom : 0;
}

double gutterWidth(double viewWidth, bool isBeside)
{
    return isBeside && viewWidth < kNarrowPane ? kNarrowPaneGutter
                                               : std::clamp(viewWidth * 0.34, kGutterNarrowest, kGutterWidest);
}

double rightMargin(double viewWidth, bool isBeside)
{
    return isBeside && viewWidth < kNarrowPane ? kNarrowPaneMargin : kPageMargin;
}

double lanesWidth(double viewWidth, bool isBeside)
{
    const double least = isBeside && viewWidth < kNarrowPane ? 40 : 120;
    return std::max(least,
                    viewWidth - gutterWidth(viewWidth, isBeside) - kPageMargin - rightMargin(viewWidth, isBeside));
}

double betweenGroups(const Stage &stage, double zoom)
{
    return stage.isMerged() ? 0 : kBoxGap * zoom;
}

// Lanes would be narrower than a name.
bool isList(const Stage &stage, double zoom, double besideWidth)
{
    const auto lanes = static_cast<double>(laneCount(stage));
    return lanes > 1 &&
           lanesWidth(besideWidth, true) < lanes * kLaneWidthMin * zoom + (lanes - 1) * betweenGroups(stage, zoom);
}

double listHeight(const Stage &stage, double zoom)
{
    const auto operators = static_cast<double>(std::max<std::size_t>(1, stage.operatorCount()));
    const auto groups = static_cast<double>(laneCount(stage));
    return titleHeight(stage, zoom) + operators * kLineHeight * zoom + (operators - groups) * kLineGap * zoom +
           (groups - 1) * betweenGroups(stage, zoom);
}

// Height of a stage's boxes, one below the other.
double innerHeight(const Stage &stage, double zoom, double besideWidth)
{
    if (isList(stage, zoom, besideWidth))
        return listHeight(stage, zoom);
    const auto tallest = static_cast<double>(tallestLane(stage));
    return titleHeight(stage, zoom) + tallest * kOperatorHeight * zoom + (tallest - 1) * kBoxGap * zoom;
}

class Placer {
public:
    Placer(const TimedSchedule &schedule, double viewWidth, double zoom, const RowPlaces *places, RowLengths lengths)
        : m_schedule(schedule), m_places(places), m_lengths(lengths), m_zoom(zoom),
          m_besideWidth(places ? places->width : kAnyWidth), // NOLINT(bugprone-narrowing-conversions)
          m_gutter(gutterWidth(viewWidth, places != nullptr)), m_lanesWidth(lanesWidth(viewWidth, places != nullptr)),
          m_rightMargin(rightMargin(viewWidth, places != nullptr)),
          m_narrowest((places && viewWidth < kNarrowPane) || lengths.areLatencies ? kNarrowLane : kLaneWidthMin),
          m_right(m_gutter + kPageMargin)
    {
    }

    SchedulePage place()
    {
        for (const double latencyUs : m_schedule.stageLatenciesUs())
            m_layout.slowestStageUs = std::max(m_layout.slowestStageUs, latencyUs);
        m_fullUs = m_lengths.fullUs > 0 ? m_lengths.fullUs : m_layout.slowestStageUs;
        m_blockParts = blockParts(m_schedule);
        if (m_places)
            placeFolds();
        std::size_t span = 0;
        for (std::size_t stage = 0; stage < m_schedule.stages.size(); ++stage) {
            const bool startsSpan =
                m_places && span < m_places->spans.size() && stage == m_places->spans[span].stages.first;
            if (stage == 0 || m_schedule.stages[stage].block != m_schedule.stages[stage - 1].block)
                placeHeader(stage, startsSpan);
            if (startsSpan)
                startSpan(m_places->spans[span++]);
            placeStage(stage);
        }
        m_layout.size = QSizeF(m_right + m_rightMargin, (m_places ? m_places->height : m_y) + kPageMargin);
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

    void placeHeader(std::size_t first, bool startsSpan)
    {
        if (startsSpan && m_nextTop < m_places->headerTops.size())
            m_y = m_places->headerTops[m_nextTop++];
        BlockHeader header;
        header.block = m_schedule.stages[first].block;
        for (std::size_t i = first; i < m_schedule.stages.size() && m_schedule.stages[i].block == header.block; ++i) {
            ++header.stages;
            header.operators += m_schedule.stages[i].operatorCount();
        }
        if (m_layout.headers.size() < m_blockParts.size())
            header.parts = m_blockParts[m_layout.headers.size()];
        const double height = headerHeight(m_zoom);
        header.rect = QRectF(0, m_y, 0, height);
        m_y += height;
        m_layout.headers.push_back(header);
    }

    [[nodiscard]] double lengthOf(std::size_t stage) const
    {
        if (!m_lengths.areLatencies || m_fullUs <= 0 || stage >= m_schedule.measured.stages.size())
            return m_lanesWidth;
        return m_lanesWidth * std::min(1.0, m_schedule.measured.stages[stage].latencyUs / m_fullUs);
    }

    void placeStage(std::size_t index)
    {
        const Stage &stage = m_schedule.stages[index];
        if (m_isFolded) {
            m_layout.rows.push_back({index, QRectF(0, m_y, 0, 0), {}, {}, m_layout.boxes.size(), 0});
            return;
        }
        const double padding = kRowPadding * m_zoom;
        const double inner = innerHeight(stage, m_zoom, m_besideWidth);
        StageRow row;
        row.stage = index;
        row.rect = QRectF(0, m_y, 0, inner + 2 * padding);
        row.gutter = QRectF(kPageMargin, m_y, m_gutter - kPageMargin, row.rect.height());
        row.lanes = QRectF(m_gutter + kPageMargin, m_y + padding, 0, inner);
        row.firstBox = m_layout.boxes.size();
        row.isList = isList(stage, m_zoom, m_besideWidth);
        if (row.isList)
            placeLines(stage, row);
        else
            placeLanes(stage, row);
        row.boxCount = m_layout.boxes.size() - row.firstBox;
        m_right = std::max(m_right, row.lanes.right());
        m_y = row.rect.bottom();
        m_layout.rows.push_back(row);
    }

    void placeLanes(const Stage &stage, StageRow &row)
    {
        const bool merge = stage.isMerged();
        const double box = kOperatorHeight * m_zoom;
        const double gap = kBoxGap * m_zoom;
        const double title = titleHeight(stage, m_zoom);
        const auto lanes = static_cast<double>(laneCount(stage));
        const double between = merge ? 0 : gap;
        const double share = (lengthOf(row.stage) - (lanes - 1) * between) / lanes;
        const double lane = std::max(share, m_narrowest * m_zoom);
        row.lanes.setWidth(lanes * lane + (lanes - 1) * between);
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            const double x = row.lanes.left() + static_cast<double>(group) * (lane + between);
            for (std::size_t i = 0; i < stage.groups[group].size(); ++i) {
                const double y = row.lanes.top() + title + static_cast<double>(i) * (box + gap);
                m_layout.boxes.push_back({QRectF(x, y, lane, box), stage.groups[group][i], row.stage, group, merge});
            }
        }
    }

    void placeLines(const Stage &stage, StageRow &row)
    {
        const bool merge = stage.isMerged();
        row.lanes.setWidth(m_lanesWidth);
        double y = row.lanes.top() + titleHeight(stage, m_zoom);
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            y += group > 0 ? betweenGroups(stage, m_zoom) : 0;
            for (std::size_t i = 0; i < stage.groups[group].size(); ++i) {
                y += i > 0 ? kLineGap * m_zoom : 0;
                const double indent = merge ? 0 : kGroupMark;
                const QRectF line(row.lanes.left() + indent, y, row.lanes.width() - indent, kLineHeight * m_zoom);
                m_layout.boxes.push_back({line, stage.groups[group][i], row.stage, group, merge});
                y = line.bottom();
            }
        }
    }

    const TimedSchedule &m_schedule;
    const RowPlaces *m_places;
    RowLengths m_lengths;
    std::size_t m_nextTop = 0; // of m_places->headerTops
    double m_fullUs = 0;       // latency that the width of the lanes stands for
    double m_zoom;
    double m_besideWidth;
    double m_gutter;
    double m_lanesWidth;
    double m_rightMargin;
    double m_narrowest; // lane width
    double m_right;
    double m_y = 0;
    bool m_isFolded = false;
    std::vector<LatencyParts> m_blockParts;
    SchedulePage m_layout;
};

} // namespace

std::optional<SchedulePage::Hit> SchedulePage::at(QPointF point) const
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

const FoldLine *SchedulePage::foldAt(QPointF point) const
{
    const auto found = std::ranges::find_if(
        folds, [&](const FoldLine &fold) { return fold.rect.top() <= point.y() && point.y() < fold.rect.bottom(); });
    return found != folds.end() ? &*found : nullptr;
}

const BlockHeader *SchedulePage::headerAt(QPointF point) const
{
    const auto found = std::ranges::find_if(headers, [&](const BlockHeader &header) {
        return header.rect.top() <= point.y() && point.y() < header.rect.bottom();
    });
    return found != headers.end() ? &*found : nullptr;
}

std::pair<std::size_t, std::size_t> SchedulePage::rowsBetween(double top, double bottom) const
{
    const auto first =
        std::partition_point(rows.begin(), rows.end(), [top](const StageRow &row) { return row.rect.bottom() < top; });
    const auto last =
        std::partition_point(first, rows.end(), [bottom](const StageRow &row) { return row.rect.top() <= bottom; });
    return {static_cast<std::size_t>(first - rows.begin()), static_cast<std::size_t>(last - rows.begin())};
}

SchedulePage schedulePage(const TimedSchedule &schedule, double viewWidth, double zoom, const RowPlaces *places,
                          RowLengths lengths)
{
    return Placer(schedule, viewWidth, zoom, places, lengths).place();
}

double headerHeight(double zoom)
{
    return std::max(18.0, kBlockHeaderHeight * std::min(1.0, zoom));
}

double rowHeight(const Stage &stage, double zoom, double besideWidth)
{
    return innerHeight(stage, zoom, besideWidth) + 2 * kRowPadding * zoom;
}

double foldLineHeight(double zoom)
{
    return std::max(14.0, kFoldLineHeight * std::min(1.0, zoom));
}

std::vector<std::size_t> stageOfOperator(const Graph &graph, const TimedSchedule &schedule)
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
