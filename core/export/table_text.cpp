#include "export/table_text.h"

#include "support/number_text.h"
#include "support/shown_text.h"

#include <fmt/format.h>
#include <ranges>
#include <string_view>

namespace stagecraft {
namespace {

std::string csvCell(const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char letter : text)
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    return quoted + '"';
}

std::string csvRow(const std::vector<std::string> &cells)
{
    return fmt::format("{}\r\n", fmt::join(cells | std::views::transform(csvCell), ","));
}

// Escapes characters that are markup in Markdown or HTML.
std::string escapedMarkdown(const std::string &text)
{
    std::string escaped;
    for (const char letter : shownText(text)) {
        if (std::string_view("\\`*_{}[]<>#|&~").find(letter) != std::string_view::npos)
            escaped += '\\';
        escaped += letter;
    }
    return escaped;
}

std::string markdownRow(const std::vector<std::string> &cells)
{
    std::string row = "|";
    for (const std::string &cell : cells)
        row += fmt::format(" {} |", escapedMarkdown(cell));
    return row + '\n';
}

} // namespace

std::string csvText(const Table &table)
{
    std::string text = csvRow(table.columns);
    for (const std::vector<std::string> &row : table.rows)
        text += csvRow(row);
    return text;
}

std::string markdownText(const Table &table)
{
    std::string text = fmt::format("## {}\n\n", escapedMarkdown(table.title));
    if (!table.facts.empty())
        text += escapedMarkdown(table.facts) + "\n\n";
    text += markdownRow(table.columns) + '|';
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        text += i + table.numbers < table.columns.size() ? " :--- |" : " ---: |";
    text += '\n';
    for (const std::vector<std::string> &row : table.rows)
        text += markdownRow(row);
    return text;
}

std::string latencyCell(double latencyUs, TableFor use)
{
    return use == TableFor::Programs ? exactText(latencyUs) : plainLatency(latencyUs);
}

} // namespace stagecraft
