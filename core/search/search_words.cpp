#include "search/search_words.h"

#include "support/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace stagecraft {
namespace {

std::string gapPercent(double share)
{
    if (!std::isfinite(share))
        return "unknown";
    if (share <= 0)
        return "0 %";
    // A small gap is never shown as 0 %.
    return share < 0.0005 ? fmt::format("{:.1g} %", share * 100) : fmt::format("{:.1f} %", share * 100);
}

std::string word(const SearchRecord &record)
{
    switch (record.termination) {
    case Termination::None: return "";
    case Termination::Optimal: return provedText(record);
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

std::string provedText(const SearchRecord &record)
{
    const auto bound = [](std::string_view name, const std::optional<int> &most) {
        return most ? fmt::format("{} {}", name, *most) : fmt::format("any {}", name);
    };
    std::string space = fmt::format("{}, {}", bound("r", record.r), bound("s", record.s));
    if (record.singleSource)
        space += ", single source";
    if (record.strategy == "ios-merge")
        space += ", merges only";
    if (record.strategy == "ios-parallel")
        space += ", no merges";
    if (record.strategy == "ios-all")
        space += ", fused stages of whole waves";
    return fmt::format("best schedule with barriers ({})", space);
}

std::optional<double> shareWithoutBarriers(const SearchRecord &record)
{
    const auto &us = record.boundWithoutBarriersUs;
    if (!us || *us <= 0 || *us > record.sumUs)
        return std::nullopt;
    return 1 - *us / record.sumUs;
}

std::string withoutBarriersText(const SearchRecord &record)
{
    const auto share = shareWithoutBarriers(record);
    return share ? fmt::format("{}, {} less", plainLatency(*record.boundWithoutBarriersUs), gapPercent(*share)) : "";
}

std::string endingText(const SearchRecord &record)
{
    const std::string text = word(record);
    // Proofs only cover operators with a cost.
    return record.costs.isComplete() || text.empty() ? text : text + ", for the costed part";
}

std::string outcomeText(const SearchRecord &record)
{
    std::string text = word(record);
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
    const std::string text = fmt::format("{} {} kept", record.pinnedStages, isOne ? "stage" : "stages");
    const char *them = isOne ? "it" : "them";
    if (!record.freeUs || *record.freeUs <= 0)
        return fmt::format("{}; what that costs is not known: no schedule without {} is proved optimal", text, them);
    const double costUs = record.sumUs - *record.freeUs;
    if (costUs < -1e-9 * *record.freeUs)
        return fmt::format("{}; by their launch orders that takes less than the best schedule without {}, {:.1f} us",
                           text, them, *record.freeUs);
    if (costUs <= 1e-9 * *record.freeUs)
        return fmt::format("{}; that costs nothing: the best schedule without {} takes as long, {:.1f} us", text, them,
                           *record.freeUs);
    return fmt::format("{}; that costs {:.1f} us ({}) more than the best schedule without {}, {:.1f} us", text, costUs,
                       gapPercent(costUs / *record.freeUs), them, *record.freeUs);
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
    std::string text = "The gap assumes that " + assumption.text + ": ";
    if (assumption.stagesChecked == 0)
        text += "no measured stage tests this.";
    else if (assumption.stagesBroken == 0)
        text += fmt::format("true for all {} measured stages that test it.", assumption.stagesChecked);
    else
        text += fmt::format("false for {} of {} measured stages that test it, by up to {}; for stages that were not "
                            "measured, the gap allows {}.",
                            assumption.stagesBroken, assumption.stagesChecked, gapPercent(assumption.worst),
                            gapPercent(assumption.allowed));
    return fmt::format("{} Without it: {}.", text, gapPercent(assumption.gapWithout));
}

std::string launchOrdersText(const SearchRecord &record)
{
    const auto &orders = record.launchOrders;
    if (!orders)
        return "";
    if (orders->stagesTried == 0)
        return "no stage has several groups, whose launches could be in another order";
    const std::string of = fmt::format("of {} of several groups", counted(orders->stagesTried, "stage"));
    const std::string exact = orders->stagesExact == orders->stagesTried
                                  ? "all their orders were tried"
                                  : fmt::format("all orders of {} were tried", counted(orders->stagesExact, "stage"));
    if (orders->stages == 0)
        return fmt::format("none {} is faster in another launch order; {}", of, exact);
    return fmt::format("{} {} have a launch order: {} instead of {}, {} less; {}", orders->stages, of,
                       plainLatency(orders->withUs), plainLatency(orders->withoutUs),
                       gapPercent(1 - orders->withUs / orders->withoutUs), exact);
}

} // namespace stagecraft
