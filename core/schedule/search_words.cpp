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
    // A gap is never said to be nothing because it is small.
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
    // What is proved is proved of the costs there are.
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
    if (!record.costs.isComplete()) // what is proved is proved of the costs there are
        text += ", for the costed part";
    return isBounded && record.assumption ? text + " if " + record.assumption->text : text;
}

std::string pinsText(const SearchRecord &record)
{
    if (record.pinnedStages == 0)
        return "";
    const bool isOne = record.pinnedStages == 1;
    std::string text = std::to_string(record.pinnedStages) + (isOne ? " stage kept" : " stages kept");
    if (!record.freeUs || *record.freeUs <= 0)
        return text + "; what that costs is not known, as nothing is proved the best without";
    const double costUs = std::max(0.0, record.sumUs - *record.freeUs);
    char cost[160];
    if (costUs <= 1e-9 * *record.freeUs)
        std::snprintf(cost, sizeof cost, "; that costs nothing: the best without takes as long, %.1f us",
                      *record.freeUs);
    else
        std::snprintf(cost, sizeof cost, "; that costs %.1f us (%s) against the best without, %.1f us", costUs,
                      gapPercent(costUs / *record.freeUs).c_str(), *record.freeUs);
    return text + cost;
}

std::string gapBasisText(const SearchRecord &record)
{
    if (record.termination == Termination::None)
        return "";
    if (!std::isfinite(record.gap))
        return "Nothing bounds what the best schedule takes.";
    if (!record.assumption)
        return "The gap rests on bounds that always hold.";
    const BoundAssumption &assumption = *record.assumption;
    const std::string checked = std::to_string(assumption.stagesChecked);
    std::string text = "The gap assumes that " + assumption.text + ": ";
    if (assumption.stagesChecked == 0)
        text += "no measured stage tells.";
    else if (assumption.stagesBroken == 0)
        text += "held in all " + checked + " measured stages that tell.";
    else
        text += "broken in " + std::to_string(assumption.stagesBroken) + " of " + checked +
                " measured stages that tell, by up to " + gapPercent(assumption.worst) +
                "; the gap allows the stages that were not measured " + gapPercent(assumption.allowed) + ".";
    return text + " Without it: " + gapPercent(assumption.gapWithout) + '.';
}

} // namespace stagecraft
