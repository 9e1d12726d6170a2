#pragma once

// Results as one self-contained page, for a pull request: for each model and device what there is, the comparison, how
// the numbers came about, each schedule as a picture and a table, and the trade-off. It refers to no other file.

#include "export/table_text.h"
#include "graph/graph.h"
#include "graph/model_reference.h"
#include "results/rated_result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

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
    std::vector<RatedResult> results = {};
    std::optional<std::size_t> chosen = {}; // the result whose picture is open
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
