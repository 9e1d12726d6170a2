#pragma once

// The file format "stagecraft-layout-costs": what operators take for each layout, and what conversions of tensors take.
//
//   {"format": "stagecraft-layout-costs", "version": 1, "layouts": ["NCHW", "NHWC"],
//    "operators": {NAME: [{"in": "NCHW", "out": "NCHW", "latency_us": 300}, ...]},
//    "conversions": {TENSOR: [{"from": "NCHW", "to": "NHWC", "latency_us": 200}, ...]}}
//
// An entry that is missing is impossible. A tensor without a list under "conversions" takes that of "*". Optional:
// "model", "device", "batch" and "provenance", where the latencies were recorded.

#include "schedule/layouts/layout_problem.h"
#include "support/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft {

// The layout of graph inputs and outputs; upper and lower case are the same.
inline constexpr std::string_view kFixedLayout = "NCHW";

[[nodiscard]] bool isSameLayout(std::string_view a, std::string_view b);

// Where layout latencies come from; empty: not said.
struct LayoutCostsSource {
    std::string model;
    std::string device;
    std::string provenance;
    std::int64_t batch = 0; // 0: not said
};

struct LayoutCosts {
    LayoutProblem problem;
    LayoutCostsSource source;
};

// For this graph. Errors: InvalidInput, naming the operator, tensor or entry: text that is not such a file, names that
// the graph does not have, layouts that the file does not list, latencies below zero, entries given twice.
[[nodiscard]] Result<LayoutCosts> layoutCostsFrom(std::string_view text, const Graph &graph);

// Reading it for the same graph gives the same problem.
[[nodiscard]] std::string toJson(const LayoutCosts &costs);

} // namespace stagecraft
