#include "desktop/areas/panes/pane_comparison.h"

#include "desktop/areas/panes/schedule_pane.h"
#include "schedule/compare/latency_parts.h"
#include "schedule/streams/stream_parts.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_change.h"
#include "widgets/schedule/streams_view.h"

#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kFoldFrom = 3; // from this many panes on, equal stages are folded initially

StageRange blockOrSpan(const ComparedSchedules &compared, std::size_t side, std::size_t span, bool wholeBlock)
{
    return wholeBlock ? compared.rangeOfBlock(side, compared.spans()[span].block) : compared.spans()[span].sides[side];
}

} // namespace

bool PaneComparison::update()
{
    std::vector<std::size_t> sides;
    std::vector<SchedulePtr> schedules;
    std::vector<std::shared_ptr<const TimelineIndex>> timelines;
    std::vector<std::size_t> withStreams;
    std::shared_ptr<const Graph> graph;
    const ScheduleResult *first = nullptr;
    for (std::size_t i = 0; m_panes.size() > 1 && i < m_panes.size(); ++i) {
        const ScheduleResult *result = m_document->results()->shelf().find(m_panes[i]->result());
        const ModelPtr model = m_panes[i]->model();
        if (!result || !model || !m_panes[i]->schedule())
            continue;
        if (m_panes[i]->schedule()->streams) {
            withStreams.push_back(i);
            continue;
        }
        if (!first) {
            first = result;
            graph = model->graph;
        }
        if (result->settings.model != first->settings.model || model->graph->size() != graph->size())
            continue;
        sides.push_back(i);
        schedules.push_back(m_panes[i]->schedule());
        timelines.push_back(m_document->results()->timelineOf(m_panes[i]->result()));
    }
    std::vector<std::size_t> placed = sides;
    std::vector<SchedulePtr> placedSchedules = schedules;
    std::erase_if(withStreams, [&](std::size_t pane) { return !first || m_panes[pane]->model()->graph != graph; });
    for (const std::size_t pane : withStreams)
        placedSchedules.push_back(m_panes[pane]->schedule());
    if (placedSchedules.size() < 2) {
        placed.clear();
        placedSchedules.clear();
        withStreams.clear();
    }
    std::vector<std::shared_ptr<const TimelineIndex>> placedTimelines;
    for (const std::vector<std::size_t> *panes : {&placed, &withStreams}) {
        for (const std::size_t pane : *panes)
            placedTimelines.push_back(m_document->results()->timelineOf(m_panes[pane]->result()));
    }
    if (sides.size() < 2) {
        sides.clear();
        schedules.clear();
        timelines.clear();
    }
    const std::vector<SchedulePtr> schedulesBefore = m_compared ? m_compared->schedules() : std::vector<SchedulePtr>{};
    const bool isPlacedSo = placed == m_placed && withStreams == m_withStreams &&
                            placedTimelines == m_placedTimelines &&
                            std::ranges::equal(placedSchedules, m_placedSchedules, isSameMeasured);
    if (isPlacedSo && sides == m_sides && timelines == m_timelines &&
        std::ranges::equal(schedules, schedulesBefore, isSameMeasured))
        return false;
    m_placed = std::move(placed);
    m_withStreams = std::move(withStreams);
    m_placedSchedules = std::move(placedSchedules);
    m_placedTimelines = std::move(placedTimelines);
    const std::vector<CommonSpan> before = m_compared ? m_compared->spans() : std::vector<CommonSpan>{};
    m_sides = std::move(sides);
    m_timelines = std::move(timelines);
    m_compared = schedules.empty()
                     ? nullptr
                     : std::make_shared<const ComparedSchedules>(graph, std::move(schedules), m_timelines);
    if (!m_compared || m_compared->spans() != before)
        foldByDefault();
    align();
    compareBesideStreams(graph);
    return true;
}

void PaneComparison::compareBesideStreams(const std::shared_ptr<const Graph> &graph)
{
    m_besideStreams.clear();
    std::map<std::size_t, std::size_t> places; // by pane
    for (const std::vector<std::size_t> *panes : {&m_placed, &m_withStreams}) {
        for (const std::size_t pane : *panes)
            places.emplace(pane, places.size());
    }
    for (const auto &[left, place] : places) {
        const auto right = places.find(left + 1);
        if (right == places.end() || (place < m_placed.size()) == (right->second < m_placed.size()))
            continue;
        m_besideStreams[left] = std::make_shared<const ComparedSchedules>(
            graph, std::vector{m_placedSchedules[place], m_placedSchedules[right->second]},
            std::vector{m_placedTimelines[place], m_placedTimelines[right->second]});
    }
}

