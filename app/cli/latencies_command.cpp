// latencies: the contents of the latency store, and export and import as files of recorded latencies.

#include "answers/installation_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "cli/stored_sets.h"
#include "cli/text_table.h"
#include "flow/export_latencies.h"
#include "flow/open_model.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

Result<void> list(const CommandLine &line)
{
    TRY_AS(const auto sets, storedSets());
    if (line.json) {
        printAnswer(answers::LatenciesList{defaultLatencyStorePath(), sets});
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

// MODEL is a model as for every command, or a name that only the store knows because its file is elsewhere.
Result<RecordedLatencies> exportedLatencies(LatenciesOptions options)
{
    const auto opened = openModel({.spec = options.model, .batch = options.batch});
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
    TRY_AS(const auto atBatch, openModel({.spec = opened->model.source, .batch = set.context.batch}));
    return exportLatencies(store, set.context, atBatch.model);
}

Result<void> exportSet(const LatenciesOptions &options, const CommandLine &line)
{
    TRY_AS(const auto latencies, exportedLatencies(options));
    if (auto written = writeTextFile(options.file, toText(latencies)); !written)
        return written;
    if (line.json)
        printAnswer(answers::LatenciesExport{options.file, latencies.stages.size(), latencies.schedules.size()});
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
        printAnswer(answers::LatenciesImport{options.file, *count});
    else
        std::cout << counted(*count, "stage") << " of " << latencies->model << " on " << latencies->device << '\n';
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
    clears->callback([&line, options] { line.command = [&line, options] { return clearLatencies(*options, line); }; });
}

} // namespace stagecraft
