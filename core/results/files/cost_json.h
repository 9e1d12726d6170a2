#pragma once

// What latencies and arithmetic omit, as members of a JSON object. For sources that use nlohmann's JSON.

#include "graph/cost_basis.h"

#include <nlohmann/json.hpp>

namespace stagecraft {

inline void addCosts(nlohmann::ordered_json &json, const CostBasis &basis)
{
    auto uncosted = nlohmann::ordered_json::array();
    for (const UncostedWork &work : basis.uncosted)
        uncosted.push_back({{"operator", work.operatorName},
                            {"type", work.type},
                            {"reason", work.reason},
                            {"count", work.count},
                            {"loses_shapes", work.losesShapes}});
    json["operators"] = basis.operators;
    json["costed_operators"] = basis.costed();
    json["uncosted"] = std::move(uncosted);
}

} // namespace stagecraft
