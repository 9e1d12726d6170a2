// latencies: what the latency store holds, as files of recorded latencies in and out.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/option_checks.h"
#include "cli/text_table.h"
#include "device/latency_store.h"
#include "engine/text_file.h"
#include "support/closest_name.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct LatenciesOptions {
    std::string model;
    std::string device;
    std::int64_t batch = 0;
    std::string file;
};

Result<LatencyStore> openStore()
{
    auto store = LatencyStore::open(defaultLatencyStorePath());
    if (store && !store->notice().empty())
        std::cerr << "note: " << store->notice() << '\n';
    return store;
}

// "1755 to 1980 MHz, memory 2619 MHz"
std::string clocksText(const StoredSet &set)
{
    const auto range = [](const char *name, int lowest, int highest) {
        const std::string text = name + std::to_string(highest) + " MHz";
        return lowest == highest ? text : name + std::to_string(lowest) + " to " + std::to_string(highest) + " MHz";
    };
    std::string text;
    if (set.highest.coreMhz > 0)
        text = range("", set.lowest.coreMhz, set.highest.coreMhz);
    if (set.highest.memoryMhz > 0)
        text += range(text.empty() ? "memory " : ", memory ", set.lowest.memoryMhz, set.highest.memoryMhz);
    return text.empty() ? "not known" : text;
}

bool isMeant(const MeasurementContext &context, const LatenciesOptions &options)
{
    return (options.model.empty() || context.model == options.model) &&
           (options.device.empty() || context.engine == options.device || context.deviceTitle == options.device) &&
           (options.batch == 0 || context.batch == options.batch);
}

Result<void> list(const CommandLine &line)
{
    auto store = openStore();
    if (!store)
        return tl::unexpected(store.error());
    const auto sets = store->list();
    if (!sets)
        return tl::unexpected(sets.error());
    if (line.json) {
        Json rows = Json::array();
        for (const StoredSet &set : *sets)
            rows.push_back({{"device", set.context.deviceTitle},
                            {"engine", set.context.engine},
                            {"model", set.context.model},
                            {"batch", set.context.batch},
                            {"stages", set.stages},
                            {"newest", set.newest},
                            {"lowest_clock_mhz", mhzJson(set.lowest.coreMhz)},
                            {"highest_clock_mhz", mhzJson(set.highest.coreMhz)},
                            {"lowest_memory_clock_mhz", mhzJson(set.lowest.memoryMhz)},
                            {"highest_memory_clock_mhz", mhzJson(set.highest.memoryMhz)},
                            {"fingerprint", set.context.fingerprint}});
        printAnswer("latencies-list", {{"store", store->path()}, {"sets", rows}});
        return {};
    }
    std::cout << store->path() << '\n';
    if (sets->empty()) {
        std::cout << "holds no latencies\n";
        return {};
    }
    TextTable table({"device", "engine", "model", "batch", "stages", "newest (UTC)", "clocks"});
    for (const StoredSet &set : *sets)
        table.add({set.context.deviceTitle, set.context.engine, set.context.model, std::to_string(set.context.batch),
                   std::to_string(set.stages), set.newest, clocksText(set)});
    std::cout << '\n' << table;
    return {};
}

Result<void> exportSet(const LatenciesOptions &options, const CommandLine &line)
{
    auto store = openStore();
    if (!store)
        return tl::unexpected(store.error());
    const auto sets = store->list();
    if (!sets)
        return tl::unexpected(sets.error());
    std::vector<StoredSet> meant;
    std::string known;
    std::vector<std::string> models;
    for (const StoredSet &set : *sets) {
        models.push_back(set.context.model);
        known += (known.empty() ? "" : "; ") + set.context.model + " at batch " + std::to_string(set.context.batch) +
                 " on " + set.context.engine + " (" + set.context.deviceTitle + ")";
        if (isMeant(set.context, options))
            meant.push_back(set);
    }
    if (meant.size() != 1)
        return fail(ErrorCode::WrongUse,
                    meant.empty() ? "the store has no latencies of " + options.model
                                  : "several sets of latencies are meant",
                    known.empty()   ? "Measure something first"
                    : meant.empty() ? didYouMean(options.model, models) + "The store has: " + known
                                    : "Say --batch and --device. The store has: " + known);
    const auto latencies = store->exported(meant.front().context);
    if (!latencies)
        return tl::unexpected(latencies.error());
    if (auto written = writeTextFile(options.file, toText(*latencies)); !written)
        return written;
    if (line.json)
        printAnswer("latencies-export", {{"file", options.file}, {"stages", latencies->stages.size()}});
    else
        std::cout << options.file << ": " << latencies->stages.size() << " stages of " << latencies->model << '\n';
    return {};
}

