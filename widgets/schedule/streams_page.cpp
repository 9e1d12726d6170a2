#include "widgets/schedule/streams_page.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kHeaderHeight = 26;
constexpr double kMargin = 10;
constexpr double kLaneGap = 14; // between boxes of neighbours: arrows go down there
constexpr double kNarrowestBox = 84;
constexpr double kBoxHeight = 36;
constexpr double kRowGap = 16;

} // namespace

std::optional<std::size_t> StreamsPage::launchAt(QPointF point) const
{
    const auto found = std::ranges::find_if(boxes, [&](const QRectF &box) { return box.contains(point); });
    return found == boxes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - boxes.begin()));
}

double laneHeaderHeight(double zoom)
{
    return std::max(18.0, kHeaderHeight * std::min(1.0, zoom));
}

double launchRowHeight(double zoom)
{
    return (kBoxHeight + kRowGap) * zoom;
}

StreamsPage streamsPage(const Streams &streams, double viewWidth, double zoom, const RowPlaces *places)
{
    StreamsPage page;
    page.headerHeight = laneHeaderHeight(zoom);
    const double count = std::max<double>(1, streams.count);
    const double gap = kLaneGap * zoom;
    const double lane = std::max(kNarrowestBox * zoom + gap, (viewWidth - 2 * kMargin) / count);
    const double box = kBoxHeight * zoom;
    std::vector<std::size_t> cuts;
    for (const SpanPlace &span : places ? places->spans : std::vector<SpanPlace>())
        cuts.push_back(span.stages.first);
    page.rows = launchRows(streams, cuts);
    std::vector<double> tops; // by row
    for (std::size_t i = 0, span = 0; i < page.rows.size(); ++i) {
        if (page.rows[i] < tops.size())
            continue;
        double top = tops.empty() ? page.headerHeight + kRowGap * zoom : tops.back() + launchRowHeight(zoom);
        if (places && span < places->spans.size() && places->spans[span].stages.first == i)
            top = places->spans[span++].top + kRowGap * zoom / 2;
        tops.push_back(top);
    }
    for (std::size_t i = 0; i < streams.count; ++i)
        page.lanes.push_back({QRectF(kMargin + static_cast<double>(i) * lane, 0, lane, 0), 0});
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        StreamLane &own = page.lanes[launch.stream];
        own.operators += launch.operators.size();
        const double top = tops[page.rows[i]];
        page.boxes.emplace_back(own.rect.left() + gap / 2, top, lane - gap, box);
        for (const std::uint32_t before : launch.waits) {
            const QRectF &from = page.boxes[before];
            page.arrows.push_back({before, i, {from.center().x(), from.bottom()}, {page.boxes[i].center().x(), top}});
        }
    }
    const double bottom = page.boxes.empty() ? page.headerHeight : page.boxes.back().bottom() + kRowGap * zoom;
    const double end = places ? places->height : bottom;
    for (StreamLane &each : page.lanes)
        each.rect.setBottom(end);
    page.size = QSizeF(2 * kMargin + count * lane, end + kMargin);
    return page;
}

} // namespace stagecraft
