// latencies: the contents of the latency store, and export and import as files of recorded latencies.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/option_checks.h"
#include "cli/text_table.h"
#include "flow/export_latencies.h"
#include "flow/open_model.h"
#include "measure/store/latency_store.h"
#include "support/closest_name.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <unistd.h>

namespace stagecraft {
namespace {

struct LatenciesOptions {
    std::string model;
    std::string device;
    std::int64_t batch = 0;
    std::string file;
    bool yes = false;
};

Result<LatencyStore> openStore()
{
    auto store = LatencyStore::open(defaultLatencyStorePath());
    if (store && !store->notice().empty())
        std::cerr << "note: " << store->notice() << '\n';
    return store;
}

// The contents of the store; empty if there is no store, which is not created here.
Result<std::vector<StoredSet>> storedSets()
{
    std::error_code error;
    if (!std::filesystem::exists(defaultLatencyStorePath(), error) && !error)
        return std::vector<StoredSet>();
    TRY_AS(auto store, openStore());
    return store.list();
}

// "1755 to 1980 MHz, memory 2619 MHz"
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

bool isSelected(const MeasurementContext &context, const LatenciesOptions &options)
{
    return (options.model.empty() || context.model == options.model) &&
           (options.device.empty() || context.deviceId == options.device || context.deviceTitle == options.device) &&
           (options.batch == 0 || context.batch == options.batch);
}

Result<void> list(const CommandLine &line)
{
    TRY_AS(const auto sets, storedSets());
    if (line.json) {
        Json rows = Json::array();
        for (const StoredSet &set : sets)
            rows.push_back({{"device", set.context.deviceTitle},
                            {"engine", set.context.deviceId},
                            {"model", set.context.model},
                            {"batch", set.context.batch},
                            {"stages", set.stages},
                            {"newest", set.newest},
                            {"lowest_clock_mhz", mhzJson(set.lowest.coreMhz)},
                            {"highest_clock_mhz", mhzJson(set.highest.coreMhz)},
                            {"lowest_memory_clock_mhz", mhzJson(set.lowest.memoryMhz)},
                            {"highest_memory_clock_mhz", mhzJson(set.highest.memoryMhz)},
                            {"fingerprint", set.context.fingerprint}});
        printAnswer("latencies-list", {{"store", defaultLatencyStorePath()}, {"sets", rows}});
        return {};
    }
    std::cout << defaultLatencyStorePath() << '\n';
    if (sets.empty()) {
        std::cout << "has no latencies\n";
        return {};
    }
    TextTable table({"name", "device", "model", "batch", "stages", "newest (UTC)", "clocks"});
    for (const StoredSet &set : sets)
        table.add(set.context.deviceTitle, set.context.deviceId, set.context.model, set.context.batch, set.stages,
                  set.newest, clocksText(set));
    std::cout << '\n' << table;
    return {};
}

std::string known(const std::vector<StoredSet> &sets)
{
    std::string text;
    for (const StoredSet &set : sets)
        text += fmt::format("{}{} at batch {} on {} ({})", text.empty() ? "" : "; ", set.context.model,
                            set.context.batch, set.context.deviceId, set.context.deviceTitle);
    return text;
}

// The only set that matches.
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

// MODEL is a model as for every command, or a name that only the store knows because its file is elsewhere.
Result<RecordedLatencies> exportedLatencies(LatenciesOptions options)
{
    const auto opened = openModel(options.model, {.batch = options.batch});
    if (!opened && opened.error().code != ErrorCode::WrongUse)
        return tl::unexpected(opened.error());
    if (opened)
        options.model = opened->model.graph->name();
    TRY_AS(const auto set, selectedSet(options));
    TRY_AS(auto store, openStore());
    if (!opened) {
        std::cerr << "note: only stages under the names they were measured with are written; give the model's file "
                     "instead of its name to include equal stages\n";
        return store.exported(set.context);
    }
    if (opened->model.graph->batch() == set.context.batch)
        return exportLatencies(store, set.context, opened->model);
    TRY_AS(const auto atBatch, openModel(opened->model.source, {.batch = set.context.batch}));
    return exportLatencies(store, set.context, atBatch.model);
}

Result<void> exportSet(const LatenciesOptions &options, const CommandLine &line)
{
    TRY_AS(const auto latencies, exportedLatencies(options));
    if (auto written = writeTextFile(options.file, toText(latencies)); !written)
        return written;
    if (line.json)
        printAnswer(
            "latencies-export",
            {{"file", options.file}, {"stages", latencies.stages.size()}, {"schedules", latencies.schedules.size()}});
    else
        std::cout << options.file << ": " << counted(static_cast<std::int64_t>(latencies.stages.size()), "stage")
                  << " and " << counted(static_cast<std::int64_t>(latencies.schedules.size()), "whole schedule")
                  << " of " << latencies.model << '\n';
    return {};
}

Result<void> import(const LatenciesOptions &options, const CommandLine &line)
{
    TRY_AS(const auto text, readTextFile(options.file));
    const auto latencies = recordedLatenciesFromText(text);
    if (!latencies)
        return within(options.file, latencies.error());
    TRY_AS(auto store, openStore());
    const auto count = store.import(*latencies);
    if (!count)
        return within(options.file, count.error());
    if (line.json)
        printAnswer("latencies-import", {{"file", options.file}, {"stages", *count}});
    else
        std::cout << counted(*count, "stage") << " of " << latencies->model << " on " << latencies->device << '\n';
    return {};
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

Result<void> clear(const LatenciesOptions &options, const CommandLine &line)
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
        printAnswer("latencies-clear", {{"latencies", gone}});
    else
        std::cout << latenciesText(gone) << " deleted\n";
    return {};
}

} // namespace

void addLatenciesCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("latencies", "List, export, import or delete stored latencies");
    command->require_subcommand(1);
    const auto options = std::make_shared<LatenciesOptions>();
    auto *lists = command->add_subcommand(
        "list", "Devices, models and batch sizes with stored latencies, and the clocks during measurement");
    lists->callback([&line] { line.command = [&line] { return list(line); }; });

    auto *exports = command->add_subcommand("export", "Write a model's latencies as a recorded device (rec:FILE)");
    exports
        ->add_option("MODEL", options->model,
                     "the model, as for every command, or its name as \"latencies list\" shows it")
        ->required();
    exports->add_option("-d,--device", options->device, "device or its name, as \"latencies list\" shows it")
        ->type_name("DEVICE");
    exports->add_option("--batch", options->batch, "batch size")->type_name("N")->check(wholeNumber(1, kLargestBatch));
    addOutputTo(*exports, line, options->file, "the .latencies.jsonl file to write", [] {
        return FileKind::Latencies;
    })->required();
    exports->callback([&line, options] { line.command = [&line, options] { return exportSet(*options, line); }; });

    auto *imports = command->add_subcommand("import", "Import latencies that were exported from another store");
    imports->add_option("FILE", options->file, "the .latencies.jsonl file to read")->required();
    imports->callback([&line, options] { line.command = [&line, options] { return import(*options, line); }; });

    auto *clears = command->add_subcommand("clear", "Delete latencies, after asking");
    clears->add_option("--device,-d", options->device, "Only for this device, or its name (default: all)");
    clears->add_option("--model", options->model, "Only for this model, as list shows it (default: all)");
    clears->add_flag("--yes,-y", options->yes, "Do not ask; required without a terminal");
    clears->callback([&line, options] { line.command = [&line, options] { return clear(*options, line); }; });
}

} // namespace stagecraft
