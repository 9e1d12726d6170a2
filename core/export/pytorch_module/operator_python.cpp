#include "export/pytorch_module/operator_python.h"

#include "export/pytorch_module/python_text.h"
#include "operators/parameter_roles.h"
#include "operators/schema.h"
#include "schedule/merge.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <ranges>
#include <utility>

namespace stagecraft {
namespace {

using Pair = std::array<std::int64_t, 2>;

// The input expression as one tensor.
std::string inputOf(const PythonNetwork &network, const Operator &op)
{
    const auto sumOf = [&](const std::vector<TensorId> &part) { return network.tensors(part, " + "); };
    if (op.inputs.size() == 1)
        return sumOf(op.inputs.front());
    return fmt::format("torch.cat(({}), 1)", fmt::join(op.inputs | std::views::transform(sumOf), ", "));
}

bool isEven(const Window &window)
{
    return window.padding[0] == window.padding[2] && window.padding[1] == window.padding[3];
}

std::string padded(const std::string &x, const Window &window)
{
    const auto &[top, left, bottom, right] = window.padding;
    return isEven(window) ? x : fmt::format("F.pad({}, {})", x, pythonTuple(std::array{left, right, top, bottom}));
}

std::string unless(const Pair &usual, const char *name, const Pair &value)
{
    return value == usual ? "" : fmt::format(", {}={}", name, pythonTuple(value));
}

std::string optional(PythonNetwork &network, const Operator &op, std::string_view role)
{
    const Parameter *parameter = op.parameter(role);
    return parameter ? ", " + network.constant(op, *parameter) : "";
}

// ", WEIGHT, BIAS", as far as the operator has them.
std::string constants(PythonNetwork &network, const Operator &op, std::string_view weight, std::string_view bias)
{
    std::string text = optional(network, op, weight);
    return text += optional(network, op, bias);
}

std::string groupsArgument(std::int64_t groups)
{
    return groups == 1 ? "" : fmt::format(", groups={}", groups);
}

std::string convolution(PythonNetwork &network, const Operator &op, const std::string &x, const Window &window,
                        std::int64_t groups, std::string_view weight, std::string_view bias)
{
    const Pair padding{window.padding[0], window.padding[1]};
    return fmt::format("F.conv2d({}{}{}{}{}{})", padded(x, window), constants(network, op, weight, bias),
                       unless({1, 1}, "stride", window.stride),
                       isEven(window) ? unless({0, 0}, "padding", padding) : "",
                       unless({1, 1}, "dilation", window.dilation), groupsArgument(groups));
}

// Further lines apply the activation.
PythonLines assigned(const std::string &to, const std::string &value, const Activation &after)
{
    PythonLines lines{fmt::format("{} = {}", to, value)};
    if (after.kind != ActivationKind::None)
        lines.push_back(fmt::format("{} = {}", to, activatedPython(after, to)));
    return lines;
}

PythonLines convPython(PythonNetwork &network, const Operator &op, const std::string &to)
{
    const ConvAttributes &conv = *op.conv();
    return assigned(to,
                    convolution(network, op, activatedPython(conv.before, inputOf(network, op)), conv.window,
                                conv.groups, role::kWeight, role::kBias),
                    conv.after);
}

PythonLines sepConvPython(PythonNetwork &network, const Operator &op, const std::string &to)
{
    const SepConvAttributes &sep = *op.sepConv();
    const std::int64_t channels = op.parameter(role::kDepthwiseWeight)->shape.dims.front();
    PythonLines lines = assigned(to,
                                 convolution(network, op, activatedPython(sep.before, inputOf(network, op)), sep.window,
                                             channels, role::kDepthwiseWeight, role::kDepthwiseBias),
                                 sep.between);
    for (std::string &line :
         assigned(to, convolution(network, op, to, {}, 1, role::kPointwiseWeight, role::kPointwiseBias), sep.after))
        lines.push_back(std::move(line));
    return lines;
}

// The whole output, from which the padding of the model takes away, or to which it adds rows that have the bias alone.
PythonLines convTransposePython(PythonNetwork &network, const Operator &op, const std::string &to)
{
    const ConvAttributes &conv = *op.convTranspose();
    const Window &window = conv.window;
    const Shape in = network.graph().inputShape(*network.graph().find(op.name));
    const Shape &out = network.shape(op.outputs.front());
    std::array<std::int64_t, 4> sides{}; // left, right, top, bottom
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t whole =
            (in.dims[axis + 2] - 1) * window.stride[axis] + window.dilation[axis] * (window.kernel[axis] - 1) + 1;
        sides[2 - 2 * axis] = -window.padding[axis];
        sides[3 - 2 * axis] = window.padding[axis] + out.dims[axis + 2] - whole;
    }
    std::string value =
        fmt::format("F.conv_transpose2d({}{}{}{}{})", activatedPython(conv.before, inputOf(network, op)),
                    optional(network, op, role::kWeight), unless({1, 1}, "stride", window.stride),
                    unless({1, 1}, "dilation", window.dilation), groupsArgument(conv.groups));
    if (std::ranges::any_of(sides, [](std::int64_t side) { return side != 0; }))
        value = fmt::format("F.pad({}, {})", value, pythonTuple(sides));
    if (const Parameter *bias = op.parameter(role::kBias))
        value += fmt::format(" + {}.reshape(1, -1, 1, 1)", network.constant(op, *bias));
    return assigned(to, value, conv.after);
}

Result<PythonLines> poolPython(const PythonNetwork &network, const Operator &op, const std::string &to)
{
    const PoolAttributes &pool = *op.pool();
    const Window &window = pool.window;
    const bool isMax = pool.mode == PoolAttributes::Mode::Max;
    const std::string x = inputOf(network, op);
    if (pool.global)
        return PythonLines{fmt::format("{} = torch.{}({}, (2, 3), keepdim=True)", to, isMax ? "amax" : "mean", x)};
    if (!isMax && window.dilation != Pair{1, 1})
        return fail(ErrorCode::InvalidInput, "PyTorch has no average pooling with dilation",
                    "Convert the operator away");
    const Shape in = network.graph().inputShape(*network.graph().find(op.name));
    const Shape &out = network.shape(op.outputs.front());
    const Pair size{out.height(), out.width()};
    bool isPlain = isEven(window);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
        const std::int64_t rounded = (in.dims[axis + 2] + 2 * window.padding[axis] - reach) / window.stride[axis] + 1;
        isPlain = isPlain && window.padding[axis] * 2 <= window.kernel[axis] && rounded == size[axis];
    }
    const std::string of = fmt::format("{}, {}", x, pythonTuple(window.kernel));
    const std::string stride = pythonTuple(window.stride);
    const Pair padding{window.padding[0], window.padding[1]};
    const std::string unlessNone = unless({0, 0}, "padding", padding);
    if (isPlain && isMax)
        return PythonLines{fmt::format("{} = F.max_pool2d({}, stride={}{}{})", to, of, stride, unlessNone,
                                       unless({1, 1}, "dilation", window.dilation))};
    if (isPlain)
        return PythonLines{fmt::format("{} = F.avg_pool2d({}, stride={}{}{})", to, of, stride, unlessNone,
                                       pool.countIncludePad || unlessNone.empty() ? "" : ", count_include_pad=False")};
    const std::string ends = fmt::format("{}, {}", pythonTuple(window.padding), pythonTuple(size));
    if (isMax)
        return PythonLines{
            fmt::format("{} = max_pool({}, {}, {}, {})", to, of, stride, pythonTuple(window.dilation), ends)};
    return PythonLines{fmt::format("{} = average_pool({}, {}, {}, {})", to, of, stride, ends,
                                   pool.countIncludePad ? "True" : "False")};
}