std::shared_ptr<const ComparedSchedules> PaneComparison::besideStreams(std::size_t left) const
{
    const auto found = m_besideStreams.find(left);
    return found == m_besideStreams.end() ? nullptr : found->second;
}

// Beside one pane with stages spans are those that it has with the last streams.
void PaneComparison::align()
{
    std::vector<StageList> stages;
    for (std::size_t i = 0; i < m_placed.size(); ++i)
        stages.emplace_back(m_placedSchedules[i]->stages);
    m_beside.clear();
    m_placedSpans = m_compared ? m_compared->spans() : std::vector<CommonSpan>();
    if (!m_compared && !m_placed.empty()) {
        const std::vector<Stage> launches = launchesAsStages(*m_placedSchedules.back()->streams);
        m_placedSpans = commonSpans({stages.front(), launches});
        std::ranges::for_each(m_placedSpans, [](CommonSpan &span) { span.isEqual = false; });
    }
    for (std::size_t i = m_placed.size(); i < m_placedSchedules.size(); ++i)
        m_beside.push_back(streamsBeside(*m_placedSchedules[i]->streams, stages, m_placedSpans));
}

bool PaneComparison::isPlaced(std::size_t pane) const
{
    return std::ranges::find(m_placed, pane) != m_placed.end() ||
           std::ranges::find(m_withStreams, pane) != m_withStreams.end();
}

std::optional<std::size_t> PaneComparison::sideOf(std::size_t pane) const
{
    const auto found = std::ranges::find(m_sides, pane);
    if (found == m_sides.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - m_sides.begin());
}

bool PaneComparison::areEqualStagesFolded() const
{
    return m_foldEqual.value_or(m_panes.size() >= kFoldFrom);
}

void PaneComparison::setEqualStagesFolded(bool folded)
{
    m_foldEqual = folded;
    foldByDefault();
}

void PaneComparison::foldByDefault()
{
    m_folded.clear();
    if (!m_compared || !areEqualStagesFolded())
        return;
    for (const EqualRun &run : equalRuns(m_compared->spans()))
        m_folded.insert(run.firstSpan);
}

void PaneComparison::toggleFold(std::size_t firstSpan)
{
    if (!m_folded.erase(firstSpan))
        m_folded.insert(firstSpan);
}

void PaneComparison::place()
{
    m_places.clear();
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        const auto stages = std::ranges::find(m_placed, i);
        const auto streams = std::ranges::find(m_withStreams, i);
        const auto placer = [this](std::ptrdiff_t place) {
            return [this, place](double zoom) { return placesOf(static_cast<std::size_t>(place), zoom); };
        };
        if (stages != m_placed.end())
            m_panes[i]->view()->setPlacer(placer(stages - m_placed.begin()));
        else
            m_panes[i]->view()->setPlacer({});
        if (streams != m_withStreams.end())
            m_panes[i]->streams()->setPlacer(
                placer(streams - m_withStreams.begin() + static_cast<std::ptrdiff_t>(m_placed.size())));
        else
            m_panes[i]->streams()->setPlacer({});
    }
}

RowPlaces PaneComparison::placesOf(std::size_t place, double zoom)
{
    const double width = narrowestPage();
    if (m_places.empty() || m_placedZoom != zoom || m_placedWidth != width) {
        std::vector<StageList> stages;
        for (std::size_t i = 0; i < m_placed.size(); ++i)
            stages.emplace_back(m_placedSchedules[i]->stages);
        m_places = placeRows(stages, m_placedSpans, m_folded, zoom, width, m_beside);
        m_placedZoom = zoom;
        m_placedWidth = width;
    }
    return m_places[place];
}

// Beside a scroll bar, whether there is one or not: it depends on the rows, which depend on this width. Lengths that
// are latencies leave boxes as narrow as they are.
double PaneComparison::narrowestPage() const
{
    double width = kAnyWidth;
    for (const std::size_t pane : m_areLengthsLatencies ? std::vector<std::size_t>{} : m_placed) {
        const ScheduleView *view = m_panes[pane]->view();
        width = std::min<double>(width, view->width() - view->verticalScrollBar()->sizeHint().width());
    }
    return width;
}

