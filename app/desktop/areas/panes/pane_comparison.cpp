#include "desktop/areas/panes/pane_comparison.h"

#include "desktop/areas/panes/schedule_pane.h"
#include "schedule/compare/latency_parts.h"
#include "schedule/streams/stream_events.h"
#include "schedule/streams/stream_parts.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_change.h"
#include "widgets/schedule/streams_view.h"

#include <QScrollBar>

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kFoldFrom = 3; // from this many panes on, equal stages are folded initially

StageRange blockOrSpan(const ComparedSchedules &compared, std::size_t side, std::size_t span, bool wholeBlock)
{
    return wholeBlock ? compared.rangeOfBlock(side, compared.spans()[span].block) : compared.spans()[span].sides[side];
}

// nullopt: nothing of it is in a span.
std::optional<std::size_t> spanOfSelected(const ComparedSchedules &compared, std::size_t side, const Selected &selected)
{
    const TimedSchedule &schedule = compared.schedule(side);
    if (schedule.streams && selected.op) {
        const auto launchOf = launchOfOperators(*compared.graph(), *schedule.streams);
        return compared.spanOf(side, launchOf[selected.op->index()]);
    }
    if (selected.stage && *selected.stage < schedule.stages.size())
        return compared.spanOf(side, *selected.stage);
    const auto found = std::ranges::find(compared.spans(), selected.block, &CommonSpan::block);
    return found == compared.spans().end() ? std::nullopt
                                           : std::optional(static_cast<std::size_t>(found - compared.spans().begin()));
}

} // namespace

bool PaneComparison::Shown::isSame(const Shown &other) const
{
    return pane == other.pane && timeline == other.timeline && graph == other.graph &&
           isSameMeasured(schedule, other.schedule);
}

// Those that show a schedule of the model of the first one with stages, or else of the first with streams.
std::vector<PaneComparison::Shown> PaneComparison::shownOfOneModel() const
{
    std::vector<Shown> all;
    const ScheduleResult *first = nullptr;
    std::size_t operators = 0;
    for (const bool isOfStages : {true, false}) {
        for (std::size_t i = 0; !first && i < m_panes.size(); ++i) {
            const SchedulePtr &schedule = m_panes[i]->schedule();
            if (!schedule || !m_panes[i]->model() || schedule->streams.has_value() == isOfStages)
                continue;
            first = m_document->results()->shelf().find(m_panes[i]->result());
            operators = m_panes[i]->model()->graph->size();
        }
    }
    for (std::size_t i = 0; first && m_panes.size() > 1 && i < m_panes.size(); ++i) {
        const ScheduleResult *result = m_document->results()->shelf().find(m_panes[i]->result());
        const ModelPtr model = m_panes[i]->model();
        if (result && model && m_panes[i]->schedule() && result->settings.model == first->settings.model &&
            model->graph->size() == operators)
            all.push_back(
                {i, m_panes[i]->schedule(), m_document->results()->timelineOf(m_panes[i]->result()), model->graph});
    }
    return all;
}

bool PaneComparison::update()
{
    std::vector<Shown> shown = shownOfOneModel();
    if (std::ranges::equal(shown, m_shown, [](const Shown &one, const Shown &other) { return one.isSame(other); }))
        return false;
    m_shown = std::move(shown);
    std::vector<Shown> withStages;
    std::ranges::copy_if(m_shown, std::back_inserter(withStages), [](const Shown &each) { return !each.hasStreams(); });
    const std::vector<CommonSpan> before = m_staged ? m_staged->spans() : std::vector<CommonSpan>{};
    m_stagedPanes.clear();
    for (const Shown &each : withStages)
        m_stagedPanes.push_back(each.pane);
    m_staged = compare(withStages);
    m_compared = withStages.size() == m_shown.size() ? m_staged : compare(m_shown);
    if (!m_staged)
        m_stagedPanes.clear();
    m_placed = std::move(withStages);
    m_placedWithStages = m_placed.size();
    std::ranges::copy_if(m_shown, std::back_inserter(m_placed), [&](const Shown &each) {
        return each.hasStreams() && m_placedWithStages > 0 && each.graph == m_placed.front().graph;
    });
    if (m_placed.size() < 2) {
        m_placed.clear();
        m_placedWithStages = 0;
    }
    if (!m_staged || m_staged->spans() != before)
        foldByDefault();
    align();
    compareBesideStreams();
    return true;
}

