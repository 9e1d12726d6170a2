// Element-wise arithmetic with broadcasting.

#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"
#include "device/cpu/onednn/primitives.h"
#include "operators/kernels/scalar_functions.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

namespace stagecraft::cpu {
namespace {

using ElementwiseFunction = std::function<float(std::span<const float>)>; // of a value of each operand

std::optional<dnnl::algorithm> binaryAlgorithm(const std::string &type)
{
    static const std::map<std::string, dnnl::algorithm> table{
        {"Add", dnnl::algorithm::binary_add}, {"Sum", dnnl::algorithm::binary_add},
        {"Sub", dnnl::algorithm::binary_sub}, {"Mul", dnnl::algorithm::binary_mul},
        {"Div", dnnl::algorithm::binary_div}, {"Max", dnnl::algorithm::binary_max},
        {"Min", dnnl::algorithm::binary_min}};
    const auto found = table.find(type);
    return found == table.end() ? std::nullopt : std::optional(found->second);
}

// Two operands, the first of the output's shape and in its layout: one pass of oneDNN, no reorders.
bool emitBinary(Emitter &emitter, const Operator &op, const std::vector<std::optional<Operand>> &operands)
{
    const auto algorithm = binaryAlgorithm(op.type);
    const Place &to = emitter.place(op.outputs.front());
    const Dims dims = to.desc.dims();
    if (!algorithm || operands.size() != 2 || !operands[0] || !operands[1])
        return false;
    if ((op.type == "Max" || op.type == "Min") && emitter.isCareful())
        return false;
    Operand first = *operands[0];
    Operand second = *operands[1];
    const bool commutes = op.type != "Sub" && op.type != "Div";
    if (commutes && (!first.tensor.isValid() || first.dims(emitter.graph().tensors()) != dims))
        std::swap(first, second);
    Dims small = second.dims(emitter.graph().tensors());
    if (!first.tensor.isValid() || first.dims(emitter.graph().tensors()) != dims || small.size() > dims.size())
        return false;
    small.insert(small.begin(), dims.size() - small.size(), 1);

    Argument other{DNNL_ARG_SRC_1, {}, nullptr};
    Desc otherDesc = plainDesc(small);
    if (second.constant) {
        const Parameter *constant = second.constant;
        other.constant = emitter.weights().packed(op.name + '/' + constant->role, otherDesc, true,
                                                  [constant] { return parameterValues(*constant); });
    } else if (small == dims) {
        other.place = emitter.inLayout(emitter.place(second.tensor), to.desc);
        otherDesc = to.desc;
    } else {
        other.place = plainOperand(emitter, op, second);
        other.place.desc = otherDesc;
    }
    const Place from = emitter.inLayout(emitter.place(first.tensor), to.desc);
    const dnnl::binary::primitive_desc desc({*algorithm, to.desc, otherDesc, to.desc}, attributes(), emitter.engine());
    emitter.primitive(dnnl::binary(desc), {{DNNL_ARG_SRC_0, from, nullptr}, other, {DNNL_ARG_DST, to, nullptr}},
                      desc.scratchpad_desc());
    return true;
}

// Constant bounds become part of the function; computed ones stay operands.
ElementwiseFunction clip(const Operator &op, std::vector<std::optional<Operand>> &operands)
{
    if (operands.empty())
        return {};
    struct Bound {
        float constant = 0;
        std::size_t operand = 0; // which operand; 0: the constant
    };
    std::vector<std::optional<Operand>> kept{operands[0]};
    const auto bound = [&](std::size_t place, const char *name) -> Bound {
        if (place < operands.size() && operands[place] && operands[place]->tensor.isValid()) {
            kept.push_back(operands[place]);
            return {0, kept.size() - 1};
        }
        const auto constant = constantAt(op, place);
        return {constant && !constant->empty() ? constant->front() : real(op, name), 0};
    };
    const Bound low = bound(1, "min");
    const Bound high = bound(2, "max");
    operands = std::move(kept);
    return [low, high](std::span<const float> x) {
        const auto value = [&](const Bound &of) { return of.operand == 0 ? of.constant : x[of.operand]; };
        return kernels::clipped(x[0], value(low), value(high));
    };
}

// Narrow real numbers are held as float32.
ElementwiseFunction cast(const Operator &op)
{
    const DataType to = dataTypeOf(static_cast<int>(integer(op, "to")));
    if (isNarrowFloat(to))
        return [to](std::span<const float> x) { return roundedTo(to, x[0]); };
    return to == DataType::Float32 ? ElementwiseFunction([](std::span<const float> x) { return x[0]; })
                                   : ElementwiseFunction();
}

kernels::FunctionConstants<float> constantsOf(const Operator &op)
{
    const auto *generic = std::get_if<GenericAttributes>(&op.attributes);
    return kernels::functionConstants<float>(op.type, generic ? generic->values : std::vector<NamedAttribute>());
}

bool emitUnary(Emitter &emitter, const Operator &op, const std::vector<std::optional<Operand>> &operands)
{
    const auto function = kernels::functionIn(kernels::unaryFunctions<float>(), op.type);
    const Dims &dims = emitter.graph().tensor(op.outputs.front()).shape.dims;
    if (!function || operands.size() != 1 || !operands[0] || operands[0]->dims(emitter.graph().tensors()) != dims)
        return false;
    emitPlain(
        emitter, op, {plainOperand(emitter, op, *operands[0])}, 0,
        [=, constants = constantsOf(op), count = elementsOf(dims)](std::span<const float *const> from, float *to) {
            std::transform(from[0], from[0] + count, to, [&](float x) { return function(x, constants); });
        });
    return true;
}

// Of operands that are broadcast. Empty if there is none for the type, or for this form of it.
ElementwiseFunction functionOf(const Operator &op, std::vector<std::optional<Operand>> &operands)
{
    if (op.type == "Clip")
        return clip(op, operands);
    if (op.type == "Cast")
        return cast(op);
    if (op.type == "Where")
        return [](std::span<const float> x) { return kernels::chosen(x[0] != 0, x[1], x[2]); };
    const auto binary = kernels::functionIn(kernels::binaryFunctions<float>(), op.type);
    if (!binary)
        return {};
    return [binary, constants = constantsOf(op), isMean = op.type == "Mean"](std::span<const float> x) {
        float result = x[0];
        for (const float other : x.subspan(1))
            result = binary(result, other, constants);
        return isMean ? result / static_cast<float>(x.size()) : result;
    };
}

} // namespace

Result<bool> emitElementwise(Emitter &emitter, const Operator &op)
{
    auto operands = operandsOf(op);
    if (emitBinary(emitter, op, operands) || emitUnary(emitter, op, operands))
        return true;
    const ElementwiseFunction function = functionOf(op, operands);
    const std::size_t wanted = op.type == "Where" ? 3 : op.type == "Mod" ? 2 : operands.size();
    if (!function || operands.size() != wanted || operands.empty() ||
        std::ranges::any_of(operands, [](const auto &operand) { return !operand; }))
        return false;
    Broadcast shapes{{}, emitter.graph().tensor(op.outputs.front()).shape.dims};
    std::vector<Place> places;
    for (const auto &operand : operands) {
        if (!broadcasts(operand->dims(emitter.graph().tensors()), shapes.dims))
            return fail(ErrorCode::InvalidInput, "an operand of this " + displayType(op) + " does not fit its output",
                        "export the model again with consistent shapes");
        shapes.operandDims.push_back(operand->dims(emitter.graph().tensors()));
        places.push_back(plainOperand(emitter, op, *operand));
    }
    emitPlain(emitter, op, places, 0,
              [=](std::span<const float *const> from, float *to) { combine(from, shapes, to, function); });
    return true;
}

} // namespace stagecraft::cpu