void PaneComparison::setLengths()
{
    RowLengths lengths{m_areLengthsLatencies, 0};
    for (std::size_t side = 0; m_compared && side < m_sides.size(); ++side)
        for (const double us : m_compared->schedule(side).stageLatenciesUs())
            lengths.fullUs = std::max(lengths.fullUs, us);
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        m_panes[i]->view()->setLengths(sideOf(i) ? lengths : RowLengths{m_areLengthsLatencies, 0});
}

void PaneComparison::setBlockChanges()
{
    for (SchedulePane *pane : m_panes)
        pane->view()->setBlockChanges({});
    if (!m_compared)
        return;
    const std::vector<LatencyParts> first = blockParts(m_compared->schedule(0));
    for (std::size_t side = 1; side < m_sides.size(); ++side) {
        const std::vector<LatencyParts> other = blockParts(m_compared->schedule(side));
        std::vector<TimeChange> changes;
        for (std::size_t block = 0; block < std::min(first.size(), other.size()); ++block)
            changes.push_back(blockChange(*m_compared, first[block], other[block], side));
        m_panes[m_sides[side]]->view()->setBlockChanges(std::move(changes));
    }
}

std::optional<std::size_t> PaneComparison::spanOf(std::size_t pane, const Selected &selected) const
{
    const auto side = sideOf(pane);
    if (!side)
        return std::nullopt;
    if (selected.stage && *selected.stage < m_compared->schedule(*side).stages.size())
        return m_compared->spanOf(*side, *selected.stage);
    if (selected.block) {
        const auto &spans = m_compared->spans();
        const auto found = std::ranges::find(spans, *selected.block, &CommonSpan::block);
        if (found != spans.end())
            return static_cast<std::size_t>(found - spans.begin());
    }
    return std::nullopt;
}

// Without stages to compare, as where one has streams, an operator of the same model is still the same.
Selected PaneComparison::operatorIn(const Selected &selected, std::size_t pane, std::size_t other) const
{
    const ModelPtr model = m_panes[pane]->model();
    const SchedulePtr &schedule = m_panes[other]->schedule();
    if (!selected.op || !schedule || !model || m_panes[other]->model() != model)
        return {};
    const std::size_t stage = stageOfOperator(*model->graph, *schedule)[selected.op->index()];
    return {selected.op, stage < schedule->stages.size() ? std::optional(stage) : std::nullopt};
}

Counterpart PaneComparison::counterpart(const Selected &selected, std::size_t pane, std::size_t other) const
{
    Counterpart found;
    const auto side = sideOf(pane);
    const auto otherSide = sideOf(other);
    if (!side || !otherSide)
        return {operatorIn(selected, pane, other), {}, {}};
    if (selected.block) {
        found.selected.block = selected.block;
    } else if (selected.stage && *selected.stage < m_compared->schedule(*side).stages.size()) {
        if (selected.op) {
            found.selected.op = selected.op;
            const auto stageOf = stageOfOperator(*m_compared->graph(), m_compared->schedule(*otherSide));
            if (selected.op->index() < stageOf.size())
                found.selected.stage = stageOf[selected.op->index()];
        } else if (const auto stage = m_compared->counterpart(*side, *selected.stage, *otherSide)) {
            found.selected.stage = stage;
        } else {
            found.missing =
                QStringLiteral("%1 of %2: not in this schedule").arg(stageTitle(*selected.stage), paneLetter(pane));
            found.missingIn = *m_compared->spanOf(*side, *selected.stage);
        }
    }
    return found;
}

std::optional<StagesToTake> PaneComparison::toTake(std::size_t from, std::size_t into, std::size_t span,
                                                   bool wholeBlock) const
{
    const auto fromSide = sideOf(from);
    const auto intoSide = sideOf(into);
    if (!fromSide || !intoSide)
        return std::nullopt;
    const StageRange fromStages = blockOrSpan(*m_compared, *fromSide, span, wholeBlock);
    const StageRange intoStages = blockOrSpan(*m_compared, *intoSide, span, wholeBlock);
    const auto stagesOf = [&](std::size_t side, const StageRange &range) {
        return StageList(m_compared->schedule(side).stages).subspan(range.first, range.count);
    };
    if (std::ranges::equal(stagesOf(*fromSide, fromStages), stagesOf(*intoSide, intoStages)))
        return std::nullopt;
    return StagesToTake{from, into, fromStages, intoStages};
}

} // namespace stagecraft
