#include "widgets/schedule/planned_move.h"

#include "schedule/compare/latency_parts.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"
#include "widgets/base/time_change.h"

#include <QStringList>

#include <algorithm>
#include <span>

namespace stagecraft {
namespace {

constexpr std::size_t kNamed = 3; // this many operators are named, more are counted

Edit withUnmerging(Edit edit)
{
    if (auto *move = std::get_if<MoveToStage>(&edit))
        move->unmerge = true;
    return edit;
}

QString namesText(const Graph &graph, const std::vector<OperatorId> &operators)
{
    QStringList names;
    for (std::size_t i = 0; i < operators.size() && i < kNamed; ++i)
        names << shownName(graph.op(operators[i]).name);
    if (operators.size() > kNamed)
        names << QStringLiteral("%1 more").arg(operators.size() - kNamed);
    return names.join(QStringLiteral(", "));
}

// The sum of the new stages' latencies; nullopt if one is unknown.
std::optional<double> knownSumUs(const EditContext &context, const EditedStages &edited)
{
    double sum = 0;
    for (const std::size_t stage : edited.changed) {
        const auto us = context.knownUs ? context.knownUs(edited.stages[stage]) : std::nullopt;
        if (!us)
            return std::nullopt;
        sum += *us;
    }
    return sum;
}

// Stages of `before` that `after` does not have; an edit leaves most of the page as it is.
std::vector<std::size_t> replacedStages(const std::vector<Stage> &before, const std::vector<Stage> &after)
{
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t front = 0;
    while (front < shorter && before[front] == after[front])
        ++front;
    std::size_t back = 0;
    while (back < shorter - front && before[before.size() - 1 - back] == after[after.size() - 1 - back])
        ++back;
    const std::span rest = std::span(after).subspan(front, after.size() - front - back);
    std::vector<std::size_t> replaced;
    for (std::size_t i = front; i < before.size() - back; ++i) {
        if (std::ranges::find(rest, before[i]) == rest.end())
            replaced.push_back(i);
    }
    return replaced;
}

// "the whole +4.1 µs, slower: stages +1.0 µs, barriers +3.1 µs"; empty while one of the latencies is unknown.
QString gainText(const EditContext &context, const EditedStages &edited)
{
    const TimedSchedule &schedule = *context.schedule;
    const auto newUs = knownSumUs(context, edited);
    if (schedule.measured.provenance != Provenance::Simulated || !newUs)
        return {};
    double stagesUs = *newUs;
    for (const std::size_t i : replacedStages(schedule.stages, edited.stages)) {
        const auto us = i < schedule.measured.stages.size() ? std::optional(schedule.measured.stages[i].latencyUs)
                                                            : context.knownUs(schedule.stages[i]);
        if (!us)
            return {};
        stagesUs -= *us;
    }
    const auto barriersOf = [](const std::vector<Stage> &stages) {
        return static_cast<double>(barriersIn(stages, {0, stages.size()}));
    };
    const double barriers = barriersOf(edited.stages) - barriersOf(schedule.stages);
    const auto eachUs = context.barrierUs ? context.barrierUs() : std::nullopt;
    if (barriers != 0 && !eachUs)
        return {};
    return QStringLiteral("; the whole ") + changeInParts(stagesUs, barriers * eachUs.value_or(0));
}

// "outside r 3" if a new stage is outside the searched space.
QString outsideText(const EditContext &context, const EditedStages &edited)
{
    for (const std::size_t index : edited.changed) {
        const Stage &stage = edited.stages[index];
        const auto isTooLong = [&](const auto &group) { return context.r && std::ssize(group) > *context.r; };
        if (std::ranges::any_of(stage.groups, isTooLong))
            return QStringLiteral("outside r %1: the proof no longer applies").arg(*context.r);
        if (context.s && std::ssize(stage.groups) > *context.s)
            return QStringLiteral("outside s %1: the proof no longer applies").arg(*context.s);
    }
    return {};
}

} // namespace

PlannedMove planMove(const EditContext &context, const std::vector<OperatorId> &operators, const EditPlace &place,
                     bool takeAlong)
{
    const Graph &graph = *context.model->graph;
    const auto &stages = context.schedule->stages;
    PlannedMove move{place, editTo(place, operators), {}, false, {}, false, false};
    move.edited = applyEdit(graph, context.model->blocks, stages, move.edit);
    if (!move.edited)
        move.inTheWay = companions(graph, stages, operators, place);
    if (!move.edited && takeAlong) {
        std::vector<OperatorId> all = operators;
        all.insert(all.end(), move.inTheWay.begin(), move.inTheWay.end());
        move.takesAlong = !move.inTheWay.empty();
        const Edit together = editTo(place, all);
        auto edited = applyEdit(graph, context.model->blocks, stages, together);
        move.edit = together;
        if (!edited && !place.isNew && stages[place.stage].isMerged()) {
            move.edit = withUnmerging(together);
            edited = applyEdit(graph, context.model->blocks, stages, move.edit);
            move.unmerges = edited.has_value();
        }
        move.edited = std::move(edited);
    }
    move.changesNothing = move.edited && move.edited->stages == stages;
    return move;
}

QString previewText(const EditContext &context, const EditedStages &edited)
{
    QString text = QString::fromStdString(edited.words);
    if (const auto us = knownSumUs(context, edited); us && !edited.changed.empty())
        text += QStringLiteral(": %1%2, %3")
                    .arg(edited.changed.size() == 1
                             ? QString()
                             : QStringLiteral("%1 take ")
                                   .arg(plural(static_cast<std::int64_t>(edited.changed.size()), "stage")),
                         latencyText(*us),
                         context.schedule->measured.provenance == Provenance::Simulated
                             ? provenanceText(Provenance::Simulated)
                             : QStringLiteral("stored"));
    text += gainText(context, edited);
    if (const QString outside = outsideText(context, edited); !outside.isEmpty())
        text += QStringLiteral("; ") + outside;
    return text;
}

QString moveText(const EditContext &context, const std::vector<OperatorId> &operators, const PlannedMove &move)
{
    const Graph &graph = *context.model->graph;
    if (move.changesNothing)
        return QStringLiteral("Stays where it is");
    if (move.edited) {
        QString text = previewText(context, *move.edited);
        if (move.takesAlong)
            text += QStringLiteral("; also moves %1").arg(namesText(graph, move.inTheWay));
        if (move.unmerges)
            text += QStringLiteral("; unmerges %1").arg(stageTitle(move.place.stage).toLower());
        return text;
    }
    QString text = reasonText(move.edited.error());
    if (move.takesAlong)
        return text;
    const PlannedMove withShift = planMove(context, operators, move.place, true);
    if (!withShift.edited)
        return text;
    QStringList also;
    if (withShift.takesAlong)
        also << QStringLiteral("moves %1 along").arg(namesText(graph, withShift.inTheWay));
    if (withShift.unmerges)
        also << QStringLiteral("unmerges %1").arg(stageTitle(move.place.stage).toLower());
    return text + QStringLiteral("\nShift %1").arg(also.join(QStringLiteral(" and ")));
}

QString reasonText(const Error &error)
{
    QString text = shownName(error.message); // it may name others
    if (!error.context.empty() && error.context.back().starts_with("operator "))
        text = shownName(error.context.back().substr(std::string("operator ").size())) + QStringLiteral(": ") + text;
    return text;
}

QString companionText(const Graph &graph, const std::vector<OperatorId> &operators, OperatorId companion)
{
    const bool isOne = operators.size() == 1;
    const auto has = [&](const auto &ids) {
        return std::ranges::any_of(ids,
                                   [&](OperatorId id) { return std::ranges::find(operators, id) != operators.end(); });
    };
    if (has(graph.predecessors(companion)))
        return isOne ? QStringLiteral("reads it") : QStringLiteral("reads them");
    if (has(graph.successors(companion)))
        return isOne ? QStringLiteral("it reads this") : QStringLiteral("they read this");
    return QStringLiteral("in between");
}

} // namespace stagecraft
