#include "cli/split_trials.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "flow/open/split_opened.h"
#include "results/schedule_words.h"
#include "support/shown_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace stagecraft {

Result<SplitSearch> trySplits(Model &model, const DeviceOption &device, const SearchRequest &request,
                              std::int64_t mostParts, const CommandLine &line)
{
    TRY_AS(const auto opened, device.open(model));
    const auto open = [&](const Model &of) -> Result<std::unique_ptr<DeviceSession>> {
        TRY_AS(auto one, device.open(of));
        return std::move(one.session);
    };
    const auto progress = [](std::int64_t done, std::int64_t all) {
        showProgress({"try splits", fmt::format("{} of {}", done, counted(all, "trial"))});
    };
    auto found = findSplits(model, opened.info, open, {mostParts, request}, progress, line.stop);
    endProgress();
    if (!found)
        return withinModel(model, std::move(found.error()));
    if (!found->chosen.empty()) {
        std::optional<TimedSchedule> none;
        TRY(splitOpened(model, none, found->chosen));
        model.reading.splits.insert(found->chosen.begin(), found->chosen.end());
        if (opened.info.provenance == Provenance::Measured)
            std::cerr << "note: baselines of the split model run the parts one after another; " << model.name
                      << " without splits is in the line \"splits\"\n";
    }
    return found;
}

void printSplits(const SplitSearch &search, const CostBasis &basis)
{
    const auto us = [&](double latency) { return plainLatency(latency, basis); };
    TextTable table({"operator", "parts", "whole", "side by side", "join", "gain", ""});
    for (const SplitTrial &trial : search.trials)
        table.add({shownText(trial.op), std::to_string(trial.parts), us(trial.wholeUs), us(trial.partsUs),
                   us(trial.joinUs), fmt::format("{:+.1f} us", trial.gainUs()),
                   search.chosen.contains(trial.op) ? "split" : ""});
    std::cout << table << "splits: ";
    if (search.trials.empty())
        std::cout << "no operator could be tried in parts";
    else if (!search.withUs)
        std::cout << "no operator is faster in parts with their join";
    else
        std::cout << us(*search.withUs)
                  << (search.isExact ? " with the best of all choices, " : " with those that gain, ")
                  << (search.chosen.empty() ? "no faster than " : "and ") << us(search.withoutUs) << " without";
    if (!search.trials.empty())
        std::cout << "; were joins to take no time, the parts would gain " << us(search.freeJoinGainUs())
                  << " in all by themselves";
    std::cout << "\n\n";
}

} // namespace stagecraft