PythonLines gemmPython(PythonNetwork &network, const Operator &op, const std::string &to)
{
    const GemmAttributes &gemm = *op.gemm();
    const std::string x = network.tensors(op.inputs.front(), " + ");
    const bool hasWeight = op.parameter(role::kWeight) != nullptr;
    if (hasWeight && gemm.transposeB)
        return assigned(to, fmt::format("F.linear({}{})", x, constants(network, op, role::kWeight, role::kBias)),
                        gemm.after);
    const std::string other =
        hasWeight ? network.constant(op, *op.parameter(role::kWeight))
                  : network.tensors(op.inputs[1], " + ") + (gemm.transposeB ? ".transpose(-1, -2)" : "");
    std::string value = fmt::format("torch.matmul({}, {})", x, other);
    if (const Parameter *bias = op.parameter(role::kBias))
        value += " + " + network.constant(op, *bias);
    return assigned(to, value, gemm.after);
}

PythonLines batchNormPython(PythonNetwork &network, const Operator &op, const std::string &to)
{
    const std::size_t rank = network.shape(op.outputs.front()).dims.size();
    std::string view = ".reshape(1, -1";
    for (std::size_t axis = 2; axis < rank; ++axis)
        view += ", 1";
    return {fmt::format("{0} = ({1}) * {2}{4}) + {3}{4})", to, inputOf(network, op),
                        network.constant(op, *op.parameter(role::kScale)),
                        network.constant(op, *op.parameter(role::kBias)), view)};
}

