#pragma once

// The rows of the table of operator types, by what the operators do. Private to core/operators.

#include "operators/schema.h"

#include <utility>

namespace stagecraft::schema_rows {

[[nodiscard]] std::vector<OperatorSchema> elementRows(); // every element by itself, element_rows.cpp
[[nodiscard]] std::vector<OperatorSchema>
movementRows();                                        // values that are moved, chosen or repeated, movement_rows.cpp
[[nodiscard]] std::vector<OperatorSchema> layerRows(); // products, windows, norms, reductions, layer_rows.cpp

[[nodiscard]] std::vector<OperatorSchema> furtherRows();  // rarer ones, further_rows.cpp
[[nodiscard]] std::vector<OperatorSchema> composedRows(); // those that stand for several, composed_rows.cpp

// The row with one more entry.
[[nodiscard]] inline OperatorSchema withKernel(KernelFunction kernel, OperatorSchema row)
{
    row.kernel = kernel;
    return row;
}
[[nodiscard]] inline OperatorSchema resulting(ResultType result, OperatorSchema row)
{
    row.result = result;
    return row;
}
[[nodiscard]] inline OperatorSchema withOutputs(std::size_t most, OperatorSchema row)
{
    row.outputs = most;
    return row;
}
[[nodiscard]] inline OperatorSchema withOperands(std::vector<OperandSchema> operands, OperatorSchema row)
{
    row.operands = std::move(operands);
    return row;
}
[[nodiscard]] inline OperatorSchema withAttributes(std::vector<AttributeSchema> attributes, OperatorSchema row)
{
    row.attributes = std::move(attributes);
    return row;
}
// Attributes that are not listed may be there, which nothing is known about.
[[nodiscard]] inline OperatorSchema withOthers(OperatorSchema row)
{
    row.listsAttributes = false;
    return row;
}

// Operands.
[[nodiscard]] inline OperandSchema optional(std::string_view name)
{
    return {name, OperandSchema::Need::Optional, false};
}
[[nodiscard]] inline OperandSchema constant(std::string_view name)
{
    return {name, OperandSchema::Need::Always, true};
}
[[nodiscard]] inline OperandSchema optionalConstant(std::string_view name) // in older opsets an attribute
{
    return {name, OperandSchema::Need::Optional, true};
}
[[nodiscard]] inline OperandSchema several(std::string_view name)
{
    return {name, OperandSchema::Need::Several, false};
}

// Attributes.
[[nodiscard]] inline AttributeSchema whole(std::string name, std::int64_t fallback)
{
    return {std::move(name), AttributeValue(fallback), true};
}
[[nodiscard]] inline AttributeSchema real(std::string name, float fallback)
{
    return {std::move(name), AttributeValue(fallback), true};
}
[[nodiscard]] inline AttributeSchema text(std::string name, std::string fallback)
{
    return {std::move(name), AttributeValue(std::move(fallback)), true};
}
// Its values, of which the first is the default.
[[nodiscard]] inline AttributeSchema choice(std::string name, std::vector<std::string_view> values)
{
    return {std::move(name), AttributeValue(std::string(values.front())), true, std::move(values)};
}
// As padding of windows is chosen; files leave it empty where they mean the first.
[[nodiscard]] inline AttributeSchema automaticPadding()
{
    return choice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", ""});
}
[[nodiscard]] inline AttributeSchema given(std::string name) // has no default
{
    return {std::move(name), std::nullopt, true};
}
[[nodiscard]] inline AttributeSchema ignored(std::string name)
{
    return {std::move(name), std::nullopt, false};
}

} // namespace stagecraft::schema_rows
