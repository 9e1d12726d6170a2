#include "widgets/inspector/layout_section.h"

#include "widgets/base/format.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr std::size_t kMostWays = 6; // of the fastest, and the chosen one

QString wayText(const LayoutProblem &problem, LayoutPair layouts)
{
    return QStringLiteral("%1 → %2").arg(QString::fromStdString(problem.layouts[layouts.in]),
                                         QString::fromStdString(problem.layouts[layouts.out]));
}

// What the whole takes more, as conversions and operators.
QString partsText(const LayoutReason &reason)
{
    const auto changed = [](double us) {
        return QStringLiteral("%1 %2").arg(latencyText(std::abs(us)),
                                           us < 0 ? QStringLiteral("less") : QStringLiteral("more"));
    };
    QStringList parts;
    if (reason.conversions > 0)
        parts << QStringLiteral("%1 more %2 %3")
                     .arg(reason.conversions)
                     .arg(reason.conversions == 1 ? QStringLiteral("conversion takes")
                                                  : QStringLiteral("conversions take"),
                          latencyText(reason.conversionsUs));
    else if (reason.conversionsUs != 0)
        parts << QStringLiteral("conversions take %1").arg(changed(reason.conversionsUs));
    const double operatorsUs = reason.moreUs - reason.conversionsUs;
    if (operatorsUs != 0)
        parts << QStringLiteral("all operators together %1").arg(changed(operatorsUs));
    return parts.join(QStringLiteral(", "));
}

} // namespace

bool runsFastest(const LayoutChoice &choice, OperatorId op)
{
    const LayoutProblem &problem = choice.costs.problem;
    return chosenOf(problem, choice.found.best, op.index()).latencyUs <= fastestAlone(problem, op.index()).latencyUs;
}

QString reasonText(const LayoutChoice &choice, OperatorId op, const LayoutReason &reason)
{
    const LayoutProblem &problem = choice.costs.problem;
    const LayoutProblem::Choice &fastest = fastestAlone(problem, op.index());
    const double gainUs = chosenOf(problem, choice.found.best, op.index()).latencyUs - fastest.latencyUs;
    const QString alone =
        QStringLiteral("%1 alone is %2 faster, but ").arg(wayText(problem, fastest.layouts), latencyText(gainUs));
    if (reason.moreUs == kImpossible)
        return alone + QStringLiteral("what runs with it has no kernel for it.");
    if (reason.moreUs <= 0)
        return alone + QStringLiteral("with it the whole takes as long.");
    return alone + QStringLiteral("with it the whole takes %1%2 more: %3.")
                       .arg(reason.isEstimate ? QStringLiteral("up to ") : QString(), latencyText(reason.moreUs),
                            partsText(reason));
}

InspectorSection layoutSection(const LayoutFacts &facts, OperatorId op)
{
    InspectorSection section{QStringLiteral("Layouts it reads → writes, alone"), {}};
    if (!facts.choice || op.index() >= facts.choice->costs.problem.operators.size())
        return section;
    const LayoutChoice &choice = *facts.choice;
    const LayoutProblem &problem = choice.costs.problem;
    section.provenance = provenanceFromString(choice.costs.source.provenance);
    std::vector<LayoutProblem::Choice> ways = problem.operators[op.index()].choices;
    if (ways.size() < 2)
        return section;
    std::ranges::stable_sort(ways, {}, &LayoutProblem::Choice::latencyUs);
    const LayoutPair chosen = choice.found.best.operators[op.index()];
    std::size_t slower = 0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const bool isChosen = facts.isOfSchedule && ways[i].layouts == chosen;
        if (i >= kMostWays && !isChosen) {
            ++slower;
            continue;
        }
        QStringList words{wayText(problem, ways[i].layouts)};
        if (ways[i].latencyUs <= ways.front().latencyUs)
            words << QStringLiteral("fastest alone");
        if (isChosen)
            words << QStringLiteral("chosen");
        section.rows.push_back(
            textRow(latencyText(ways[i].latencyUs), words.join(QStringLiteral(" · ")),
                    isChosen || !facts.isOfSchedule ? InspectorRow::Tone::Normal : InspectorRow::Tone::Muted));
    }
    if (slower > 0)
        section.rows.push_back(
            textRow(QStringLiteral("slower"), QStringLiteral("%1 more").arg(slower), InspectorRow::Tone::Muted));
    if (!facts.isOfSchedule || runsFastest(choice, op))
        return section;
    const auto known = std::ranges::find(facts.reasons, op, &std::pair<OperatorId, LayoutReason>::first);
    section.rows.push_back(textRow(QString(), known == facts.reasons.end()
                                                  ? QStringLiteral("Why not the fastest: being worked out ...")
                                                  : reasonText(choice, op, known->second)));
    return section;
}

} // namespace stagecraft
