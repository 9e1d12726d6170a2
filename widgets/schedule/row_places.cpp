#include "widgets/schedule/row_places.h"

#include "schedule/streams/stream_parts.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/streams_page.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

double heightOf(StageList stages, StageRange range, double zoom, double width)
{
    double height = 0;
    for (std::size_t i = range.first; i < range.end(); ++i) {
        if (i > range.first && stages[i].block != stages[i - 1].block) // beside streams
            height += headerHeight(zoom);
        height += rowHeight(stages[i], zoom, width);
    }
    return height;
}

StageRange stagesOfRun(const std::vector<CommonSpan> &spans, const EqualRun &run, std::size_t side)
{
    const StageRange &first = spans[run.firstSpan].sides[side];
    return {first.first, spans[run.firstSpan + run.spans - 1].sides[side].end() - first.first};
}

std::vector<std::size_t> firstOf(const std::vector<StageRange> &ranges)
{
    std::vector<std::size_t> first;
    for (const StageRange &range : ranges) {
        if (range.count > 0)
            first.push_back(range.first);
    }
    return first;
}

// Rooms for the launches of streams, on pages of their own.
class BesidePlaces {
public:
    BesidePlaces(std::span<const StreamsBeside> beside, double zoom) : m_beside(beside), m_zoom(zoom)
    {
        for (const StreamsBeside &each : beside) {
            m_pages.emplace_back();
            m_rows.push_back(launchRows(*each.streams, firstOf(each.launches)));
            m_ends.push_back(0);
        }
    }

    // Where a span can begin at the earliest: below the launches that end before it.
    [[nodiscard]] double topOf(std::size_t span, double y) const
    {
        for (std::size_t i = 0; i < m_beside.size(); ++i)
            y = m_beside[i].launches[span].count > 0 ? std::max(y, m_ends[i]) : y;
        return y;
    }

    void place(std::size_t span, double top)
    {
        for (std::size_t i = 0; i < m_beside.size(); ++i) {
            const StageRange launches = m_beside[i].launches[span];
            if (launches.count == 0)
                continue;
            const std::size_t rows = m_rows[i][launches.end() - 1] - m_rows[i][launches.first] + 1;
            const double height = static_cast<double>(rows) * launchRowHeight(m_zoom);
            m_pages[i].spans.push_back({span, launches, top, height});
            m_ends[i] = top + height;
        }
    }

    [[nodiscard]] double end(double y) const
    {
        for (const double end : m_ends)
            y = std::max(y, end);
        return y;
    }

    [[nodiscard]] std::vector<RowPlaces> take() { return std::move(m_pages); }

private:
    std::span<const StreamsBeside> m_beside;
    double m_zoom;
    std::vector<RowPlaces> m_pages;
    std::vector<std::vector<std::size_t>> m_rows; // by launch
    std::vector<double> m_ends;                   // of the launches that were placed last
};

} // namespace

StreamsBeside streamsBeside(const Streams &streams, const std::vector<StageList> &schedules,
                            const std::vector<CommonSpan> &spans)
{
    const std::vector<Stage> asStages = launchesAsStages(streams);
    std::vector<StageList> all = schedules;
    all.emplace_back(asStages);
    StreamsBeside beside{&streams, std::vector<StageRange>(spans.size())};
    const auto firstOfSpan = [](const CommonSpan &span) { return span.sides.front().first; };
    std::size_t last = 0; // the span that has launches
    for (const CommonSpan &joint : commonSpans(all)) {
        const auto own = std::ranges::lower_bound(spans, joint.sides.front().first, {}, firstOfSpan);
        const StageRange &launches = joint.sides.back();
        if (own == spans.end() || firstOfSpan(*own) != joint.sides.front().first) {
            beside.launches[last].count += launches.count;
            continue;
        }
        last = static_cast<std::size_t>(own - spans.begin());
        beside.launches[last] = launches;
    }
    return beside;
}

std::vector<EqualRun> equalRuns(const std::vector<CommonSpan> &spans)
{
    std::vector<EqualRun> runs;
    for (std::size_t i = 0; i < spans.size();) {
        EqualRun run{i, 0};
        std::size_t stages = 0;
        for (; i < spans.size() && spans[i].isEqual && spans[i].block == spans[run.firstSpan].block; ++i) {
            ++run.spans;
            stages += spans[i].sides.front().count;
        }
        if (stages > 1)
            runs.push_back(run);
        if (run.spans == 0)
            ++i;
    }
    return runs;
}

std::vector<RowPlaces> placeRows(const std::vector<StageList> &schedules, const std::vector<CommonSpan> &spans,
                                 const std::set<std::size_t> &folded, double zoom, double width,
                                 std::span<const StreamsBeside> beside)
{
    std::vector<RowPlaces> pages(schedules.size());
    const std::vector<EqualRun> runs = equalRuns(spans);
    auto run = runs.begin();
    BesidePlaces ofStreams(beside, zoom);
    double y = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        y = ofStreams.topOf(i, y);
        const std::size_t first = spans[i].sides.front().first;
        if (first == 0 || schedules.front()[first].block != schedules.front()[first - 1].block) {
            for (RowPlaces &page : pages)
                page.headerTops.push_back(y);
            // The names of lanes stay at the top of a page of streams.
            y += i == 0 && !beside.empty() ? std::max(headerHeight(zoom), laneHeaderHeight(zoom)) : headerHeight(zoom);
        }
        if (run != runs.end() && i >= run->firstSpan + run->spans)
            ++run;
        const bool isInRun = run != runs.end() && i >= run->firstSpan;
        const bool isFolded = isInRun && folded.contains(run->firstSpan);
        if (isInRun && i == run->firstSpan) {
            const double line = foldLineHeight(zoom);
            for (std::size_t side = 0; side < pages.size(); ++side)
                pages[side].folds.push_back({i, stagesOfRun(spans, *run, side), y, line, isFolded});
            y += line;
        }
        ofStreams.place(i, y);
        double height = 0;
        for (std::size_t side = 0; side < pages.size() && !isFolded; ++side)
            height = std::max(height, heightOf(schedules[side], spans[i].sides[side], zoom, width));
        for (std::size_t side = 0; side < pages.size(); ++side)
            pages[side].spans.push_back({i, spans[i].sides[side], y, height, spans[i].isEqual});
        y += height;
    }
    y = ofStreams.end(y);
    std::ranges::move(ofStreams.take(), std::back_inserter(pages));
    for (RowPlaces &page : pages) {
        page.height = y;
        page.width = width;
    }
    return pages;
}

} // namespace stagecraft