Result<void> import(const LatenciesOptions &options, const CommandLine &line)
{
    const auto text = readTextFile(options.file);
    if (!text)
        return tl::unexpected(text.error());
    const auto latencies = recordedLatenciesFromText(*text);
    if (!latencies)
        return within(options.file, latencies.error());
    auto store = openStore();
    if (!store)
        return tl::unexpected(store.error());
    const auto count = store->import(*latencies);
    if (!count)
        return within(options.file, count.error());
    if (line.json)
        printAnswer("latencies-import", {{"file", options.file}, {"stages", *count}});
    else
        std::cout << *count << " stages of " << latencies->model << " on " << latencies->device << '\n';
    return {};
}

Result<void> clear(const LatenciesOptions &options, const CommandLine &line)
{
    auto store = openStore();
    if (!store)
        return tl::unexpected(store.error());
    std::int64_t gone = 0;
    if (options.device.empty()) {
        const auto cleared = store->clear(std::nullopt);
        if (!cleared)
            return tl::unexpected(cleared.error());
        gone = *cleared;
    } else {
        const auto sets = store->list();
        if (!sets)
            return tl::unexpected(sets.error());
        std::string known;
        bool isKnown = false;
        for (const StoredSet &set : *sets) {
            if (!isMeant(set.context, options)) {
                if (known.find(set.context.engine) == std::string::npos)
                    known += (known.empty() ? "" : ", ") + set.context.engine;
                continue;
            }
            isKnown = true;
            const auto cleared = store->clear(set.context.fingerprint);
            if (!cleared)
                return tl::unexpected(cleared.error());
            gone += *cleared;
        }
        if (!isKnown)
            return fail(ErrorCode::WrongUse, "the store has no latencies of the device " + options.device,
                        known.empty() ? "It is empty" : "It has those of " + known);
    }
    if (line.json)
        printAnswer("latencies-clear", {{"latencies", gone}});
    else
        std::cout << countText(gone) << (gone == 1 ? " latency forgotten\n" : " latencies forgotten\n");
    return {};
}

} // namespace

void addLatenciesCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("latencies", "List, export, import or clear the latencies that were measured and kept");
    command->require_subcommand(1);
    const auto options = std::make_shared<LatenciesOptions>();
    auto *lists = command->add_subcommand(
        "list", "Devices, models and batch sizes with kept latencies, and the clocks they were taken at");
    lists->callback([&line] { line.command = [&line] { return list(line); }; });

    auto *exports = command->add_subcommand("export", "Write a model's latencies as a recorded device (rec:FILE)");
    exports->add_option("MODEL", options->model, "name of the model, as \"latencies list\" shows it")->required();
    exports->add_option("-d,--device", options->device, "engine or device, as \"latencies list\" shows it")
        ->type_name("DEVICE");
    exports->add_option("--batch", options->batch, "batch size")->type_name("N")->check(wholeNumber(1, kLargestBatch));
    addOutputTo(*exports, options->file, "the .latencies.jsonl file to write")->required();
    exports->callback([&line, options] { line.command = [&line, options] { return exportSet(*options, line); }; });

    auto *imports = command->add_subcommand("import", "Take in latencies that another store exported");
    imports->add_option("FILE", options->file, "the .latencies.jsonl file to read")->required();
    imports->callback([&line, options] { line.command = [&line, options] { return import(*options, line); }; });

    auto *clears = command->add_subcommand("clear", "Forget latencies");
    clears->add_option("--device,-d", options->device, "Only of this engine or device (default: all)");
    clears->callback([&line, options] { line.command = [&line, options] { return clear(*options, line); }; });
}

} // namespace stagecraft
