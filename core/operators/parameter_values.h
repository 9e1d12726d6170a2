#pragma once

// Values of an operator's constants. Constants without stored values are drawn from a fixed generator seeded with the
// parameter's name, so every program that has the graph has the same weights, on any machine, to the last bit.

#include "operators/operator.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// Row-major values in the type they have, shape.elements() of them; never null.
[[nodiscard]] SharedValues typedValues(const Parameter &parameter);
// Row-major values as floats, shape.elements() of them. Generated weights are uniform in +-sqrt(3 / fan-in), which
// keeps activations in range through deep networks; generated biases are within +-0.05. The first dimension is what a
// weight makes; with three, it counts matrices [in, out].
[[nodiscard]] std::shared_ptr<const std::vector<float>> parameterValues(const Parameter &parameter);

// Reads values that are stored outside the model's file. The error names the constant: its file has changed.
[[nodiscard]] std::optional<Error> faultOf(const Parameter &parameter);
// Of the first of its constants that has one.
[[nodiscard]] std::optional<Error> faultOf(const Operator &op);

// A float32 constant of the operator without stored values.
[[nodiscard]] Parameter seededParameter(std::string_view role, const std::string &operatorName,
                                        std::vector<std::int64_t> dims);

} // namespace stagecraft
