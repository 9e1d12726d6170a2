#pragma once

// Tables as text: comma-separated values (RFC 4180) for programs, Markdown for readers.

#include <string>
#include <vector>

namespace stagecraft {

struct Table {
    std::string title = {}; // of the Markdown; plain text
    std::string facts = {}; // a sentence below the title; may be empty
    std::vector<std::string> columns = {};
    std::size_t numbers = 0; // how many of the last columns are numbers, which Markdown aligns to the right
    std::vector<std::vector<std::string>> rows = {}; // plain text, a cell for each column
};

// Programs read numbers as they are, in microseconds; people read them rounded, with their unit.
enum class TableFor { Programs, Readers };

[[nodiscard]] std::string csvText(const Table &table);
[[nodiscard]] std::string markdownText(const Table &table);
[[nodiscard]] inline std::string tableText(const Table &table, TableFor use)
{
    return use == TableFor::Programs ? csvText(table) : markdownText(table);
}

[[nodiscard]] std::string latencyCell(double latencyUs, TableFor use);

} // namespace stagecraft
