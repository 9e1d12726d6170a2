#include "cli/time_parts_text.h"

#include "cli/cost_text.h"
#include "schedule/stage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kNothingUs = 0.005;

std::vector<TimePart> partsOf(const TimePartSources &sources)
{
    std::vector<TimePart> parts;
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        if (sources.has(static_cast<TimePart>(i)))
            parts.push_back(static_cast<TimePart>(i));
    }
    return parts;
}

std::string wordsOf(TimePart part, const TimePartSources &sources)
{
    std::string words(timePartKey(part, sources));
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string signedLatency(double us)
{
    return (us < 0 ? "-" : "+") + plainLatency(std::abs(us));
}

} // namespace

TextTable stageTimesTable(const Timeline &timeline)
{
    const TimePartSources sources = timePartSources(timeline);
    std::vector<std::string> titles{"stage", "takes"};
    for (const TimePart part : partsOf(sources))
        titles.push_back(wordsOf(part, sources));
    TextTable table(titles);
    const std::vector<TimeParts> parts = timeParts(timeline);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::vector<std::string> row{std::to_string(timeline.stages[i].stage + 1), plainLatency(parts[i].totalUs())};
        for (const TimePart part : partsOf(sources))
            row.push_back(parts[i].totalUs() > 0 ? percent(parts[i].of(part) / parts[i].totalUs()) : "");
        table.add(row);
    }
    return table;
}

std::string whyText(const Graph &graph, const std::vector<BlockSearch> &blocks, const StageTrials &trials)
{
    std::string text;
    std::size_t next = 0;
    for (const BlockSearch &block : blocks) {
        for (const RunnerUp &other : block.runnersUp) {
            const auto &more = trials.more[next++];
            if (!more)
                continue;
            std::vector<TimePart> order = partsOf(trials.sources);
            std::ranges::stable_sort(order, std::greater{}, [&](TimePart part) { return std::abs(more->of(part)); });
            std::vector<std::string> told;
            for (const TimePart part : order) {
                if (std::abs(more->of(part)) >= kNothingUs)
                    told.push_back(wordsOf(part, trials.sources) + ' ' + signedLatency(more->of(part)));
            }
            text += fmt::format("block {}, not {}: {}{}{}\n", block.block + 1, stageText(graph, other.stage),
                                signedLatency(more->totalUs()), told.empty() ? "" : ": ", fmt::join(told, ", "));
        }
    }
    return text;
}

} // namespace stagecraft
