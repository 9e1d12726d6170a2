#pragma once

// Schedules as one self-contained page, for a pull request: the model, the comparison, how the numbers came about, and
// each schedule as a picture and a table. It refers to no other file.

#include "export/schedule_tables.h"
#include "graph/graph.h"

#include <span>
#include <string>

namespace stagecraft {

struct ReportedModel {
    std::string name;
    std::string sha256;
    std::size_t blocks = 0;
};

// `program`: who made it, with the version. Speed-ups are against the first schedule.
[[nodiscard]] std::string htmlReport(const Graph &graph, const ReportedModel &model,
                                     std::span<const NamedSchedule> schedules, const std::string &program);

} // namespace stagecraft