std::shared_ptr<const ComparedSchedules> PaneComparison::compare(const std::vector<Shown> &shown) const
{
    if (shown.size() < 2)
        return nullptr;
    std::vector<SchedulePtr> schedules;
    std::vector<std::shared_ptr<const TimelineIndex>> timelines;
    for (const Shown &each : shown) {
        schedules.push_back(each.schedule);
        timelines.push_back(each.timeline);
    }
    return std::make_shared<const ComparedSchedules>(shown.front().graph, std::move(schedules), timelines,
                                                     m_panes[shown.front().pane]->model()->blocks);
}

void PaneComparison::compareBesideStreams()
{
    m_besideStreams.clear();
    for (const Shown &left : m_placed) {
        const auto right = std::ranges::find(m_placed, left.pane + 1, &Shown::pane);
        if (right != m_placed.end() && left.hasStreams() != right->hasStreams())
            m_besideStreams[left.pane] = compare({left, *right});
    }
}

std::shared_ptr<const ComparedSchedules> PaneComparison::besideStreams(std::size_t left) const
{
    const auto found = m_besideStreams.find(left);
    return found == m_besideStreams.end() ? nullptr : found->second;
}

std::vector<StageList> PaneComparison::placedStages() const
{
    std::vector<StageList> stages;
    for (std::size_t i = 0; i < m_placedWithStages; ++i)
        stages.emplace_back(m_placed[i].schedule->stages);
    return stages;
}

// Beside one pane with stages spans are those that it has with the last streams.
void PaneComparison::align()
{
    const std::vector<StageList> stages = placedStages();
    m_beside.clear();
    m_placedSpans = m_staged ? m_staged->spans() : std::vector<CommonSpan>();
    if (!m_staged && !m_placed.empty()) {
        const std::vector<Stage> launches = launchesAsStages(*m_placed.back().schedule->streams);
        m_placedSpans = commonSpans({stages.front(), launches});
        std::ranges::for_each(m_placedSpans, [](CommonSpan &span) { span.isEqual = false; });
    }
    for (std::size_t i = m_placedWithStages; i < m_placed.size(); ++i)
        m_beside.push_back(streamsBeside(*m_placed[i].schedule->streams, stages, m_placedSpans));
}

bool PaneComparison::isPlaced(std::size_t pane) const
{
    return std::ranges::find(m_placed, pane, &Shown::pane) != m_placed.end();
}

std::optional<std::size_t> PaneComparison::sideOf(std::size_t pane) const
{
    const auto found = std::ranges::find(m_shown, pane, &Shown::pane);
    if (!m_compared || found == m_shown.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - m_shown.begin());
}

std::optional<std::size_t> PaneComparison::stagedSideOf(std::size_t pane) const
{
    const auto found = std::ranges::find(m_stagedPanes, pane);
    if (found == m_stagedPanes.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - m_stagedPanes.begin());
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
    if (!m_staged || !areEqualStagesFolded())
        return;
    for (const EqualRun &run : equalRuns(m_staged->spans()))
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
    for (SchedulePane *pane : m_panes) {
        pane->view()->setPlacer({});
        pane->streams()->setPlacer({});
    }
    for (std::size_t place = 0; place < m_placed.size(); ++place) {
        const auto placer = [this, place](double zoom) { return placesOf(place, zoom); };
        if (m_placed[place].hasStreams())
            m_panes[m_placed[place].pane]->streams()->setPlacer(placer);
        else
            m_panes[m_placed[place].pane]->view()->setPlacer(placer);
    }
}

