// Keeps panes in step: comparison, row positions, folds, scrolling, zoom, selection and differences.

#include "desktop/pane_row.h"

#include "desktop/schedule_pane.h"
#include "schedule/compare/latency_parts.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/selection.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_change.h"
#include "widgets/schedule/span_gutter.h"

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

// Compares the panes with a schedule of the first one's model. Creates a new comparison only if a schedule has changed.
void PaneRow::compare()
{
    std::vector<std::size_t> sides;
    std::vector<SchedulePtr> schedules;
    std::shared_ptr<const Graph> graph;
    const ScheduleResult *first = nullptr;
    for (std::size_t i = 0; m_panes.size() > 1 && i < m_panes.size(); ++i) {
        const ScheduleResult *result = m_document->shelf().find(m_panes[i]->result());
        const ModelPtr model = m_panes[i]->model();
        if (!result || !model || !m_panes[i]->schedule())
            continue;
        if (!first) {
            first = result;
            graph = model->graph;
        }
        if (result->settings.model != first->settings.model || model->graph->size() != graph->size())
            continue;
        sides.push_back(i);
        schedules.push_back(m_panes[i]->schedule());
    }
    if (sides.size() < 2) {
        sides.clear();
        schedules.clear();
    }
    const std::vector<SchedulePtr> schedulesBefore = m_compared ? m_compared->schedules() : std::vector<SchedulePtr>{};
    if (sides == m_sides && std::ranges::equal(schedules, schedulesBefore, isSameMeasured)) {
        setGutters(); // they may have been recreated
        return;
    }
    const std::vector<CommonSpan> before = m_compared ? m_compared->spans() : std::vector<CommonSpan>{};
    m_sides = std::move(sides);
    m_compared = schedules.empty() ? nullptr : std::make_shared<const ComparedSchedules>(graph, std::move(schedules));
    if (!m_compared || m_compared->spans() != before)
        foldByDefault();
    setGutters();
    place(); // first: the rest lays pages out
    setLengths();
    setBlockChanges();
    spreadSelection();
    emit comparedChanged();
}

bool PaneRow::areEqualStagesFolded() const
{
    return m_foldEqual.value_or(m_panes.size() >= kFoldFrom);
}

void PaneRow::foldByDefault()
{
    m_folded.clear();
    if (!m_compared || !areEqualStagesFolded())
        return;
    for (const EqualRun &run : equalRuns(m_compared->spans()))
        m_folded.insert(run.firstSpan);
}

void PaneRow::setEqualStagesFolded(bool folded)
{
    m_foldEqual = folded;
    foldByDefault();
    place();
    if (const auto span = currentSpan())
        showSpan(*span);
    emit panesChanged();
}

void PaneRow::toggleFold(std::size_t firstSpan)
{
    if (!m_folded.erase(firstSpan))
        m_folded.insert(firstSpan);
    place();
}

RowPlaces PaneRow::placesOf(std::size_t side, double zoom) const
{
    const double width = narrowestPage();
    if (m_places.empty() || m_placedZoom != zoom || m_placedWidth != width) {
        m_places = placeRows(m_compared->stages(), m_compared->spans(), m_folded, zoom, width);
        m_placedZoom = zoom;
        m_placedWidth = width;
    }
    return m_places[side];
}

// Beside a scroll bar, whether there is one or not: it depends on the rows, which depend on this width. Lengths that
// are latencies leave boxes as narrow as they are.
double PaneRow::narrowestPage() const
{
    double width = kAnyWidth;
    for (const std::size_t pane : m_areLengthsLatencies ? std::vector<std::size_t>{} : m_sides) {
        const ScheduleView *view = m_panes[pane]->view();
        width = std::min<double>(width, view->width() - view->verticalScrollBar()->sizeHint().width());
    }
    return width;
}

// Rows of all panes depend on the narrowest one: they are placed again when all have their new widths.
void PaneRow::placeSoon()
{
    if (!m_compared || std::exchange(m_isToPlace, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_isToPlace = false;
            if (m_compared && m_placedWidth != narrowestPage())
                place();
        },
        Qt::QueuedConnection);
}

// Of every block against the first pane.
void PaneRow::setBlockChanges()
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

void PaneRow::place()
{
    m_places.clear();
    m_isSpreading = true;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        ScheduleView *view = m_panes[i]->view();
        if (const auto side = sideOf(i))
            view->setPlacer([this, side = *side](double zoom) { return placesOf(side, zoom); });
        else
            view->setPlacer({});
    }
    m_isSpreading = false;
    zoomInStep(focusedPane(), focusedPane()->view()->zoom());
}

std::optional<std::size_t> PaneRow::sideOf(std::size_t pane) const
{
    const auto found = std::ranges::find(m_sides, pane);
    if (found == m_sides.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - m_sides.begin());
}

void PaneRow::setLinked(bool linked)
{
    m_isLinked = linked;
    if (linked) {
        zoomInStep(focusedPane(), focusedPane()->view()->zoom());
        scrollInStep(focusedPane());
    }
    emit panesChanged();
}

