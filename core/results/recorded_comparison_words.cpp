#include "results/recorded_comparison_words.h"

#include "results/schedule_words.h"
#include "support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kMostNames = 8; // in a sentence

std::string namesWords(const std::vector<std::string> &names)
{
    const std::size_t shown = std::min(names.size(), kMostNames);
    std::string text =
        fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < names.size())
        text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

std::string verdictWords(const SpeedupEstimate &estimate)
{
    std::string text(toString(estimate.verdict));
    if (estimate.verdict != Verdict::NotShown)
        return text;
    if (!std::isfinite(estimate.atMost))
        return text + " (too few independent runs for an interval)";
    text += fmt::format(" (at most {:.1f} %", estimate.atMost * 100);
    if (estimate.moreRounds > 0)
        text += fmt::format("; about {} more of each would tell", counted(estimate.moreRounds, "run"));
    return text + ")";
}

} // namespace

std::string originWords(const RecordedResult &result)
{
    std::string text = provenanceWords(*result.schedule);
    if (!result.source.empty())
        text += " by " + result.source;
    if (result.repeats.timing.hasSpread())
        text += fmt::format(", {} runs", result.repeats.timing.runs);
    return text;
}

std::string judgedWords(const RecordedChange &change)
{
    if (!change.judged) {
        std::vector<std::string> others;
        for (const ContextDifference &difference : change.context) {
            if (difference.forbids)
                others.push_back(difference.what);
        }
        return fmt::format("not compared: other {}", fmt::join(others, ", other "));
    }
    const auto &[estimate, by] = *change.judged;
    // With {:g}: 0.9996 must not be shown as 1.
    const std::string ratio = fmt::format("{:.4g}x as fast", estimate.speedup);
    if (by == JudgedBy::Exact)
        return fmt::format("{}, exact: {}", ratio, verdictWords(estimate));
    if (by == JudgedBy::Single)
        return fmt::format("{}, without an interval: fewer than {} runs", ratio, kRoundsForVerdict);
    if (!change.judged->hasInterval())
        return fmt::format("{}: {}", ratio, verdictWords(estimate));
    return fmt::format("{}, 95 % interval {:.4g}x to {:.4g}x{}: {}", ratio, estimate.low, estimate.high,
                       by == JudgedBy::Spread ? " by the spread of the runs" : "", verdictWords(estimate));
}

std::string contextWords(const ContextDifference &difference)
{
    return fmt::format("{}: {} -> {}{}", difference.what, difference.before, difference.after,
                       difference.forbids ? ", so latencies are not compared" : "");
}

std::string aspectWords(const AspectChange &change)
{
    return fmt::format("{}: {} -> {}", toString(change.aspect), change.before, change.after);
}

std::string timeWords(const OperatorChange &change)
{
    if (!change.beforeUs && !change.afterUs)
        return {};
    const auto text = [](const std::optional<double> &us) { return us ? plainLatency(*us) : "not known"; };
    std::string words = fmt::format("{} -> {}", text(change.beforeUs), text(change.afterUs));
    if (change.beforeUs && change.afterUs)
        words += fmt::format(", {:+.1f} %", (*change.afterUs / *change.beforeUs - 1) * 100);
    if (change.judged && change.judged->isShown())
        words += fmt::format(", {}", toString(change.judged->estimate.verdict));
    return words;
}

std::vector<std::string> restWords(const OperatorChanges &changes)
{
    std::vector<std::string> words;
    const auto add = [&](const char *what, const std::vector<std::string> &names) {
        if (!names.empty())
            words.push_back(what + namesWords(names));
    };
    for (const AspectChange &change : changes.ofAll)
        words.push_back("all operators: " + aspectWords(change));
    if (changes.equal > 0)
        words.push_back(counted(static_cast<std::int64_t>(changes.equal), "operator") +
                        (changes.ofAll.empty() ? "" : " otherwise") + " without a difference that is shown");
    add("operators only before: ", changes.onlyBefore);
    add("operators only after: ", changes.onlyAfter);
    std::vector<std::string> notShown;
    for (const OperatorAspect aspect : changes.notShown)
        notShown.emplace_back(toString(aspect));
    add("not in both files: ", notShown);
    return words;
}

std::string countWords(const OperatorChanges &changes)
{
    std::vector<std::string> words;
    for (const OperatorAspect aspect : kOperatorAspects) {
        const auto count = std::ranges::count_if(changes.operators, [aspect](const OperatorChange &change) {
            return std::ranges::find(change.aspects, aspect, &AspectChange::aspect) != change.aspects.end();
        });
        if (count > 0)
            words.push_back(fmt::format("{} of {}", toString(aspect), grouped(count)));
    }
    const auto times =
        std::ranges::count_if(changes.operators, [](const OperatorChange &change) { return change.aspects.empty(); });
    if (times > 0)
        words.push_back(fmt::format("time alone of {}", grouped(times)));
    return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> unmappedWords(const RecordedResult &first, const RecordedResult &other)
{
    const auto &before = first.schedule->measured.profile;
    const auto &after = other.schedule->measured.profile;
    std::vector<std::string> words;
    for (const auto &[name, profile] : {std::pair(first.name, before), std::pair(other.name, after)}) {
        if (profile && profile->unmappedUs > 0)
            words.push_back(fmt::format("{}: {} of its kernels' time is told to be no operator's", name,
                                        percent(profile->unmappedUs / (profile->mappedUs + profile->unmappedUs))));
    }
    if (!before || !after)
        return words;
    const auto namesWithout = [](const RecordedProfile &one, const RecordedProfile &another) {
        std::vector<std::string> names;
        for (const UnmappedKernels &kernels : one.unmapped) {
            if (std::ranges::find(another.unmapped, kernels.name, &UnmappedKernels::name) == another.unmapped.end())
                names.push_back(kernels.name);
        }
        return names;
    };
    if (const auto names = namesWithout(*before, *after); !names.empty())
        words.push_back("kernels of no operator only before: " + namesWords(names));
    if (const auto names = namesWithout(*after, *before); !names.empty())
        words.push_back("kernels of no operator only after: " + namesWords(names));
    return words;
}

std::string belowWords(const RecordedResult &first, const RecordedResult &other, const RecordedChange &change,
                       double ratio)
{
    return fmt::format("{} is less than the {:g}x as fast as {} of --fail-below: {}", other.name, ratio, first.name,
                       judgedWords(change));
}

} // namespace stagecraft
