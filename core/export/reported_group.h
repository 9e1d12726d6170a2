#pragma once

// The results of one model on one device at one batch size, which can be compared: a section of a report.

#include "export/table_text.h"
#include "graph/block.h"
#include "graph/graph.h"
#include "graph/model_reference.h"
#include "results/rated_result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct ReportedGroup {
    ModelReference model;
    const Graph *graph = nullptr; // null: missing
    Blocks blocks = {};           // of the graph
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

} // namespace stagecraft
