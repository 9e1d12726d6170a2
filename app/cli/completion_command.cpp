// completion and man: the options of the program, for shells and for man(1).

#include "answers/installation_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/manual_page.h"
#include "cli/print_answer.h"
#include "cli/shell_completion.h"
#include "support/closest_name.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

Result<void> completion(const CLI::App &program, const std::string &shell, const CommandLine &line)
{
    static const std::vector<std::string> kShells{"bash", "zsh", "fish"};
    const std::vector<CompletedCommand> commands = completedCommands(program);
    std::string script;
    if (shell == "bash")
        script = bashCompletion(commands);
    else if (shell == "zsh")
        script = zshCompletion(commands);
    else if (shell == "fish")
        script = fishCompletion(commands);
    else
        return fail(ErrorCode::WrongUse, "completion: " + shell + " is not known",
                    didYouMean(shell, kShells) + "Use " + listed(kShells, " or "));
    if (line.json)
        printAnswer(answers::Completion{shell, script});
    else
        std::cout << script;
    return {};
}

Result<void> manual(const CLI::App &program, const CommandLine &line)
{
    const std::string page = manualPage(completedCommands(program), program.get_footer(), STAGECRAFT_VERSION);
    if (line.json)
        printAnswer(answers::Man{page});
    else
        std::cout << page;
    return {};
}

} // namespace

void addCompletionCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("completion", "Print a script by which a shell completes this command line");
    const auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
    command->callback(
        [&app, &line, shell] { line.command = [&app, &line, shell] { return completion(app, *shell, line); }; });
}

void addManCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("man", "Print the manual page of this program, for man(1)");
    command->callback([&app, &line] { line.command = [&app, &line] { return manual(app, line); }; });
}

} // namespace stagecraft
