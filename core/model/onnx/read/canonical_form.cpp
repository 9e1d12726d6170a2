#include "model/onnx/read/canonical_form.h"

#include "operators/kernels/kernel.h"
#include "operators/parameter_roles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace stagecraft {
namespace {

struct Argument {
    std::string_view type;
    const char *attribute;
    std::size_t place;
    bool isElement = false; // of the type of the first operand's elements
};

// Attributes that became operands in some opset up to 13.
constexpr std::array kArguments{
    Argument{"Squeeze", "axes", 1},    Argument{"Unsqueeze", "axes", 1},  Argument{"Slice", "starts", 1},
    Argument{"Slice", "ends", 2},      Argument{"Slice", "axes", 3},      Argument{"Pad", "pads", 1},
    Argument{"Pad", "value", 2, true}, Argument{"Clip", "min", 1, true},  Argument{"Clip", "max", 2, true},
    Argument{"Split", "split", 1},     Argument{"ReduceSum", "axes", 1},  Argument{"Reshape", "shape", 1},
    Argument{"TopK", "k", 1},          Argument{"Upsample", "scales", 2},
};

void eraseAttribute(Operator &op, std::string_view name)
{
    auto &values = std::get<GenericAttributes>(op.attributes).values;
    std::erase_if(values, [&](const auto &entry) { return entry.first == name; });
}

void setAttribute(Operator &op, const std::string &name, AttributeValue value)
{
    eraseAttribute(op, name);
    auto &values = std::get<GenericAttributes>(op.attributes).values;
    values.emplace_back(name, std::move(value));
    std::ranges::sort(values, {}, &NamedAttribute::first);
}

void addOperand(Operator &op, const OnnxNode &node, std::size_t place, const Constant &constant)
{
    const std::string role = role::operand(place);
    op.parameters.push_back({role, node.name + "." + role, Shape{constant.dims}, constant.type, constant.values});
}

Constant constantOf(const AttributeValue &value)
{
    if (const auto *real = std::get_if<float>(&value))
        return floatConstant({}, {*real});
    if (const auto *reals = std::get_if<std::vector<float>>(&value))
        return floatConstant({static_cast<std::int64_t>(reals->size())}, *reals);
    std::vector<std::int64_t> integers = asIntegers(value);
    const auto count = static_cast<std::int64_t>(integers.size());
    return intConstant({count}, std::move(integers));
}

// A real number of the type of the first operand's elements.
Constant typedLikeFirst(const OnnxNode &node, Constant number)
{
    if (node.has(0) && isFloatingPoint(node.inputs[0]->type))
        number.type = node.inputs[0]->type;
    return number;
}

void moveArguments(const OnnxNode &node, Operator &op)
{
    for (const Argument &argument : kArguments) {
        const AttributeValue *attribute =
            argument.type == node.type ? find(node.attributes, argument.attribute) : nullptr;
        if (!attribute)
            continue;
        const Constant constant = constantOf(*attribute);
        addOperand(op, node, argument.place, argument.isElement ? typedLikeFirst(node, constant) : constant);
        eraseAttribute(op, argument.attribute);
    }
}

// Tensors fill the places that constants leave, in order. Without a lower bound, the upper bound of a Clip would take
// its place in exports of projects, so the lowest number is written as the lower bound. Those are of real numbers.
void fillLowerBound(const OnnxNode &node, Operator &op)
{
    const bool isReal = node.has(0) && kernelType(node.inputs[0]->type) == DataType::Float32;
    if (node.type == "Clip" && isReal && !node.has(1) && node.isTensor(2) && !op.parameter(role::operand(1)))
        addOperand(op, node, 1, typedLikeFirst(node, floatConstant({}, {std::numeric_limits<float>::lowest()})));
}

// Upsample, and Resize of opset 10, have the scales as second operand. They scale by the plain ratio of sizes, which
// was the only way in those opsets. The nearest element is the one before where an axis grows and, in a Resize, the one
// behind where it shrinks; today's form has one rule for all axes.
bool moveScales(const OnnxNode &node, Operator &op)
{
    const bool resizes = node.type == "Resize" && node.opset < 11;
    if (node.type != "Upsample" && !resizes)
        return true;
    bool grows = false;
    bool shrinks = false;
    if (resizes && node.text("mode") == "nearest") {
        const Constant *scales = node.constant(1);
        if (!scales)
            return false;
        for (const float scale : *scales->asFloats()) {
            grows = grows || scale > 1;
            shrinks = shrinks || scale < 1;
        }
        if (grows && shrinks)
            return false;
    }
    for (Parameter &parameter : op.parameters) {
        if (parameter.role == role::operand(1))
            parameter.role = role::operand(2);
    }
    setAttribute(op, "coordinate_transformation_mode", std::string("asymmetric"));
    setAttribute(op, "nearest_mode", std::string(shrinks ? "ceil" : "floor"));
    op.type = "Resize";
    return true;
}

void moveReducedAxes(const OnnxNode &node, Operator &op)
{
    const bool reduces = node.type.starts_with("Reduce") && node.type != "ReduceSum";
    const Constant *axes = reduces ? node.constant(1) : nullptr;
    if (!axes)
        return;
    std::erase_if(op.parameters, [](const Parameter &parameter) { return parameter.role == role::operand(1); });
    setAttribute(op, "axes", axes->asInts());
}

// Before opset 13, Softmax covered all dimensions from its axis on; that equals one dimension if the others are 1.
bool narrowSoftmax(const OnnxNode &node, Operator &op)
{
    const std::int64_t fallback = node.opset < 13 ? 1 : -1;
    if (!node.has(0) || !node.shape(0).known)
        return true;
    const auto &dims = node.shape(0).dims;
    const auto axis = axisWithin(node.gives("axis") ? node.integer("axis") : fallback, dims.size());
    if (!axis)
        return false;
    setAttribute(op, "axis", static_cast<std::int64_t>(*axis));
    const auto isOne = [](std::int64_t dim) { return dim == 1; };
    return node.opset >= 13 || std::all_of(dims.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, dims.end(), isOne);
}

// Before opset 7, the second operand lay along the dimensions from `axis` on. The reader has converted constants; for
// tensors it is today's broadcast only if those dimensions are the last.
bool broadcastsAsToday(const OnnxNode &node)
{
    if (node.type == "PRelu")
        return node.has(1) && node.shape(1).known && node.shape(1).elements() == 1;
    if (!node.gives("axis") || node.constant(1))
        return true;
    if (!node.has(0) || !node.has(1) || !node.shape(0).known || !node.shape(1).known)
        return false;
    const std::size_t rank = node.shape(0).dims.size();
    const auto axis = axisWithin(node.integer("axis"), rank);
    return axis && *axis + node.shape(1).dims.size() == rank;
}

} // namespace

bool makeCanonical(const OnnxNode &node, Operator &op)
{
    moveArguments(node, op);
    fillLowerBound(node, op);
    if (!moveScales(node, op))
        return false;
    moveReducedAxes(node, op);
    if (node.opset < 7) {
        if (op.kind == OperatorKind::Elementwise && node.type != "Concat" && !broadcastsAsToday(node))
            return false;
        for (const char *name : {"broadcast", "consumed_inputs"})
            eraseAttribute(op, name);
        if (op.kind == OperatorKind::Elementwise && node.type != "Concat")
            eraseAttribute(op, "axis"); // for the old broadcast, which the reader has converted
    }
    if (node.type == "Softmax" || node.type == "LogSoftmax")
        return narrowSoftmax(node, op);
    return true;
}

} // namespace stagecraft