void PaneRow::scrollInStep(const SchedulePane *pane)
{
    if (m_isSpreading || !isInStep(indexOf(pane)))
        return;
    m_isSpreading = true;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (m_panes[i] != pane && isInStep(i))
            m_panes[i]->view()->verticalScrollBar()->setValue(pane->view()->verticalScrollBar()->value());
    }
    m_isSpreading = false;
}

void PaneRow::zoomInStep(const SchedulePane *pane, double zoom)
{
    if (m_isSpreading || !isInStep(indexOf(pane)))
        return;
    m_isSpreading = true;
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (m_panes[i] != pane && isInStep(i))
            m_panes[i]->view()->setZoom(zoom);
    }
    m_isSpreading = false;
    scrollInStep(pane);
}

// A selection by the user in a pane gives it the focus.
void PaneRow::showIn(SchedulePane *pane, const Selected &selected)
{
    const Selected copy = selected;
    if (pane != focusedPane())
        focus(indexOf(pane));
    m_selection->set(copy);
}

// Copies the focused pane's selection to the others: the same operator, the counterpart of the stage, or a note that
// there is none.
void PaneRow::spreadSelection()
{
    if (m_isSpreading || m_isClosing)
        return;
    m_isSpreading = true;
    const Selected selected = m_selection->current();
    const auto side = sideOf(m_focused);
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        if (i == m_focused)
            continue;
        ScheduleView *view = m_panes[i]->view();
        const auto other = sideOf(i);
        Selected there;
        QString missing;
        std::size_t missingIn = 0;
        if (side && other && selected.block) {
            there.block = selected.block;
        } else if (side && other && selected.stage && *selected.stage < m_compared->schedule(*side).stages.size()) {
            const std::size_t span = *m_compared->spanOf(*side, *selected.stage);
            if (selected.op) {
                there.op = selected.op;
                const auto stageOf = stageOfOperator(*m_compared->graph(), m_compared->schedule(*other));
                if (selected.op->index() < stageOf.size())
                    there.stage = stageOf[selected.op->index()];
            } else if (const auto stage = m_compared->counterpart(*side, *selected.stage, *other)) {
                there.stage = stage;
            } else {
                missing = QStringLiteral("%1 of %2: not in this schedule")
                              .arg(stageTitle(*selected.stage), paneLetter(m_focused));
                missingIn = span;
            }
        }
        m_panes[i]->selection()->set(there);
        view->setMissing(missing, missingIn);
    }
    focusedPane()->view()->setMissing({});
    focusedPane()->selection()->set(selected);
    m_isSpreading = false;
    scrollInStep(focusedPane());
}

std::optional<std::size_t> PaneRow::currentSpan() const
{
    const auto side = sideOf(m_focused);
    const Selected &selected = m_selection->current();
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

void PaneRow::showSpan(std::size_t span)
{
    const auto side = sideOf(m_focused).value_or(0);
    if (!m_compared || span >= m_compared->spans().size())
        return;
    if (!sideOf(m_focused))
        focus(paneOf(side));
    m_selection->set({std::nullopt, m_compared->spans()[span].sides[side].first});
    focusedPane()->view()->scrollToSpan(span);
}

void PaneRow::showStage(std::size_t side, std::size_t stage)
{
    if (!m_compared || side >= m_sides.size())
        return;
    if (const auto focusedSide = sideOf(m_focused); focusedSide != side) {
        // The stage's counterpart, if any, so that the focus stays.
        const auto there = focusedSide ? m_compared->counterpart(side, stage, *focusedSide) : std::nullopt;
        if (there) {
            m_selection->set({std::nullopt, there});
            return;
        }
        focus(paneOf(side));
    }
    m_selection->set({std::nullopt, stage});
}

std::optional<std::size_t> PaneRow::goToDifference(int direction)
{
    if (!m_compared)
        return std::nullopt;
    auto span = m_compared->nextDifference(currentSpan(), direction);
    if (!span) // wraps around
        span = m_compared->nextDifference(std::nullopt, direction);
    if (span)
        showSpan(*span);
    return span;
}

std::optional<StagesToTake> PaneRow::toTake(int neighbour, bool wholeBlock) const
{
    const auto span = currentSpan();
    const auto from = static_cast<std::ptrdiff_t>(m_focused) + neighbour;
    if (!span || from < 0 || from >= static_cast<std::ptrdiff_t>(m_panes.size()))
        return std::nullopt;
    const auto fromSide = sideOf(static_cast<std::size_t>(from));
    const auto intoSide = sideOf(m_focused);
    if (!fromSide || !intoSide)
        return std::nullopt;
    const StageRange fromStages = blockOrSpan(*m_compared, *fromSide, *span, wholeBlock);
    const StageRange intoStages = blockOrSpan(*m_compared, *intoSide, *span, wholeBlock);
    const auto stagesOf = [&](std::size_t side, const StageRange &range) {
        return StageList(m_compared->schedule(side).stages).subspan(range.first, range.count);
    };
    if (std::ranges::equal(stagesOf(*fromSide, fromStages), stagesOf(*intoSide, intoStages)))
        return std::nullopt;
    return StagesToTake{static_cast<std::size_t>(from), m_focused, fromStages, intoStages};
}

} // namespace stagecraft
