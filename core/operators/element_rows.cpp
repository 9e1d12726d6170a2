#include "operators/fold_rules.h"
#include "operators/schema_rows.h"
#include "operators/shape_rules.h"

#include <limits>

namespace stagecraft::schema_rows {
namespace {

namespace shape = shape_rules;
namespace fold = fold_rules;
using Kind = OperatorKind;

// A function of each element. `kind` Unknown: of an activation that is not kept, or of a function that only runs.
OperatorSchema function(std::string_view type, Kind kind, Cost cost, FoldRule folds = nullptr,
                        std::vector<AttributeSchema> attributes = {})
{
    return {.type = type,
            .kind = kind,
            .operands = {{"X"}},
            .attributes = std::move(attributes),
            .shapes = shape::likeFirst,
            .cost = cost,
            .fold = folds,
            .fusion = FusionClass::Injective};
}

OperatorSchema elementwise(std::string_view type, FoldRule folds = nullptr)
{
    return function(type, Kind::Elementwise, Cost::Elements, folds);
}

OperatorSchema activation(std::string_view type, std::vector<AttributeSchema> attributes = {})
{
    return function(type, Kind::Unknown, Cost::Bytes, nullptr, std::move(attributes));
}

// Of tensors that are broadcast to each other.
OperatorSchema broadcast(std::string_view type, std::vector<OperandSchema> operands, FoldRule folds = nullptr,
                         ResultType result = ResultType::LikeFirst)
{
    return {.type = type,
            .kind = Kind::Elementwise,
            .operands = std::move(operands),
            .result = result,
            .shapes = shape::broadcastAll,
            .cost = Cost::Elements,
            .fold = folds,
            .fusion = FusionClass::Injective};
}

OperatorSchema comparison(std::string_view type, FoldRule folds)
{
    return broadcast(type, {{"A"}, {"B"}}, folds, ResultType::Truth);
}

// Its shape is known, and nothing else.
OperatorSchema other(OperatorSchema row)
{
    row.kind = Kind::Unknown;
    row.cost = Cost::Bytes;
    return withOthers(std::move(row));
}

} // namespace

std::vector<OperatorSchema> elementRows()
{
    return {
        elementwise("Exp", fold::unary),
        elementwise("Log", fold::unary),
        elementwise("Sqrt", fold::unary),
        elementwise("Reciprocal", fold::unary),
        elementwise("Abs", fold::unary),
        elementwise("Neg", fold::unary),
        elementwise("Floor", fold::unary),
        elementwise("Ceil", fold::unary),
        elementwise("Round"),
        elementwise("Sign"),
        elementwise("Erf"),
        elementwise("Sin"),
        elementwise("Cos"),
        elementwise("Tan"),
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
        activation("Gelu", {text("approximate", "none")}),
        activation("Selu", {real("alpha", 1.67326319217681884765625F), real("gamma", 1.05070102214813232421875F)}),
        activation("Celu", {real("alpha", 1.0F)}),
        activation("Softplus"),
        activation("Softsign"),
        activation("Mish"),
        activation("ThresholdedRelu", {real("alpha", 1.0F)}),
        activation("Shrink", {real("lambd", 0.5F), real("bias", 0.0F)}),
        // Those between real types are left out; round_mode and saturate only concern 8-bit floating point.
        {.type = "Cast",
         .kind = Kind::Elementwise,
         .operands = {{"input"}},
         .attributes = {given("to"), ignored("round_mode"), ignored("saturate")},
         .result = ResultType::Asked,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .fold = fold::cast,
         .fusion = FusionClass::Injective},
        {.type = "Clip",
         .kind = Kind::Elementwise,
         .operands = {{"input"}, optional("min"), optional("max")},
         .attributes = {real("min", std::numeric_limits<float>::lowest()),
                        real("max", std::numeric_limits<float>::max())}, // before opset 11
         .shapes = shape::likeFirst,
         .cost = Cost::Bytes,
         .fusion = FusionClass::Injective},
        {.type = "PRelu",
         .kind = Kind::Elementwise,
         .operands = {{"X"}, {"slope"}},
         .shapes = shape::slopes,
         .cost = Cost::Bytes,
         .fusion = FusionClass::Injective},
        {.type = "Not",
         .kind = Kind::Elementwise,
         .operands = {{"X"}},
         .result = ResultType::Truth,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .fold = fold::unary,
         .fusion = FusionClass::Injective},
        broadcast("Add", {{"A"}, {"B"}}, fold::binary),
        broadcast("Sub", {{"A"}, {"B"}}, fold::binary),
        broadcast("Mul", {{"A"}, {"B"}}, fold::binary),
        broadcast("Div", {{"A"}, {"B"}}, fold::binary),
        broadcast("Pow", {{"X"}, {"Y"}}, fold::binary),
        broadcast("Min", {several("data")}, fold::binary),
        broadcast("Max", {several("data")}, fold::binary),
        broadcast("Mean", {several("data")}),
        broadcast("Sum", {several("data")}),
        broadcast("Where", {{"condition"}, {"X"}, {"Y"}}, fold::where, ResultType::LikeSecond),
        withAttributes({whole("fmod", 0)}, broadcast("Mod", {{"A"}, {"B"}}, fold::binary)),
        comparison("Equal", fold::binary),
        comparison("Greater", fold::binary),
        comparison("GreaterOrEqual", fold::binary),
        comparison("Less", fold::binary),
        comparison("LessOrEqual", fold::binary),
        comparison("And", fold::binary),
        comparison("Or", fold::binary),
        comparison("Xor", nullptr),
        other(broadcast("BitShift", {{"X"}, {"Y"}})),
        resulting(ResultType::LikeSecond, other(function("CastLike", Kind::Unknown, Cost::Bytes))),
        resulting(ResultType::Truth, other(function("IsNaN", Kind::Unknown, Cost::Bytes))),
        resulting(ResultType::Truth, other(function("IsInf", Kind::Unknown, Cost::Bytes))),
        {.type = "QuantizeLinear",
         .kind = Kind::Elementwise,
         .operands = {{"x"}, {"y_scale"}, optional("y_zero_point")},
         .attributes = {whole("axis", 1), given("block_size"), given("output_dtype"), given("precision"),
                        ignored("saturate")},
         .result = ResultType::LikeThird,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .fusion = FusionClass::Injective},
        {.type = "DequantizeLinear",
         .kind = Kind::Elementwise,
         .operands = {{"x"}, {"x_scale"}, optional("x_zero_point")},
         .attributes = {whole("axis", 1), given("block_size"), given("output_dtype")},
         .result = ResultType::Real,
         .shapes = shape::likeFirst,
         .cost = Cost::Elements,
         .fold = fold::dequantize,
         .fusion = FusionClass::Injective},
        {.type = "DynamicQuantizeLinear",
         .kind = Kind::Elementwise,
         .operands = {{"x"}},
         .outputs = 3,
         .shapes = shape::quantizedByItself,
         .cost = Cost::Elements},
    };
}

} // namespace stagecraft::schema_rows
