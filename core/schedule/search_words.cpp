#include "schedule/search_words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stagecraft {
namespace {

std::string gapPercent(double share)
{
    if (!std::isfinite(share))
        return "unknown";
    if (share <= 0)
        return "0 %";
    char text[32];
    // A small gap is never shown as 0 %.
    std::snprintf(text, sizeof text, share < 0.0005 ? "%.1g %%" : "%.1f %%", share * 100);
    return text;
}

std::string word(Termination termination)
{
    switch (termination) {
    case Termination::None: return "";
    case Termination::Optimal: return "optimal";
    case Termination::WithinEpsilon:
    case Termination::UnderAssumption: return "proved";
    case Termination::BoundsBroken: return "not proved";
    case Termination::InPart: return "searched in part";
    case Termination::Budget: return "budget used";
    case Termination::Cancelled: return "stopped";
    case Termination::BaselineKept: return "nothing faster found than a baseline";
    }
    return "";
}

} // namespace

std::string endingText(const SearchRecord &record)
{
    const std::string text = word(record.termination);
    // Proofs only cover operators with a cost.
    return record.costs.isComplete() || text.empty() ? text : text + ", for the costed part";
}

std::string outcomeText(const SearchRecord &record)
{
    std::string text = word(record.termination);
    if (record.termination == Termination::None)
        return text;
    const bool isBounded = record.termination != Termination::Optimal && std::isfinite(record.gap);
    if (isBounded)
        text += ", within " + gapPercent(record.gap);
    if (!record.costs.isComplete()) // proofs only cover operators with a cost
        text += ", for the costed part";
    return isBounded && record.assumption ? text + " if " + record.assumption->text : text;
}

std::string pinsText(const SearchRecord &record)
{
    if (record.pinnedStages == 0)
        return "";
    const bool isOne = record.pinnedStages == 1;
    std::string text = std::to_string(record.pinnedStages) + (isOne ? " stage kept" : " stages kept");
    const char *them = isOne ? "it" : "them";
    if (!record.freeUs || *record.freeUs <= 0)
        return text + "; what that costs is not known: no schedule without " + them + " is proved optimal";
    const double costUs = std::max(0.0, record.sumUs - *record.freeUs);
    char cost[160];
    if (costUs <= 1e-9 * *record.freeUs)
        std::snprintf(cost, sizeof cost, "; that costs nothing: the best schedule without %s takes as long, %.1f us",
                      them, *record.freeUs);
    else
        std::snprintf(cost, sizeof cost, "; that costs %.1f us (%s) more than the best schedule without %s, %.1f us",
                      costUs, gapPercent(costUs / *record.freeUs).c_str(), them, *record.freeUs);
    return text + cost;
}

std::string gapBasisText(const SearchRecord &record)
{
    if (record.termination == Termination::None)
        return "";
    if (!std::isfinite(record.gap))
        return "How fast the best schedule could be is unknown.";
    if (!record.assumption)
        return "The gap is based on bounds that always hold.";
    const BoundAssumption &assumption = *record.assumption;
    const std::string checked = std::to_string(assumption.stagesChecked);
    std::string text = "The gap assumes that " + assumption.text + ": ";
    if (assumption.stagesChecked == 0)
        text += "no measured stage tests this.";
    else if (assumption.stagesBroken == 0)
        text += "true for all " + checked + " measured stages that test it.";
    else
        text += "false for " + std::to_string(assumption.stagesBroken) + " of " + checked +
                " measured stages that test it, by up to " + gapPercent(assumption.worst) +
                "; for stages that were not measured, the gap allows " + gapPercent(assumption.allowed) + ".";
    return text + " Without it: " + gapPercent(assumption.gapWithout) + '.';
}

} // namespace stagecraft
