#pragma once

// What both traces that this program exports (export/trace.h) say, put together event by event: one process per result,
// one thread for its stages and one per stream, or on a CPU per thread, and counters.

#include "device/recorded/profiles/profile.h"
#include "support/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stagecraft::profiles {

struct OwnSlice {
    std::string name;
    std::string category; // "stage", "kernel"
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::vector<std::pair<std::string, ProfiledFact>> facts{};
};

class OwnTrace {
public:
    void nameProcess(std::int64_t process, std::string name) { m_results[process].name = std::move(name); }
    void labelProcess(std::int64_t process, std::vector<std::string> labels)
    {
        m_results[process].labels = std::move(labels);
    }
    void nameRow(std::int64_t process, std::int64_t row, std::string name)
    {
        m_results[process].rows[row].name = std::move(name);
    }
    void add(std::int64_t process, std::int64_t row, OwnSlice slice)
    {
        m_results[process].rows[row].slices.push_back(std::move(slice));
    }
    void count(std::int64_t process, const std::string &name, const std::string &unit, std::int64_t ns, double value);

    // The profile of the first result. Errors: there is none.
    [[nodiscard]] Result<Profile> finish(std::string format) &&;

private:
    struct Row {
        std::string name;
        std::vector<OwnSlice> slices;

        [[nodiscard]] bool isThread() const { return name.starts_with("thread "); }
    };
    struct TracedProcess {
        std::string name;
        std::vector<std::string> labels;
        std::map<std::int64_t, Row> rows;
        std::vector<ProfiledCounter> counters;
    };

    // `above`: of a thread, the row of the one before it.
    static void addKernels(const Row &row, const Row *above, Profile &profile);

    std::map<std::int64_t, TracedProcess> m_results;
};

} // namespace stagecraft::profiles