Result<void> checkTypes(const PythonNetwork &network, const Operator &op)
{
    const auto refuse = [&](TensorId id) -> Result<void> {
        const Tensor &tensor = network.graph().tensor(id);
        if (isFloatingPoint(tensor.type) && tensor.shape.known)
            return {};
        return fail(
            ErrorCode::InvalidInput,
            fmt::format("code for PyTorch computes with floating-point tensors of known shape, and {} {}", tensor.name,
                        tensor.shape.known ? fmt::format("is {}", toString(tensor.type)) : "has an unknown shape"),
            "Convert the operator away, or export the model as ONNX");
    };
    for (const auto &part : op.inputs) {
        for (const TensorId id : part) {
            if (auto right = refuse(id); !right)
                return right;
        }
    }
    for (const TensorId id : op.outputs) {
        if (auto right = refuse(id); !right)
            return right;
    }
    return {};
}

} // namespace

PythonNetwork::PythonNetwork(const Graph &graph) : m_graph(graph), m_tensors(graph.tensors().size())
{
    PythonIdentifiers identifiers;
    for (const TensorId input : graph.inputs())
        m_tensors[input.index()] = identifiers.add(graph.tensor(input).name, "input");
    for (const Operator &op : graph.operators()) {
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            m_tensors[op.outputs[i].index()] =
                identifiers.add(op.outputs.size() > 1 ? fmt::format("{}_{}", op.name, i) : op.name, "operator");
    }
}

std::string PythonNetwork::tensors(std::span<const TensorId> ids, std::string_view between) const
{
    return fmt::to_string(fmt::join(ids | std::views::transform([&](TensorId id) { return tensor(id); }), between));
}

std::string PythonNetwork::constant(const Operator &op, const Parameter &constant)
{
    std::string &name = m_names[&constant];
    if (name.empty()) {
        name = fmt::format("{}_{}", identifierFrom(op.name, "operator"), constant.role);
        if (const int before = m_taken[name]++)
            name += fmt::format("_{}", before + 1);
        m_stored.push_back({name, &constant, &op});
    }
    return "self." + name;
}

std::vector<PythonNetwork::Stored> PythonNetwork::stored() const
{
    std::map<const Operator *, std::size_t> order;
    for (const Stored &one : m_stored)
        order.emplace(one.op, order.size());
    std::vector<Stored> sorted = m_stored;
    std::ranges::sort(sorted, {}, [&](const Stored &one) { return std::pair(order.at(one.op), one.name); });
    return sorted;
}

std::string activatedPython(const Activation &activation, const std::string &x)
{
    const std::string alpha = pythonFloat(activation.alpha);
    switch (activation.kind) {
    case ActivationKind::None: return x;
    case ActivationKind::Relu: return fmt::format("F.relu({})", x);
    case ActivationKind::Relu6: return fmt::format("F.relu6({})", x);
    case ActivationKind::LeakyRelu: return fmt::format("F.leaky_relu({}, {})", x, alpha);
    case ActivationKind::Sigmoid: return fmt::format("torch.sigmoid({})", x);
    case ActivationKind::Tanh: return fmt::format("torch.tanh({})", x);
    case ActivationKind::HardSwish: return fmt::format("F.hardswish({})", x);
    case ActivationKind::HardSigmoid:
        return fmt::format("torch.clamp({} * ({}) + {}, 0.0, 1.0)", alpha, x, pythonFloat(activation.beta));
    case ActivationKind::Silu: return fmt::format("F.silu({})", x);
    case ActivationKind::Elu: return fmt::format("F.elu({}, {})", x, alpha);
    case ActivationKind::Gelu: return fmt::format("F.gelu({})", x);
    case ActivationKind::Mish: return fmt::format("F.mish({})", x);
    case ActivationKind::PRelu:
    case ActivationKind::Other: break;
    }
    return {};
}

