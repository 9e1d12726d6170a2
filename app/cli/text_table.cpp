#include "cli/text_table.h"

#include "support/shown_text.h"

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <utility>

namespace stagecraft {
namespace {

template <typename... Args>
std::string formatted(const char *format, Args... args)
{
    char text[64];
    std::snprintf(text, sizeof text, format, args...);
    return text;
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

std::ostream &operator<<(std::ostream &out, const TextTable &table)
{
    std::vector<std::size_t> widths(table.m_rows.front().size());
    for (const auto &row : table.m_rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto &row : table.m_rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            out << (i == 0 ? std::left : std::right) << std::setw(static_cast<int>(widths[i])) << row[i]
                << (i + 1 < row.size() ? "  " : "\n");
        }
    }
    return out << std::left;
}

std::string plainMagnitude(double value)
{
    return value < 1e7 ? grouped(static_cast<std::int64_t>(value)) : formatted("%.3g", value);
}

} // namespace stagecraft