RowPlaces PaneComparison::placesOf(std::size_t place, double zoom)
{
    const double width = narrowestPage();
    if (m_places.empty() || m_placedZoom != zoom || m_placedWidth != width) {
        m_places = placeRows(placedStages(), m_placedSpans, m_folded, zoom, width, m_beside);
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
    for (std::size_t i = 0; !m_areLengthsLatencies && i < m_placedWithStages; ++i) {
        const ScheduleView *view = m_panes[m_placed[i].pane]->view();
        width = std::min<double>(width, view->width() - view->verticalScrollBar()->sizeHint().width());
    }
    return width;
}

void PaneComparison::setLengths()
{
    RowLengths lengths{m_areLengthsLatencies, 0};
    for (std::size_t side = 0; side < m_stagedPanes.size(); ++side)
        for (const double us : m_staged->schedule(side).stageLatenciesUs())
            lengths.fullUs = std::max(lengths.fullUs, us);
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        m_panes[i]->view()->setLengths(stagedSideOf(i) ? lengths : RowLengths{m_areLengthsLatencies, 0});
}

void PaneComparison::setBlockChanges()
{
    for (SchedulePane *pane : m_panes)
        pane->view()->setBlockChanges({});
    if (!m_staged)
        return;
    const std::vector<LatencyParts> first = blockParts(m_staged->schedule(0));
    for (std::size_t side = 1; side < m_stagedPanes.size(); ++side) {
        const std::vector<LatencyParts> other = blockParts(m_staged->schedule(side));
        std::vector<TimeChange> changes;
        for (std::size_t block = 0; block < std::min(first.size(), other.size()); ++block)
            changes.push_back(blockChange(*m_staged, first[block], other[block], side));
        m_panes[m_stagedPanes[side]]->view()->setBlockChanges(std::move(changes));
    }
}

std::optional<std::size_t> PaneComparison::spanOf(std::size_t pane, const Selected &selected) const
{
    const auto side = sideOf(pane);
    return side ? spanOfSelected(*m_compared, *side, selected) : std::nullopt;
}

std::optional<std::size_t> PaneComparison::stagedSpanOf(std::size_t pane, const Selected &selected) const
{
    const auto side = stagedSideOf(pane);
    return side ? spanOfSelected(*m_staged, *side, selected) : std::nullopt;
}

// Without stages to compare, as where one has streams, an operator of the same model is still the same.
Selected PaneComparison::operatorIn(const Selected &selected, std::size_t pane, std::size_t other) const
{
    const ModelPtr model = m_panes[pane]->model();
    const SchedulePtr &schedule = m_panes[other]->schedule();
    if (!selected.op || !schedule || !model || m_panes[other]->model() != model)
        return {};
    return selectedOperator(*model->graph, schedule.get(), *selected.op);
}

Counterpart PaneComparison::counterpart(const Selected &selected, std::size_t pane, std::size_t other) const
{
    Counterpart found;
    const auto side = stagedSideOf(pane);
    const auto otherSide = stagedSideOf(other);
    if (!side || !otherSide)
        return {operatorIn(selected, pane, other), {}, {}};
    if (selected.block) {
        found.selected.block = selected.block;
    } else if (selected.stage && *selected.stage < m_staged->schedule(*side).stages.size()) {
        if (selected.op) {
            found.selected.op = selected.op;
            const auto stageOf = stageOfOperator(*m_staged->graph(), m_staged->schedule(*otherSide));
            if (selected.op->index() < stageOf.size())
                found.selected.stage = stageOf[selected.op->index()];
        } else if (const auto stage = m_staged->counterpart(*side, *selected.stage, *otherSide)) {
            found.selected.stage = stage;
        } else {
            found.missing =
                QStringLiteral("%1 of %2: not in this schedule").arg(stageTitle(*selected.stage), paneLetter(pane));
            found.missingIn = *m_staged->spanOf(*side, *selected.stage);
        }
    }
    return found;
}

std::optional<StagesToTake> PaneComparison::toTake(std::size_t from, std::size_t into, std::size_t span,
                                                   bool wholeBlock) const
{
    const auto fromSide = stagedSideOf(from);
    const auto intoSide = stagedSideOf(into);
    if (!fromSide || !intoSide)
        return std::nullopt;
    const StageRange fromStages = blockOrSpan(*m_staged, *fromSide, span, wholeBlock);
    const StageRange intoStages = blockOrSpan(*m_staged, *intoSide, span, wholeBlock);
    const auto stagesOf = [&](std::size_t side, const StageRange &range) {
        return StageList(m_staged->schedule(side).stages).subspan(range.first, range.count);
    };
    if (std::ranges::equal(stagesOf(*fromSide, fromStages), stagesOf(*intoSide, intoStages)))
        return std::nullopt;
    return StagesToTake{from, into, fromStages, intoStages};
}

} // namespace stagecraft
