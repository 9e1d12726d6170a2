#pragma once

// Tables for terminals, and how the command line writes numbers: latencies always with their unit.

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace stagecraft {

class TextTable {
public:
    explicit TextTable(std::vector<std::string> header);

    void add(std::vector<std::string> row); // as many cells as the header has

    // First column to the left, the others to the right.
    friend std::ostream &operator<<(std::ostream &out, const TextTable &table);

private:
    std::vector<std::vector<std::string>> m_rows;
};

[[nodiscard]] std::string latencyText(double latencyUs);                        // "412.3 us", "4.030 ms"
[[nodiscard]] std::string countText(std::int64_t count);                        // "1,170,663"
[[nodiscard]] std::string counted(std::int64_t count, const std::string &noun); // "1 stage", "1,024 stages"
[[nodiscard]] std::string magnitudeText(double value);                          // "131", "3.76e+06"
[[nodiscard]] std::string speedupText(double speedup);                          // "1.62x"
[[nodiscard]] std::string percentText(double share);                            // "1.5 %"

} // namespace stagecraft
