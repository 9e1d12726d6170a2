// Element-wise arithmetic with broadcasting.

#include "cpu/onednn/generic_operands.h"
#include "cpu/onednn/generic_operators.h"
#include "cpu/onednn/primitives.h"
#include "graph/parameter_values.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::cpu {
namespace {

using Function = std::function<float(std::span<const float>)>;

template <typename Step>
Function folded(Step step)
{
    return [step](std::span<const float> x) {
        float result = x[0];
        for (std::size_t i = 1; i < x.size(); ++i)
            result = step(result, x[i]);
        return result;
    };
}

const std::map<std::string, Function> &functions()
{
    static const std::map<std::string, Function> table{
        {"Add", folded([](float a, float b) { return a + b; })},
        {"Sum", folded([](float a, float b) { return a + b; })},
        {"Sub", folded([](float a, float b) { return a - b; })},
        {"Mul", folded([](float a, float b) { return a * b; })},
        {"Div", folded([](float a, float b) { return a / b; })},
        {"Pow", folded([](float a, float b) { return std::pow(a, b); })},
        {"Min", folded([](float a, float b) { return std::min(a, b); })},
        {"Max", folded([](float a, float b) { return std::max(a, b); })},
        {"PRelu", folded([](float a, float b) { return a >= 0 ? a : a * b; })},
        {"Exp", [](std::span<const float> x) { return std::exp(x[0]); }},
        {"Log", [](std::span<const float> x) { return std::log(x[0]); }},
        {"Sqrt", [](std::span<const float> x) { return std::sqrt(x[0]); }},
        {"Reciprocal", [](std::span<const float> x) { return 1 / x[0]; }},
        {"Abs", [](std::span<const float> x) { return std::abs(x[0]); }},
        {"Neg", [](std::span<const float> x) { return -x[0]; }},
        {"Floor", [](std::span<const float> x) { return std::floor(x[0]); }},
        {"Ceil", [](std::span<const float> x) { return std::ceil(x[0]); }},
        {"Round", [](std::span<const float> x) { return std::nearbyint(x[0]); }},
        {"Sign", [](std::span<const float> x) { return static_cast<float>((x[0] > 0) - (x[0] < 0)); }},
        {"Erf", [](std::span<const float> x) { return std::erf(x[0]); }},
        {"Sin", [](std::span<const float> x) { return std::sin(x[0]); }},
        {"Cos", [](std::span<const float> x) { return std::cos(x[0]); }},
        {"Tan", [](std::span<const float> x) { return std::tan(x[0]); }},
        {"Softplus", [](std::span<const float> x) { return std::log1p(std::exp(x[0])); }},
        {"Softsign", [](std::span<const float> x) { return x[0] / (1 + std::abs(x[0])); }},
        {"Mish", [](std::span<const float> x) { return x[0] * std::tanh(std::log1p(std::exp(x[0]))); }},
    };
    return table;
}

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
    Operand first = *operands[0];
    Operand second = *operands[1];
    const bool commutes = op.type != "Sub" && op.type != "Div";
    if (commutes && (!first.tensor.isValid() || first.dims(emitter.graph()) != dims))
        std::swap(first, second);
    Dims small = second.dims(emitter.graph());
    if (!first.tensor.isValid() || first.dims(emitter.graph()) != dims || small.size() > dims.size())
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

Function clip(const Operator &op)
{
    const auto bound = [&](std::size_t place, const char *name, float fallback) {
        const auto constant = constantAt(op, place);
        return constant && !constant->empty() ? constant->front() : real(op, name, fallback);
    };
    constexpr float kMax = std::numeric_limits<float>::max();
    return [low = bound(1, "min", -kMax), high = bound(2, "max", kMax)](std::span<const float> x) {
        return std::min(std::max(x[0], low), high);
    };
}

} // namespace

Result<bool> emitElementwise(Emitter &emitter, const Operator &op)
{
    const bool ownsAttributes = op.kind == OperatorKind::Elementwise || op.kind == OperatorKind::Unknown;
    if (op.kind != OperatorKind::Activation && !ownsAttributes)
        return false;
    auto operands = operandsOf(op);
    if (emitBinary(emitter, op, operands))
        return true;
    Function function;
    if (op.type == "Clip") {
        for (std::size_t place = 1; place < operands.size(); ++place) {
            if (operands[place] && !operands[place]->constant)
                return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Clip whose bounds are computed");
        }
        function = clip(op);
        operands.resize(1);
    } else if (op.type == "Mean") {
        function = [sum = functions().at("Sum")](std::span<const float> x) {
            return sum(x) / static_cast<float>(x.size());
        };
    } else if (const auto found = functions().find(op.type); found != functions().end()) {
        function = found->second;
    } else {
        return false;
    }
    Broadcast shapes{{}, emitter.graph().tensor(op.outputs.front()).shape.dims};
    std::vector<Place> places;
    for (const auto &operand : operands) {
        shapes.operandDims.push_back(operand->dims(emitter.graph()));
        places.push_back(plainOperand(emitter, op, *operand));
    }
    emitPlain(emitter, op, places, 0,
              [=](std::span<const float *const> from, float *to) { combine(from, shapes, to, function); });
    return true;
}

} // namespace stagecraft::cpu
