#pragma once

// The answer of "info", as JSON and for people.

#include "cli/command_line.h"
#include "graph/operator_cost.h"
#include "model/model.h"
#include "search/stages/count.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct BlockFacts {
    std::size_t operators = 0;
    int width = 0;
    double bound = 0;
    std::optional<SpaceCount> space;
};

struct ModelTotals {
    std::map<std::string, std::int64_t> types;
    double flops = 0;
    WeightTotals weights;
};

[[nodiscard]] ModelTotals totalsOf(const Graph &graph);

[[nodiscard]] Json infoJson(const Model &model, const std::vector<BlockFacts> &blocks, const ModelTotals &totals,
                            bool withPasses);
void printInfo(const Model &model, const std::vector<BlockFacts> &blocks, const ModelTotals &totals, bool count);
void printPasses(const Model &model); // what each did

} // namespace stagecraft