Result<PythonLines> operatorPython(PythonNetwork &network, const Operator &op)
{
    TRY(checkTypes(network, op));
    const std::string to = network.tensor(op.outputs.front());
    const Activation *activation = op.activation();
    switch (op.kind) {
    case OperatorKind::Conv: return convPython(network, op, to);
    case OperatorKind::SepConv: return sepConvPython(network, op, to);
    case OperatorKind::Pool:
        if (!op.pool())
            break;
        return poolPython(network, op, to);
    case OperatorKind::Join: return PythonLines{fmt::format("{} = {}", to, inputOf(network, op))};
    case OperatorKind::BatchNorm: return batchNormPython(network, op, to);
    case OperatorKind::Gemm:
        if (!op.gemm())
            break;
        return gemmPython(network, op, to);
    case OperatorKind::ConvTranspose:
        if (!op.convTranspose())
            break;
        return convTransposePython(network, op, to);
    case OperatorKind::Activation:
        if (activation && activation->kind == ActivationKind::PRelu)
            return PythonLines{
                fmt::format("{} = F.prelu({}{})", to, inputOf(network, op), optional(network, op, role::kSlope))};
        if (activation && activation->kind != ActivationKind::Other)
            return PythonLines{fmt::format("{} = {}", to, activatedPython(*activation, inputOf(network, op)))};
        break;
    default: break;
    }
    const std::string value = genericPython(network, op);
    if (value.empty())
        return fail(ErrorCode::InvalidInput, "there is no PyTorch code for this operator of type " + displayType(op),
                    "Convert the operator away, or export the model as ONNX");
    return PythonLines{fmt::format("{} = {}", network.tensors(op.outputs), value)};
}

namespace {

// Of inputs of their own: each is multiplied by its columns of the weight.
PythonLines productsApartPython(PythonNetwork &network, const Operator &merged)
{
    const GemmAttributes &gemm = *merged.gemm();
    const std::size_t products = merged.inputs.size();
    const std::int64_t columns = gemm.outFeatures / static_cast<std::int64_t>(products);
    std::vector<TensorId> inputs;
    for (const auto &part : merged.inputs)
        inputs.push_back(part.front());
    const std::string weight = network.constant(merged, *merged.parameter(role::kWeight));
    const std::string each = gemm.transposeB
                                 ? fmt::format("{}.view({}, {}, {})", weight, products, columns, gemm.inFeatures)
                                 : fmt::format("{}.view({}, {}, {})", weight, gemm.inFeatures, products, columns);
    std::string value = fmt::format("torch.einsum(\"...nk,{}->...nm\", torch.stack(({}), -2), {}).flatten(-2)",
                                    gemm.transposeB ? "nmk" : "knm", network.tensors(inputs), each);
    if (const Parameter *bias = merged.parameter(role::kBias))
        value += " + " + network.constant(merged, *bias);
    return assigned("merged", value, gemm.after);
}

PythonLines mergedWhole(PythonNetwork &network, const Operator &merged)
{
    if (merged.gemm() && merged.inputs.size() > 1)
        return productsApartPython(network, merged);
    if (merged.gemm())
        return gemmPython(network, merged, "merged");
    const ConvAttributes &conv = *merged.conv();
    return assigned(
        "merged",
        convolution(network, merged, inputOf(network, merged), conv.window, conv.groups, role::kWeight, role::kBias),
        conv.after);
}

} // namespace

PythonLines mergedPython(PythonNetwork &network, const Operator &merged, const std::vector<OperatorId> &operators)
{
    std::vector<std::int64_t> extents;
    std::vector<TensorId> targets;
    for (const OperatorId id : operators) {
        const Operator &op = network.graph().op(id);
        extents.push_back(mergeExtent(op));
        targets.push_back(op.outputs.front());
    }
    PythonLines lines = mergedWhole(network, merged);
    lines.push_back(fmt::format("{} = torch.split(merged, {}, {})", network.tensors(targets), pythonTuple(extents),
                                mergeAxis(network.graph(), operators.front())));
    return lines;
}

} // namespace stagecraft
