#include "cli/output_option.h"

#include "cli/command_line.h"
#include "cli/terminal.h"
#include "model/built_in.h"
#include "support/output_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace stagecraft {
namespace {

const CLI::App &commandIn(const CLI::App &app)
{
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : commandIn(*chosen.front());
}

bool isStandardOutput(const std::string &path)
{
    constexpr std::array kNames{kStandardOutput, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    return std::ranges::find(kNames, path) != kNames.end();
}

// In a model, a schedule, NAME=FILE, rec:FILE and so on.
std::vector<std::string> filesNamedBy(const CLI::Option &option, const std::string &value)
{
    constexpr std::array kPositional{"MODEL", "SCHEDULE", "FILE"};
    constexpr std::array kNamed{"--schedule", "--input", "--device", "--devices", "--keep", "--costs"};
    const bool isPositional =
        option.get_positional() && std::ranges::find(kPositional, option.get_name()) != kPositional.end();
    if (isPositional)
        return isBuiltIn(value) || !std::filesystem::exists(value) ? std::vector<std::string>() : std::vector{value};
    const bool isNamed = std::ranges::any_of(kNamed, [&](const char *name) { return option.check_name(name); });
    if (!isNamed)
        return {};
    std::vector<std::string> files{value};
    if (const std::size_t equals = value.find('='); equals != std::string::npos)
        files.push_back(value.substr(equals + 1));
    if (const std::size_t colon = value.find(':'); colon != std::string::npos) {
        files.push_back(value.substr(0, colon)); // FILE:STAGE
        files.push_back(value.substr(colon + 1));
    }
    return files;
}

Result<void> checkReplaced(const CLI::App &command, const std::string &path, const CommandLine &line)
{
    const auto writes = line.outputs.find(&command);
    const auto kind = writes == line.outputs.end() || line.force ? std::nullopt : writes->second();
    return kind ? refuseReplacing(path, *kind) : Result<void>();
}

} // namespace

Result<void> settleOutput(const CLI::App &app, const CommandLine &line, Terminal &terminal)
{
    const CLI::App &command = commandIn(app);
    const CLI::Option *output = command.get_option_no_throw("-o");
    if (!output || output->empty())
        return {};
    const auto path = output->as<std::string>();
    if (isStandardOutput(path)) {
        if (line.json)
            return fail(ErrorCode::WrongUse, "--json and -o " + path + " both ask for standard output",
                        "Leave one of them out");
        terminal.releaseOutput();
        return {};
    }
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &value : option->results()) {
            for (const std::string &file : filesNamedBy(*option, value)) {
                if (auto differs = refuseOverwriting(path, file); !differs)
                    return differs;
            }
        }
    }
    return checkReplaced(command, path, line);
}

} // namespace stagecraft
