#include "cli/completed_command.h"

#include "cli/help_formatter.h"
#include "export/formats.h"
#include "flow/find/stream_kind.h"
#include "flow/open_model.h"
#include "plan/target_memory.h"
#include "wiring/device_catalog.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace stagecraft {
namespace {

using Words = std::map<std::string, std::vector<std::string>>; // by option or by the name of an argument

Words knownWords()
{
    Words words;
    for (const BuiltInModel &model : builtInModels()) {
        words["MODEL"].push_back(model.name);
        for (const GeneratorParameter &parameter : model.parameters)
            words["MODEL"].push_back(fmt::format("{}:{}=", model.name, parameter.name)); // whoever types them goes on
    }
    for (const DeviceInfo &device : listDevices()) {
        std::vector<std::string> &ids = words["--device"];
        ids.push_back(device.id);
        for (const DeviceOptions &options : deviceOptions()) {
            if (device.id != options.kind && !device.id.starts_with(options.kind + ":"))
                continue;
            for (const std::string &word : options.words) {
                if (isDeviceId(device.id + ":" + word)) // not every device has each
                    ids.push_back(device.id + ":" + word);
            }
        }
    }
    for (const char *place : {"ssh:", "slurm:", "pool:"}) // whoever types them goes on
        words["--device"].emplace_back(place);
    words["--devices"] = words["--device"];
    std::ranges::copy_if(words["--device"], std::back_inserter(words["--base"]),
                         [](const std::string &device) { return device.starts_with("sim:"); });
    words["--like"] = words["--kit-like"] = words["--base"];
    for (const ExportFormat &format : exportFormats()) {
        words["--format"].emplace_back(format.name);
        for (const ExportView view : format.views) {
            const std::string name(toString(view));
            if (std::ranges::find(words["--view"], name) == words["--view"].end())
                words["--view"].push_back(name);
        }
    }
    words["SCHEDULE"] = {"sequential", "greedy", "ios-merge", "ios-parallel", "ios-both"};
    words["--strategy"] = {"both", "parallel", "merge"};
    for (const StreamKind kind : kStreamKinds) {
        words["SCHEDULE"].emplace_back(toString(kind));
        words["--strategy"].emplace_back(toString(kind));
    }
    for (const ScheduleKind kind : kFusingKinds)
        words["SCHEDULE"].emplace_back(toString(kind));
    words["--strategy"].emplace_back(toString(StrategySet::All));
    words["--strategy"].emplace_back(toString(ScheduleKind::Wavefront));
    words["--schedule"] = words["SCHEDULE"];
    words["--target"] = {"cpu", "cuda"};
    for (const plan::MemoryTargetRow &row : plan::memoryTargets())
        words["RUNTIME"].emplace_back(row.word);
    words["--theme"] = {"light", "dark"};
    words["--model"] = words["MODEL"];
    words["OTHER"] = words["MODEL"];
    words["SHELL"] = {"bash", "zsh", "fish"};
    words["DOCUMENT"] = {"text", "markdown", "junit"};
    return words;
}

CompletedOption completed(const CLI::Option &option, const Words &words)
{
    CompletedOption result;
    for (const std::string &name : option.get_lnames())
        result.names.push_back("--" + name);
    for (const std::string &name : option.get_snames())
        result.names.push_back("-" + name);
    const bool isPositional = result.names.empty();
    if (isPositional)
        result.value = option.get_name();
    else if (option.get_type_size() != 0)
        result.value = valueName(option);
    result.description = option.get_description();
    const auto ofValue = words.find(result.value); // "DOCUMENT", where options of one name take different words
    const auto found = isPositional || ofValue != words.end() ? ofValue : words.find(result.names.front());
    if (found != words.end())
        result.words = found->second;
    result.isFile = result.value == "MODEL" || result.value == "OTHER" || result.value == "SCHEDULE" ||
                    result.value == "FOLDER" || result.value == "PLAN" || result.value.starts_with("FILE");
    return result;
}

void collect(const CLI::App &command, const std::vector<std::string> &path, const Words &words,
             std::vector<CompletedCommand> &all)
{
    CompletedCommand &own = all.emplace_back(CompletedCommand{path, command.get_description(), {}, {}});
    for (const CLI::Option *option : command.get_options())
        own.options.push_back(completed(*option, words));
    const auto below = command.get_subcommands([](const CLI::App *) { return true; });
    for (const CLI::App *child : below)
        own.commands.push_back(child->get_name());
    for (const CLI::App *child : below) {
        std::vector<std::string> longer = path;
        longer.push_back(child->get_name());
        collect(*child, longer, words, all);
    }
}

} // namespace

std::vector<CompletedCommand> completedCommands(const CLI::App &program)
{
    std::vector<CompletedCommand> all;
    collect(program, {}, knownWords(), all);
    return all;
}

} // namespace stagecraft
