#pragma once

// The answer of "info", for programs and for people.

#include "answers/model_answers.h"
#include "graph/operator_cost.h"
#include "model/model.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stagecraft {

struct ModelTotals {
    std::map<std::string, std::int64_t> types;
    double flops = 0;
    WeightTotals weights;
};

[[nodiscard]] ModelTotals totalsOf(const Graph &graph);

[[nodiscard]] answers::Info infoAnswer(const Model &model, std::vector<answers::BlockFacts> blocks,
                                       const ModelTotals &totals, bool withPasses);
void printInfo(const Model &model, const std::vector<answers::BlockFacts> &blocks, const ModelTotals &totals,
               bool count);
void printPasses(const Model &model); // what each did

} // namespace stagecraft
