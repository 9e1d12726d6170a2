#include "operators/kernels/kernels.h"
#include "operators/rows/schema_rows.h"
#include "operators/shapes/shape_rules.h"

#include <limits>

namespace stagecraft::schema_rows {
namespace {

namespace shape = shape_rules;
namespace kernel = kernels;
using Kind = OperatorKind;

// A function of each element. `kind` Unknown: of an activation that is not kept, or of a function that only runs.
OperatorSchema function(std::string_view type, Kind kind, Cost cost, std::vector<AttributeSchema> attributes = {})
{
    return {.type = type,
            .kind = kind,
            .operands = {{"X"}},
            .attributes = std::move(attributes),
            .shapes = shape::likeFirst,
            .cost = cost,
            .kernel = kernel::unary,
            .fusion = FusionClass::Injective};
}

OperatorSchema elementwise(std::string_view type)
{
    return function(type, Kind::Elementwise, Cost::Elements);
}

OperatorSchema activation(std::string_view type, std::vector<AttributeSchema> attributes = {})
{
    return function(type, Kind::Unknown, Cost::Bytes, std::move(attributes));
}

// Of tensors that are broadcast to each other.
OperatorSchema broadcast(std::string_view type, std::vector<OperandSchema> operands,
                         KernelFunction kernel = kernel::arithmetic, ResultType result = ResultType::LikeFirst)
{
    return {.type = type,
            .kind = Kind::Elementwise,
            .operands = std::move(operands),
            .result = result,
            .shapes = shape::broadcastAll,
            .cost = Cost::Elements,
            .kernel = kernel,
            .fusion = FusionClass::Injective};
}

OperatorSchema comparison(std::string_view type, KernelFunction kernel)
{
    return broadcast(type, {{"A"}, {"B"}}, kernel, ResultType::Truth);
}

// Kept without a kind of its own.
OperatorSchema other(OperatorSchema row)
{
    row.kind = Kind::Unknown;
    row.cost = Cost::Bytes;
    return row;
}

} // namespace

std::vector<OperatorSchema> elementRows()
{
    return {
        elementwise("Exp"),
        elementwise("Log"),
        elementwise("Sqrt"),
        elementwise("Reciprocal"),
        elementwise("Abs"),
        elementwise("Neg"),
        elementwise("Floor"),
        elementwise("Ceil"),
        elementwise("Round"),
        elementwise("Sign"),
        elementwise("Erf"),
        elementwise("Sin"),
        elementwise("Cos"),
        elementwise("Tan"),
        activation("Acosh"),
        activation("Asinh"),
        activation("Atanh"),
        activation("Swish", {real("alpha", 1.0F)}),
        activation("BitwiseNot"),
        other(broadcast("BitwiseAnd", {{"A"}, {"B"}})),
        other(broadcast("BitwiseOr", {{"A"}, {"B"}})),
        other(broadcast("BitwiseXor", {{"A"}, {"B"}})),
        activation("Asin"),
        activation("Acos"),
        activation("Atan"),
        activation("Sinh"),
        activation("Cosh"),
        activation("Relu"),
        activation("LeakyRelu", {real("alpha", 0.01F)}),
        activation("Sigmoid"),
        activation("Tanh"),
        activation("HardSwish"),
        activation("HardSigmoid", {real("alpha", 0.2F), real("beta", 0.5F)}),
        activation("Elu", {real("alpha", 1.0F)}),
        activation("Gelu", {choice("approximate", {"none", "tanh"})}),
        activation("Selu", {real("alpha", 1.67326319217681884765625F), real("gamma", 1.05070102214813232421875F)}),
        activation("Celu", {real("alpha", 1.0F)}),
        activation("Softplus"),
        activation("Softsign"),
        activation("Mish"),
        activation("ThresholdedRelu", {real("alpha", 1.0F)}),
        activation("Shrink", {real("lambd", 0.5F), real("bias", 0.0F)}),
        // round_mode and saturate only concern 8-bit floating point.
        {.type = "Cast",
         .kind = Kind::Elementwise,
         .operands = {{"input"}},
         .attributes = {given("to"), ignored("round_mode"), ignored("saturate")},
         .result = ResultType::Asked,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .kernel = kernel::cast,
         .fusion = FusionClass::Injective},
        {.type = "Clip",
         .kind = Kind::Elementwise,
         .operands = {{"input"}, optional("min"), optional("max")},
         .attributes = {real("min", std::numeric_limits<float>::lowest()),
                        real("max", std::numeric_limits<float>::max())}, // before opset 11
         .shapes = shape::likeFirst,
         .cost = Cost::Bytes,
         .kernel = kernel::clip,
         .fusion = FusionClass::Injective},
        {.type = "PRelu",
         .kind = Kind::Elementwise,
         .operands = {{"X"}, {"slope"}},
         .shapes = shape::slopes,
         .cost = Cost::Bytes,
         .kernel = kernel::arithmetic,
         .fusion = FusionClass::Injective},
        {.type = "Not",
         .kind = Kind::Elementwise,
         .operands = {{"X"}},
         .result = ResultType::Truth,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .kernel = kernel::logic,
         .fusion = FusionClass::Injective},
        broadcast("Add", {{"A"}, {"B"}}),
        broadcast("Sub", {{"A"}, {"B"}}),
        broadcast("Mul", {{"A"}, {"B"}}),
        broadcast("Div", {{"A"}, {"B"}}),
        broadcast("Pow", {{"X"}, {"Y"}}, kernel::power),
        broadcast("Min", {several("data")}),
        broadcast("Max", {several("data")}),
        broadcast("Mean", {several("data")}),
        broadcast("Sum", {several("data")}),
        broadcast("Where", {{"condition"}, {"X"}, {"Y"}}, kernel::choice, ResultType::LikeSecond),
        withAttributes({whole("fmod", 0)}, broadcast("Mod", {{"A"}, {"B"}})),
        comparison("Equal", kernel::comparison),
        comparison("Greater", kernel::comparison),
        comparison("GreaterOrEqual", kernel::comparison),
        comparison("Less", kernel::comparison),
        comparison("LessOrEqual", kernel::comparison),
        comparison("And", kernel::logic),
        comparison("Or", kernel::logic),
        comparison("Xor", kernel::logic),
        withAttributes({choice("direction", {"LEFT", "RIGHT"})}, other(broadcast("BitShift", {{"X"}, {"Y"}}))),
        withOperands({{"input"}, {"target_type"}},
                     resulting(ResultType::LikeSecond,
                               withKernel(kernel::cast, function("CastLike", Kind::Unknown, Cost::Bytes,
                                                                 {ignored("saturate"), ignored("round_mode")})))),
        resulting(ResultType::Truth, withKernel(kernel::kindOfNumber, function("IsNaN", Kind::Unknown, Cost::Bytes))),
        resulting(ResultType::Truth, withKernel(kernel::kindOfNumber,
                                                function("IsInf", Kind::Unknown, Cost::Bytes,
                                                         {whole("detect_negative", 1), whole("detect_positive", 1)}))),
        {.type = "QuantizeLinear",
         .kind = Kind::Elementwise,
         .operands = {{"x"}, {"y_scale"}, optional("y_zero_point")},
         .attributes = {whole("axis", 1), given("block_size"), given("output_dtype"), given("precision"),
                        ignored("saturate")},
         .result = ResultType::LikeThird,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .kernel = kernel::quantized,
         .fusion = FusionClass::Injective},
        {.type = "DequantizeLinear",
         .kind = Kind::Elementwise,
         .operands = {{"x"}, {"x_scale"}, optional("x_zero_point")},
         .attributes = {whole("axis", 1), given("block_size"), given("output_dtype")},
         .result = ResultType::LikeSecond,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .kernel = kernel::dequantized,
         .fusion = FusionClass::Injective},
        {.type = "DynamicQuantizeLinear",
         .kind = Kind::Elementwise,
         .operands = {{"x"}},
         .outputs = 3,
         .shapes = shape::quantizedByItself,
         .cost = Cost::Elements,
         .kernel = kernel::quantizedByItself},
    };
}

} // namespace stagecraft::schema_rows
