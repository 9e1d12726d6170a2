#pragma once

// Results as one self-contained page, for a pull request: for each model and device what there is, the comparison, how
// the numbers came about, each schedule as a picture and a table, and the trade-off. It refers to no other file.

#include "export/schedule_tables.h"
#include "export/table_text.h"
#include "graph/graph.h"
#include "graph/model_reference.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct ReportedResult {
    std::string name;
    const Schedule *schedule = nullptr; // null: a latency alone, or its model is missing
    std::string madeBy = {};            // "r 3, s 8", "edited from IOS-Both"
    std::optional<double> latencyUs = {};
    double halfWidthUs = 0;             // of the 95 % interval; 0: exact or unknown
    bool isAtLeast = false;             // work is missing from the latency
    std::optional<double> speedup = {}; // over the baseline of the group
    std::string origin = {};            // of the latency: "simulated", "timed in rounds, measured"
    std::string note = {};              // a user's, or why there is no schedule
    bool isBaseline = false;
    bool isChosen = false; // its picture is open
};

// The results of one model on one device at one batch size: what can be compared.
struct ReportedGroup {
    ModelReference model;
    const Graph *graph = nullptr; // null: missing
    std::size_t blocks = 0;
    std::string device;
    std::string deviceVersion = {}; // driver, device file
    std::int64_t batch = 1;
    std::string precision;
    std::string baseline = {}; // what speed-ups refer to
    std::vector<ReportedResult> results = {};
    std::optional<Table> tradeoff = {};
    std::string tradeoffSvg = {}; // empty: none
};

struct Report {
    std::string title;
    std::string program; // who made it, with the version
    std::vector<ReportedGroup> groups;
};

[[nodiscard]] std::string htmlReport(const Report &report);

} // namespace stagecraft
