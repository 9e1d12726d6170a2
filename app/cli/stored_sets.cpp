#include "cli/stored_sets.h"

#include "answers/installation_answers.h"
#include "cli/print_answer.h"
#include "cli/text_table.h"
#include "support/closest_name.h"
#include "timing/device_id.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <set>
#include <unistd.h>
#include <utility>

namespace stagecraft {
namespace {

bool isSelected(const MeasurementContext &context, const LatenciesOptions &options)
{
    return (options.model.empty() || context.model == options.model) &&
           (options.device.empty() || context.deviceId == ownDeviceId(options.device) ||
            context.deviceTitle == options.device) &&
           (options.batch == 0 || context.batch == options.batch);
}

std::string known(const std::vector<StoredSet> &sets)
{
    std::string text;
    for (const StoredSet &set : sets)
        text += fmt::format("{}{} at batch {} on {} ({})", text.empty() ? "" : "; ", set.context.model,
                            set.context.batch, set.context.deviceId, set.context.deviceTitle);
    return text;
}

// Each matching device once: latencies that no model names any more are removed with their device.
Result<std::vector<StoredSelection>> selectionsOf(const LatenciesOptions &options, const std::vector<StoredSet> &sets)
{
    if (options.device.empty() && options.model.empty())
        return std::vector<StoredSelection>{{}};
    std::vector<StoredSelection> meant;
    std::string engines;
    std::set<std::pair<std::string, std::string>> seen;
    for (const StoredSet &set : sets) {
        if (isSelected(set.context, options) && seen.insert({set.context.fingerprint, set.context.deviceId}).second)
            meant.push_back({set.context.fingerprint, set.context.deviceId, 0, options.model});
        if (engines.find(set.context.deviceId) == std::string::npos)
            engines += (engines.empty() ? "" : ", ") + set.context.deviceId;
    }
    if (!meant.empty())
        return meant;
    return fail(ErrorCode::WrongUse,
                "the store has no latencies" + (options.model.empty() ? "" : " of " + options.model) +
                    (options.device.empty() ? "" : " of the device " + options.device),
                sets.empty() ? "It is empty" : "It has those of " + (options.model.empty() ? engines : known(sets)));
}

std::string latenciesText(std::int64_t count)
{
    return grouped(count) + (count == 1 ? " latency" : " latencies");
}

// Asks on a terminal; elsewhere --yes is needed.
Result<bool> confirmDeletion(std::int64_t count, const LatenciesOptions &options)
{
    if (options.yes)
        return true;
    const std::string what = latenciesText(count) + (options.model.empty() ? "" : " of " + options.model) +
                             (options.device.empty() ? "" : " on " + options.device);
    if (isatty(STDIN_FILENO) == 0)
        return fail(ErrorCode::WrongUse, what + " would be deleted", "Confirm with --yes");
    std::cerr << "Delete " << what << " permanently? [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace

Result<LatencyStore> openStore()
{
    auto store = LatencyStore::open(defaultLatencyStorePath());
    if (store && !store->notice().empty())
        std::cerr << "note: " << store->notice() << '\n';
    return store;
}

Result<std::vector<StoredSet>> storedSets()
{
    std::error_code error;
    if (!std::filesystem::exists(defaultLatencyStorePath(), error) && !error)
        return std::vector<StoredSet>();
    TRY_AS(auto store, openStore());
    return store.list();
}

std::string clocksText(const StoredSet &set)
{
    const auto range = [](const char *name, int lowest, int highest) {
        return lowest == highest ? fmt::format("{}{} MHz", name, highest)
                                 : fmt::format("{}{} to {} MHz", name, lowest, highest);
    };
    std::string text;
    if (set.highest.coreMhz > 0)
        text = range("", set.lowest.coreMhz, set.highest.coreMhz);
    if (set.highest.memoryMhz > 0)
        text += range(text.empty() ? "memory " : ", memory ", set.lowest.memoryMhz, set.highest.memoryMhz);
    return text.empty() ? "unknown" : text;
}

Result<StoredSet> selectedSet(const LatenciesOptions &options)
{
    TRY_AS(const auto sets, storedSets());
    std::vector<StoredSet> meant;
    std::ranges::copy_if(sets, std::back_inserter(meant),
                         [&](const StoredSet &set) { return isSelected(set.context, options); });
    if (meant.size() == 1)
        return meant.front();
    if (!meant.empty())
        return fail(ErrorCode::WrongUse, "several sets of latencies match",
                    "Give --batch and --device. The store has: " + known(sets));
    std::vector<std::string> models;
    for (const StoredSet &set : sets)
        models.push_back(set.context.model);
    return fail(ErrorCode::WrongUse, "the store has no latencies of " + options.model,
                sets.empty() ? "Measure something first, as in compare " + options.model + " --device cpu"
                             : didYouMean(options.model, models) + "The store has: " + known(sets));
}

Result<void> clearLatencies(const LatenciesOptions &options, const CommandLine &line)
{
    TRY_AS(const auto sets, storedSets());
    TRY_AS(const auto meant, selectionsOf(options, sets));
    std::int64_t gone = 0;
    std::error_code error;
    if (std::filesystem::exists(defaultLatencyStorePath(), error)) {
        TRY_AS(auto store, openStore());
        std::int64_t count = 0;
        for (const StoredSelection &selection : meant) {
            TRY_AS(const auto of, store.count(selection));
            count += of;
        }
        TRY_AS(const auto may, count > 0 ? confirmDeletion(count, options) : Result<bool>(true));
        if (!may) {
            std::cerr << "nothing was deleted\n";
            return {};
        }
        for (const StoredSelection &selection : meant) {
            TRY_AS(const auto cleared, store.clear(selection));
            gone += cleared;
        }
    }
    if (line.json)
        printAnswer(answers::LatenciesClear{gone});
    else
        std::cout << latenciesText(gone) << " deleted\n";
    return {};
}

} // namespace stagecraft
