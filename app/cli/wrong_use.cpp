#include "cli/wrong_use.h"

#include "model/model_reader.h"
#include "support/closest_name.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace stagecraft {
namespace {

const CLI::App &calledCommand(const CLI::App &program)
{
    const CLI::App *command = &program;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().front();
    return *command;
}

// "latencies export"; empty for the program itself.
std::string nameOf(const CLI::App &command)
{
    const CLI::App *parent = command.get_parent();
    if (!parent)
        return {};
    const std::string before = nameOf(*parent);
    return (before.empty() ? "" : before + ' ') + command.get_name();
}

std::string called(const CLI::App &command)
{
    const std::string name = nameOf(command);
    return "stagecraft-cli" + (name.empty() ? "" : ' ' + name);
}

std::string helpOf(const CLI::App &command)
{
    return fmt::format("\"{} --help\" lists {}", called(command),
                       commandNames(command).empty() ? "its options" : "the commands");
}

Error refusal(const CLI::App &command, const std::string &message, std::string remedy)
{
    const std::string name = nameOf(command);
    return {ErrorCode::WrongUse, (name.empty() ? "" : name + ": ") + message, std::move(remedy), {}};
}

std::vector<std::string> optionNames(const CLI::App &command)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
        for (const std::string &name : option->get_snames())
            names.push_back("-" + name);
    }
    return names;
}

Error unknownOption(const CLI::App &program, const CLI::App &command, const std::string &argument)
{
    const std::string name = argument.substr(0, argument.find('='));
    const std::vector<std::string> names = optionNames(command);
    if (std::ranges::count(names, name) > 0)
        return refusal(command, name + " is before the command",
                       fmt::format("Put it after the command: {} ... {}", called(command), argument));
    std::string remedy = didYouMean(name, names);
    std::vector<std::string> others;
    for (const CLI::App *other : program.get_subcommands([](const CLI::App *) { return true; })) {
        if (std::ranges::count(optionNames(*other), name) > 0)
            others.push_back(other->get_name());
    }
    if (!others.empty() && &command != &program)
        remedy = "It is an option of " + listed(others) + ". ";
    else if (!others.empty())
        remedy = "It goes after a command that has it: " + listed(others) + ". ";
    return refusal(command, "there is no option " + name, remedy + helpOf(command));
}

Error unknownWord(const CLI::App &command, const std::string &word)
{
    const std::vector<std::string> names = commandNames(command);
    if (names.empty())
        return refusal(command, '"' + word + "\" is one word too many", "Quote text with spaces. " + helpOf(command));
    if (!command.get_parent() && namesModel(word))
        return refusal(
            command, "a command is missing before " + word,
            fmt::format("Try, for example, \"{} info {}\". The commands are {}", called(command), word, listed(names)));
    return refusal(command, "there is no command " + word,
                   didYouMean(word, names) + "The commands are " + listed(names));
}

// The first argument, as typed, that was not understood.
std::string unexpectedArgument(const CLI::App &program, std::span<const std::string> arguments)
{
    const std::vector<std::string> left = program.remaining(true);
    const auto first = std::ranges::find_if(
        arguments, [&](const std::string &argument) { return std::ranges::count(left, argument); });
    return first == arguments.end() ? std::string() : *first;
}

// "--input is missing: [NAME=]X.npy, once per input"
Error missing(const CLI::App &command, const std::string &name)
{
    const CLI::Option *option = command.get_option_no_throw(name);
    return refusal(command, name + " is missing" + (option ? ": " + option->get_description() : ""), helpOf(command));
}

} // namespace

std::vector<std::string> commandNames(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
        names.push_back(command->get_name());
    return names;
}

Error wrongUse(const CLI::App &program, const CLI::ParseError &error, std::span<const std::string> arguments)
{
    static const std::string kRequired = " is required";
    const CLI::App &command = calledCommand(program);
    const std::string text = error.what();
    const bool isRequired = dynamic_cast<const CLI::RequiredError *>(&error) != nullptr;
    if (isRequired ||
        dynamic_cast<const CLI::ExtrasError *>(&error)) { // a misspelt name also makes the right one missing
        const std::string strange = unexpectedArgument(program, arguments);
        if (strange.size() > 1 && strange.front() == '-')
            return unknownOption(program, command, strange);
        if (!strange.empty())
            return unknownWord(command, strange);
    }
    if (isRequired && !commandNames(command).empty())
        return refusal(command, "a command is missing", "The commands are " + listed(commandNames(command)));
    if (isRequired && text.ends_with(kRequired))
        return missing(command, text.substr(0, text.size() - kRequired.size()));
    if (dynamic_cast<const CLI::ArgumentMismatch *>(&error)) {
        const std::string option = text.substr(0, text.find(':'));
        if (text.find("At Most") != std::string::npos)
            return refusal(command, option + " is given twice", "Give it once");
        if (text.find("missing") != std::string::npos)
            return refusal(command, option + " has no value", helpOf(command));
    }
    if (dynamic_cast<const CLI::ConversionError *>(&error)) { // "Could not convert: --json = yaml"
        const std::size_t colon = text.find(": ");
        const std::size_t equals = text.find(" = ");
        if (colon < equals && equals != std::string::npos)
            return refusal(command,
                           fmt::format("{} does not take \"{}\"", text.substr(colon + 2, equals - colon - 2),
                                       text.substr(equals + 3)),
                           helpOf(command));
    }
    return refusal(command, text, helpOf(command));
}

} // namespace stagecraft
