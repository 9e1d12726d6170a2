// Element-wise arithmetic with broadcasting.

#include "device/cpu/onednn/elementwise_functions.h"
#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"
#include "device/cpu/onednn/primitives.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"

#include <algorithm>
#include <map>

namespace stagecraft::cpu {
namespace {

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
        return std::min(std::max(x[0], value(low)), value(high));
    };
}

} // namespace

Result<bool> emitElementwise(Emitter &emitter, const Operator &op)
{
    auto operands = operandsOf(op);
    if (emitBinary(emitter, op, operands))
        return true;
    const ElementwiseFunction function = op.type == "Clip" ? clip(op, operands) : elementwiseFunction(op);
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
