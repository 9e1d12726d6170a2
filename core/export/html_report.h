#pragma once

// Results as one self-contained page, for a pull request and to work with: for each model and device what there is, the
// comparison, how the numbers came about, each schedule as a picture and a table, and the trade-off; and, where the
// browser runs its script (resources/html_report), graph, schedules, timelines and tables to look through. Without the
// script everything else is readable, and printed. It refers to no other file and asks for none.

#include "export/reported_group.h"

#include <string>
#include <vector>

namespace stagecraft {

struct Report {
    std::string title;
    std::string program; // who made it, with the version
    std::vector<ReportedGroup> groups;
};

[[nodiscard]] std::string htmlReport(const Report &report);

} // namespace stagecraft
