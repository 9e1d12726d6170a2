#pragma once

// Operators that stand for several others: the fused and quantised ones of ONNX Runtime's optimiser, and attention.
// What they are is a list of steps, each an operator of the table; shapes, types, costs and results follow from those.
// Private to core/operators.

#include "operators/kernels/kernel.h"
#include "operators/node_facts.h"
#include "support/result.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::composed {

// What a step reads.
struct Source {
    enum class Kind { Nothing, Operand, Step, Constant };

    Kind kind = Kind::Nothing;
    std::size_t place = 0;  // of the node's operand, or the step before
    std::size_t output = 0; // of that step
    std::shared_ptr<const Constant> constant = {};
};

struct Step {
    std::string type;
    std::vector<Source> inputs;
    std::vector<NamedAttribute> attributes = {};
    std::size_t outputs = 1;
};

struct Steps {
    std::vector<Step> steps;
    std::vector<std::optional<Source>> results; // by the node's outputs; empty: one that is not computed
};

// What keeps the program from knowing this form of an operator, as "its activation Erf is not known"; empty if it knows
// it, or the type is no composed one. From attributes alone: shapes need not be known.
[[nodiscard]] std::string unknownForm(const NodeFacts &node);
[[nodiscard]] std::string unknownForm(const Operator &op);

// Refuses, with the reason, a form that is not known, and operands that do not fit. Their shapes have to be known.
[[nodiscard]] Result<Steps> stepsOf(const NodeFacts &node);

// For the operator table. Shapes of a form that is not known are unknown; what it computes is refused.
[[nodiscard]] Result<std::vector<Shape>> shapes(const NodeFacts &node);
[[nodiscard]] DataType resultType(const NodeFacts &node, std::size_t output);
[[nodiscard]] double multiplyAdds(const NodeFacts &node, const Shape &output);
[[nodiscard]] Result<void> run(KernelCall &call);

} // namespace stagecraft::composed
