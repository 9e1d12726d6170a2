#include "desktop/areas/time_parts_area.h"

#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/document/comparison_rows.h"
#include "desktop/document/document.h"
#include "schedule/compare/latency_parts.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/time_part_look.h"
#include "widgets/comparison/time_parts_chart.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kShownUs = 0.05; // less is shown as 0

QString capitalised(QString text)
{
    text[0] = text[0].toUpper();
    return text;
}

// Places of those that are shown, the largest first.
std::vector<std::size_t> largestFirst(const std::vector<double> &us)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < us.size(); ++i) {
        if (std::abs(us[i]) >= kShownUs)
            places.push_back(i);
    }
    std::ranges::stable_sort(places, std::greater{}, [&](std::size_t place) { return std::abs(us[place]); });
    return places;
}

} // namespace

TimePartsArea::TimePartsArea(const AreaContext &context, PaneRow &panes)
    : Area(context), m_panes(panes), m_chart(new TimePartsChart(&window()))
{
    actions().add("copy_time_parts", QStringLiteral("Copy where the time &goes"), {}, [this] { m_chart->copy(); });
    offerMenu(m_chart, {"copy_time_parts", "-", "next_difference", "previous_difference"});
    connect(m_chart, &TimePartsChart::scopeChanged, this, [this] {
        m_visit.reset();
        showBars();
    });
    connect(m_chart, &TimePartsChart::partChosen, this, [this](std::size_t bar, TimePart part, bool isStep) {
        if (isStep)
            showSpansOf(bar, part);
        else
            showStagesOf(bar, part);
    });
    connect(&m_panes, &PaneRow::comparedChanged, this, &TimePartsArea::show);
    connect(&results(), &Results::shelfChanged, this, &TimePartsArea::show); // names
    show();
}

std::vector<Dock> TimePartsArea::docks() const
{
    return {{14, QStringLiteral("Where time goes"), "time_parts", m_chart, QStringLiteral("Alt+Shift+W")}};
}

void TimePartsArea::refresh()
{
    actions()["copy_time_parts"]->setEnabled(!m_chart->drawing().shown().bars.empty());
}

void TimePartsArea::show()
{
    const RatedResult &front = results().front();
    m_alone = !m_panes.compared() && front.schedule && front.timeline
                  ? scheduleTimeParts(*front.schedule, *front.timeline)
                  : std::nullopt;
    Subject subject{m_panes.compared(), {}, {}};
    if (!subject.compared) // else the front is only the pane that has the focus
        subject = {nullptr, front.id, front.timeline};
    if (subject != std::exchange(m_subject, subject))
        m_visit.reset();
    showScopes();
    showBars();
}

void TimePartsArea::showScopes()
{
    m_scopes = {Scope{}};
    QStringList titles{QStringLiteral("Whole schedule")};
    if (const auto &compared = m_panes.compared()) {
        bool areStagesKnown = true;
        for (std::size_t side = 0; side < compared->schedules().size(); ++side)
            areStagesKnown &= !compared->timeParts(side) || compared->timeParts(side)->areStagesKnown;
        for (std::size_t span = 0; areStagesKnown && span < compared->spans().size(); ++span) {
            const CommonSpan &each = compared->spans()[span];
            if (m_scopes.back().block != each.block) {
                m_scopes.push_back({each.block, {}});
                titles << blockTitle(each.block);
            }
            if (each.isEqual)
                continue;
            QStringList sides;
            for (const StageRange &side : each.sides)
                sides << stagesText(compared->schedule(static_cast<std::size_t>(sides.size())), side);
            m_scopes.push_back({each.block, span});
            titles << QStringLiteral("%1: %2").arg(blockTitle(each.block), sides.join(QStringLiteral(" | ")));
        }
    } else if (m_alone && m_alone->areStagesKnown) {
        for (const Stage &stage : results().front().schedule->stages) {
            if (m_scopes.back().block == stage.block)
                continue;
            m_scopes.push_back({stage.block, {}});
            titles << blockTitle(stage.block);
        }
    }
    m_chart->setScopes(titles);
}

std::vector<StageRange> TimePartsArea::rangesOf(const Scope &scope) const
{
    const auto &compared = m_panes.compared();
    if (!compared) {
        const TimedSchedule &schedule = *results().front().schedule;
        if (schedule.streams)
            return {StageRange{0, schedule.streams->launches.size()}};
        const auto &stages = schedule.stages;
        return {scope.block ? stagesOfBlock(stages, *scope.block) : StageRange{0, stages.size()}};
    }
    if (scope.span)
        return compared->spans()[*scope.span].sides;
    std::vector<StageRange> ranges;
    for (std::size_t side = 0; side < compared->schedules().size(); ++side)
        ranges.push_back(scope.block ? compared->rangeOfBlock(side, *scope.block) : compared->all(side));
    return ranges;
}

TimeParts TimePartsArea::partsOf(std::size_t side) const
{
    const auto &compared = m_panes.compared();
    const ScheduleTimeParts &of = compared ? *compared->timeParts(side) : *m_alone;
    const Scope &scope = m_scopes[static_cast<std::size_t>(m_chart->scope())];
    return scope.block ? of.of(rangesOf(scope)[side]) : of.whole;
}

