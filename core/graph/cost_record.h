#pragma once

// The members of what latencies and arithmetic omit (graph/cost_basis.h), for JSON.

#include "graph/cost_basis.h"
#include "support/records/record.h"

namespace stagecraft {

void eachMember(Of<UncostedWork> auto &work, auto &&visit)
{
    visit(Field{"operator", "the first of them, where the cause lies"}.required(), work.operatorName);
    visit({"type", "its type"}, work.type);
    visit(Field{"reason", "why it has no cost"}.required(), work.reason);
    visit(Field{"count", "operators that have no cost for this reason", Unit::Count}.required(), work.count);
    visit({"loses_shapes", "whether the shapes behind it are unknown, too"}, work.losesShapes);
}
template <>
inline constexpr std::string_view kPartName<UncostedWork> = "uncosted";

namespace fields {

inline constexpr Field kUncosted{"uncosted", "operators without a cost, by cause"};

} // namespace fields

void eachMember(Of<CostBasis> auto &costs, auto &&visit)
{
    visit({"operators", "schedule units of the model", Unit::Count}, costs.operators);
    visit({"costed_operators", "of which so many have a known cost; FLOP and simulated latencies leave the others out",
           Unit::Count},
          costs.costed());
    visit(fields::kUncosted, costs.uncosted);
    visit({"precision", "of arithmetic: fp32, tf32, fp16"}, costs.precision);
    visit({"integer_products",
           "convolutions and products on integers of 8 bits: costed as int8 on a simulated device that has a rate "
           "for it, otherwise as fp32",
           Unit::Count},
          costs.integerProducts);
    visit({"quantized_conversions", "conversions between integers and floating point that are operators of their own",
           Unit::Count},
          costs.conversions);
}

} // namespace stagecraft
