#include "search/options.h"

namespace stagecraft {

std::string_view toString(StrategySet set)
{
    switch (set) {
    case StrategySet::Parallel: return "parallel";
    case StrategySet::Merge: return "merge";
    case StrategySet::Both: return "both";
    case StrategySet::All: return "all";
    }
    return "";
}

std::optional<StrategySet> strategySetFromString(std::string_view text)
{
    for (const StrategySet set : {StrategySet::Parallel, StrategySet::Merge, StrategySet::Both, StrategySet::All}) {
        if (toString(set) == text)
            return set;
    }
    return std::nullopt;
}

Result<void> checkPruning(const SearchOptions &options)
{
    if (options.r.value_or(1) < 1 || options.s.value_or(1) < 1)
        return fail(ErrorCode::WrongUse, "r and s must be at least 1 where they are bounds");
    return {};
}

std::optional<SearchBounds> searchBoundsFromString(std::string_view text)
{
    if (text == "safe")
        return SearchBounds::Safe;
    if (text == "assumed")
        return SearchBounds::Assumed;
    return text == "auto" ? std::optional(SearchBounds::Auto) : std::nullopt;
}

std::string_view toString(SearchOrder order)
{
    switch (order) {
    case SearchOrder::Bounds: return "bounds";
    case SearchOrder::Learned: return "learned";
    case SearchOrder::Auto: return "auto";
    }
    return "";
}

std::optional<SearchOrder> searchOrderFromString(std::string_view text)
{
    for (const SearchOrder order : {SearchOrder::Bounds, SearchOrder::Learned, SearchOrder::Auto}) {
        if (toString(order) == text)
            return order;
    }
    return std::nullopt;
}

} // namespace stagecraft