void TimePartsArea::showBars()
{
    ShownTimeParts shown;
    m_sides.clear();
    const auto &compared = m_panes.compared();
    if (m_alone)
        shown.bars.push_back(
            {{}, QString::fromStdString(results().front().name), partsOf(0), m_alone->sources, m_alone->provenance});
    const std::size_t sides = compared ? compared->schedules().size() : 0;
    for (std::size_t side = 1; side < sides; ++side)
        shown.isPerImage |= compared->schedule(side).context.batch != compared->schedule(0).context.batch;
    for (std::size_t side = 0; side < sides; ++side) {
        const ScheduleTimeParts *of = compared->timeParts(side);
        if (!of)
            continue;
        const std::size_t pane = m_panes.paneOf(side);
        const TimeParts parts = partsOf(side);
        shown.bars.push_back({paneLetter(pane), m_panes.pane(pane)->titleText(),
                              shown.isPerImage ? perImage(parts, compared->schedule(side).context.batch) : parts,
                              of->sources, of->provenance});
        m_sides.push_back(side);
    }
    const RatedResult &front = results().front();
    const ScheduleResult *result = results().shelf().find(front.id);
    const QString why = result ? whyNoTimeline(front, result->settings) : QString();
    m_chart->setHint(
        !front.whyNot.empty() ? whyNotText(front)
        : !why.isEmpty()      ? why
        : front.schedule
            ? QStringLiteral("Where the time goes appears here when the timeline is made.")
            : QStringLiteral("Where the time of a schedule goes, and why another is faster, appears here."));
    m_chart->setShown(std::move(shown));
    refresh();
}

std::size_t TimePartsArea::nextOf(std::size_t bar, TimePart part, bool isStep, std::size_t count)
{
    const bool isSame = m_visit && m_visit->bar == bar && m_visit->part == part && m_visit->isStep == isStep;
    m_visit = Visit{bar, part, isStep, isSame ? (m_visit->place + 1) % count : 0};
    return m_visit->place;
}

void TimePartsArea::showStagesOf(std::size_t bar, TimePart part)
{
    const auto &compared = m_panes.compared();
    const std::size_t side = compared ? m_sides[bar] : 0;
    const ScheduleTimeParts &of = compared ? *compared->timeParts(side) : *m_alone;
    const Scope &scope = m_scopes[static_cast<std::size_t>(m_chart->scope())];
    const StageRange range = rangesOf(scope)[side];
    std::vector<double> us(of.stages.size());
    for (std::size_t stage = range.first; stage < std::min(range.end(), us.size()); ++stage) {
        us[stage] = of.stages[stage].of(part);
        if (!scope.block || stage > range.first) // else what lies before it is no part of the bar
            us[stage] += of.beforeStages[stage].of(part);
    }
    const std::vector<std::size_t> stages = largestFirst(us);
    const QString words = capitalised(timePartWords(part, of.sources));
    if (stages.empty()) {
        tell(QStringLiteral("%1: in no stage").arg(words), 8000);
        return;
    }
    const std::size_t place = nextOf(bar, part, false, stages.size());
    const std::size_t stage = stages[place];
    if (compared) {
        m_panes.focus(m_panes.paneOf(side));
        m_panes.showStage(side, stage);
    } else {
        selection().set(selectedAt(*results().front().schedule, stage));
    }
    tell(QStringLiteral("%1: %2 has %3, %4 of %5; again for the next")
             .arg(words, stageText(compared ? compared->schedule(side) : *results().front().schedule, stage),
                  latencyText(us[stage]))
             .arg(place + 1)
             .arg(stages.size()),
         8000);
}

void TimePartsArea::showSpansOf(std::size_t bar, TimePart part)
{
    const auto &compared = m_panes.compared();
    if (!compared || bar >= m_sides.size() || bar == 0)
        return;
    const ScheduleTimeParts &from = *compared->timeParts(m_sides.front());
    const ScheduleTimeParts &to = *compared->timeParts(m_sides[bar]);
    const Scope scope = m_scopes[static_cast<std::size_t>(m_chart->scope())];
    const bool isPerImage = m_chart->drawing().shown().isPerImage;
    const auto usOf = [&](const ScheduleTimeParts &of, const CommonSpan &span, std::size_t side) {
        const TimeParts parts = of.of(span.sides[side]);
        return (isPerImage ? perImage(parts, compared->schedule(side).context.batch) : parts).of(part);
    };
    std::vector<double> us(compared->spans().size());
    for (std::size_t span = 0; span < us.size(); ++span) {
        const CommonSpan &each = compared->spans()[span];
        if (!scope.block || scope.block == each.block)
            us[span] = usOf(to, each, m_sides[bar]) - usOf(from, each, m_sides.front());
    }
    const std::vector<std::size_t> spans = largestFirst(us);
    const QString words = capitalised(timePartWords(part, to.sources));
    if (spans.empty()) {
        tell(QStringLiteral("%1: the same in all stages").arg(words), 8000);
        return;
    }
    const std::size_t place = nextOf(bar, part, true, spans.size());
    const std::size_t span = spans[place];
    m_panes.showSpan(span);
    tell(QStringLiteral("%1: %2 of %3 change it by %4%5, %6 of %7; again for the next")
             .arg(words, stagesText(compared->schedule(m_sides[bar]), compared->spans()[span].sides[m_sides[bar]]),
                  paneLetter(m_panes.paneOf(m_sides[bar])), signedLatencyText(us[span]),
                  isPerImage ? QStringLiteral(" per image") : QString())
             .arg(place + 1)
             .arg(spans.size()),
         8000);
}

void TimePartsArea::addTo(ExportSubject &subject) const
{
    subject.views[ExportView::TimeParts] = m_chart;
}

} // namespace stagecraft
