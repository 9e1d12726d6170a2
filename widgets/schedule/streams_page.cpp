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

StreamsPage streamsPage(const Streams &streams, double viewWidth, double zoom)
{
    StreamsPage page;
    page.headerHeight = std::max(18.0, kHeaderHeight * std::min(1.0, zoom));
    const double count = std::max<double>(1, streams.count);
    const double gap = kLaneGap * zoom;
    const double lane = std::max(kNarrowestBox * zoom + gap, (viewWidth - 2 * kMargin) / count);
    const double box = kBoxHeight * zoom;
    const double step = box + kRowGap * zoom;
    page.rows = launchRows(streams);
    for (std::size_t i = 0; i < streams.count; ++i)
        page.lanes.push_back({QRectF(kMargin + static_cast<double>(i) * lane, 0, lane, 0), 0});
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        StreamLane &own = page.lanes[launch.stream];
        own.operators += launch.operators.size();
        const double top = page.headerHeight + kRowGap * zoom + static_cast<double>(page.rows[i]) * step;
        page.boxes.emplace_back(own.rect.left() + gap / 2, top, lane - gap, box);
        for (const std::uint32_t before : launch.waits) {
            const QRectF &from = page.boxes[before];
            page.arrows.push_back({before, i, {from.center().x(), from.bottom()}, {page.boxes[i].center().x(), top}});
        }
    }
    const double bottom = page.boxes.empty() ? page.headerHeight : page.boxes.back().bottom() + kRowGap * zoom;
    for (StreamLane &each : page.lanes)
        each.rect.setBottom(bottom);
    page.size = QSizeF(2 * kMargin + count * lane, bottom + kMargin);
    return page;
}

} // namespace stagecraft
