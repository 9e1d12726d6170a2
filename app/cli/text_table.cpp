#include "cli/text_table.h"

#include "support/shown_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Whether a cell of the column, below its title, begins as a number does.
bool hasNumbers(const Rows &rows, std::size_t column)
{
    return std::any_of(rows.begin() + 1, rows.end(), [&](const auto &row) {
        const std::size_t first = row[column].find_first_not_of("+-");
        return first != std::string::npos && row[column][first] >= '0' && row[column][first] <= '9';
    });
}

} // namespace

TextTable::TextTable(std::vector<std::string> header)
{
    m_rows.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row)
{
    std::ranges::transform(row, row.begin(), shownText);
    m_rows.push_back(std::move(row));
}

void TextTable::alignLeft(std::size_t column)
{
    m_left.insert(column);
}

std::ostream &operator<<(std::ostream &out, const TextTable &table)
{
    std::vector<std::size_t> widths(table.m_rows.front().size());
    for (const auto &row : table.m_rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::vector<bool> isLeft(widths.size());
    for (std::size_t i = 0; i < isLeft.size(); ++i)
        isLeft[i] = i == 0 || table.m_left.contains(i) || !hasNumbers(table.m_rows, i);
    for (const auto &row : table.m_rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - row[i].size(), ' ');
            line += (i == 0 ? "" : "  ") + (isLeft[i] ? row[i] + padding : padding + row[i]);
        }
        out << line.erase(line.find_last_not_of(' ') + 1) << '\n';
    }
    return out;
}

std::string plainMagnitude(double value)
{
    return value < 1e7 ? grouped(static_cast<std::int64_t>(value)) : fmt::format("{:.3g}", value);
}

} // namespace stagecraft
