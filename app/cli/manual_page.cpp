#include "cli/manual_page.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

// Text of a page: no line starts a request, and hyphens stay hyphens.
std::string escaped(const std::string &text)
{
    std::string result;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
            result += "\\&";
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else
            result += c;
    }
    return result;
}

std::string optionText(const CompletedOption &option)
{
    std::string names;
    for (const std::string &name : option.names)
        names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
    if (!option.value.empty())
        names += (names.empty() ? "\\fI" : " \\fI") + escaped(option.value) + "\\fR";
    return ".TP\n" + names + '\n' + escaped(option.description) + '\n';
}

std::string commandText(const CompletedCommand &command)
{
    const std::string name = fmt::format("{}", fmt::join(command.path, " "));
    std::string text = fmt::format(".SS \"{}\"\n{}\n", escaped(name), escaped(command.description));
    for (const CompletedOption &option : command.options)
        text += option.names.empty() ? optionText(option) : "";
    for (const CompletedOption &option : command.options)
        text += option.names.empty() ? "" : optionText(option);
    return text;
}

} // namespace

std::string manualPage(const std::vector<CompletedCommand> &commands, const std::string &footer,
                       const std::string &version)
{
    const CompletedCommand &program = commands.front();
    std::string text = ".TH STAGECRAFT\\-CLI 1 \"\" \"Stagecraft " + escaped(version) +
                       "\" \"User Commands\"\n.SH NAME\nstagecraft\\-cli \\- schedules of neural networks\n"
                       ".SH SYNOPSIS\n.B stagecraft\\-cli\n.I COMMAND\n[arguments and options]\n.SH DESCRIPTION\n" +
                       escaped(program.description) + "\n.SH OPTIONS\n";
    for (const CompletedOption &option : program.options)
        text += optionText(option);
    text += ".SH COMMANDS\n";
    for (std::size_t i = 1; i < commands.size(); ++i)
        text += commandText(commands[i]);
    return text + ".SH NOTES\n" + escaped(footer) + '\n';
}

} // namespace stagecraft
