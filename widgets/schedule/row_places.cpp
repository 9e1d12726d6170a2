#include "widgets/schedule/row_places.h"

#include "widgets/schedule/schedule_page.h"

#include <algorithm>

namespace stagecraft {
namespace {

double heightOf(StageList stages, StageRange range, double zoom, double width)
{
    double height = 0;
    for (const Stage &stage : stages.subspan(range.first, range.count))
        height += rowHeight(stage, zoom, width);
    return height;
}

StageRange stagesOfRun(const std::vector<CommonSpan> &spans, const EqualRun &run, std::size_t side)
{
    const StageRange &first = spans[run.firstSpan].sides[side];
    return {first.first, spans[run.firstSpan + run.spans - 1].sides[side].end() - first.first};
}

} // namespace

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
                                 const std::set<std::size_t> &folded, double zoom, double width)
{
    std::vector<RowPlaces> pages(schedules.size());
    const std::vector<EqualRun> runs = equalRuns(spans);
    auto run = runs.begin();
    double y = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i == 0 || spans[i].block != spans[i - 1].block) {
            for (RowPlaces &page : pages)
                page.headerTops.push_back(y);
            y += headerHeight(zoom);
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
        double height = 0;
        for (std::size_t side = 0; side < pages.size() && !isFolded; ++side)
            height = std::max(height, heightOf(schedules[side], spans[i].sides[side], zoom, width));
        for (std::size_t side = 0; side < pages.size(); ++side)
            pages[side].spans.push_back({i, spans[i].sides[side], y, height, spans[i].isEqual});
        y += height;
    }
    for (RowPlaces &page : pages) {
        page.height = y;
        page.width = width;
    }
    return pages;
}

} // namespace stagecraft
