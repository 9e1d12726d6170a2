#include "cli/help_formatter.h"

#include "cli/terminal_width.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::size_t kNameColumns = 28;

} // namespace

std::string valueName(const CLI::Option &option)
{
    std::string name = option.get_type_name();
    if ((name == "TEXT" || name == "INT" || name == "UINT" || name == "FLOAT") && !option.get_lnames().empty()) {
        name = option.get_lnames().front();
        std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
    }
    return name;
}

std::string wrapped(const std::string &text, std::size_t columns, std::size_t indent)
{
    std::istringstream lines(text);
    std::string result;
    std::string line;
    while (std::getline(lines, line)) {
        if (!result.empty())
            result += '\n' + std::string(indent, ' ');
        std::istringstream words(line);
        std::string word;
        std::size_t used = indent;
        bool isFirst = true;
        while (words >> word) {
            if (!isFirst && used + 1 + word.size() > columns) {
                result += '\n' + std::string(indent, ' ');
                used = indent;
                isFirst = true;
            }
            result += (isFirst ? "" : " ") + word;
            used += word.size() + (isFirst ? 0 : 1);
            isFirst = false;
        }
    }
    return result;
}

HelpFormatter::HelpFormatter()
{
    m_columns = static_cast<std::size_t>(std::clamp(terminalColumns(STDOUT_FILENO).value_or(80), 60, 100));
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
    label("OPTIONS", "options");
}

std::string HelpFormatter::entry(const std::string &name, const std::string &description) const
{
    std::string text = "  " + name;
    if (text.size() + 1 > kNameColumns)
        text += '\n' + std::string(kNameColumns, ' ');
    else
        text.resize(kNameColumns, ' ');
    return text + wrapped(description, m_columns, kNameColumns) + '\n';
}

std::string HelpFormatter::make_option(const CLI::Option *option, bool isPositional) const
{
    std::string description = make_option_desc(option);
    if (!option->get_default_str().empty())
        description += "; default: " + option->get_default_str();
    return entry(make_option_name(option, isPositional) + (isPositional ? "" : make_option_opts(option)), description);
}

std::string HelpFormatter::make_option_opts(const CLI::Option *option) const
{
    if (option->get_type_size() == 0) // a flag
        return {};
    return ' ' + valueName(*option) + (option->get_required() ? " (required)" : "");
}

std::string HelpFormatter::make_subcommand(const CLI::App *command) const
{
    return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App *command) const
{
    return wrapped(command->get_description(), m_columns, 0) + "\n\n";
}

std::string HelpFormatter::make_footer(const CLI::App *command) const
{
    return wrapped(command->get_footer(), m_columns, 0) + '\n';
}

} // namespace stagecraft
