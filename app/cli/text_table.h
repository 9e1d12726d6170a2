#pragma once

// Tables for terminals, and how the command line writes numbers: latencies always with their unit.

#include "support/number_text.h"

#include <cstdint>
#include <fmt/format.h>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace stagecraft {

class TextTable {
public:
    explicit TextTable(std::vector<std::string> header);

    void add(std::vector<std::string> row); // as many cells as the header has
    template <typename... Cells>
    void add(const Cells &...cells)
    {
        add(std::vector<std::string>{fmt::format("{}", cells)...});
    }
    void alignLeft(std::size_t column); // names, which may begin as numbers do

    // The first column and columns of words are aligned left, those with numbers right. No line ends in spaces.
    friend std::ostream &operator<<(std::ostream &out, const TextTable &table);

private:
    std::vector<std::vector<std::string>> m_rows;
    std::set<std::size_t> m_left; // columns
};

// Numbers in ASCII, which every terminal shows.
[[nodiscard]] std::string plainMagnitude(double value); // "131", "3.76e+06"

} // namespace stagecraft
