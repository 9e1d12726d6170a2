#include "export/pytorch_module/operator_python.h"

#include "export/pytorch_module/python_text.h"
#include "operators/parameter_roles.h"
#include "operators/schema.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {
namespace {

using Pair = std::array<std::int64_t, 2>;

std::string sumOf(const PythonNetwork &network, const std::vector<TensorId> &summands)
{
    std::string text;
    for (const TensorId tensor : summands)
        text += (text.empty() ? "" : " + ") + network.tensor(tensor);
    return text;
}

// The input expression as one tensor.
std::string inputOf(const PythonNetwork &network, const Operator &op)
{
    if (op.inputs.size() == 1)
        return sumOf(network, op.inputs.front());
    std::string parts;
    for (const auto &part : op.inputs)
        parts += (parts.empty() ? "" : ", ") + sumOf(network, part);
    return "torch.cat((" + parts + "), 1)";
}

bool isEven(const Window &window)
{
    return window.padding[0] == window.padding[2] && window.padding[1] == window.padding[3];
}

std::string padded(const std::string &x, const Window &window)
{
    const auto &[top, left, bottom, right] = window.padding;
    return isEven(window) ? x : "F.pad(" + x + ", " + pythonTuple(std::array{left, right, top, bottom}) + ')';
}

std::string unless(const Pair &usual, const char *name, const Pair &value)
{
    return value == usual ? "" : std::string(", ") + name + '=' + pythonTuple(value);
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

std::string convolution(PythonNetwork &network, const Operator &op, const std::string &x, const Window &window,
                        std::int64_t groups, std::string_view weight, std::string_view bias)
{
    const Pair padding{window.padding[0], window.padding[1]};
    return "F.conv2d(" + padded(x, window) + constants(network, op, weight, bias) +
           unless({1, 1}, "stride", window.stride) +
           (isEven(window) ? unless({0, 0}, "padding", padding) : std::string()) +
           unless({1, 1}, "dilation", window.dilation) + (groups == 1 ? "" : ", groups=" + std::to_string(groups)) +
           ')';
}

// Further lines apply the activation.
PythonLines assigned(const std::string &to, const std::string &value, const Activation &after)
{
    PythonLines lines{to + " = " + value};
    if (after.kind != ActivationKind::None)
        lines.push_back(to + " = " + activatedPython(after, to));
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
    std::string value = "F.conv_transpose2d(" + activatedPython(conv.before, inputOf(network, op)) +
                        optional(network, op, role::kWeight) + unless({1, 1}, "stride", window.stride) +
                        unless({1, 1}, "dilation", window.dilation) +
                        (conv.groups == 1 ? "" : ", groups=" + std::to_string(conv.groups)) + ')';
    if (std::ranges::any_of(sides, [](std::int64_t side) { return side != 0; }))
        value = "F.pad(" + value + ", " + pythonTuple(sides) + ')';
    if (const Parameter *bias = op.parameter(role::kBias))
        value += " + " + network.constant(op, *bias) + ".reshape(1, -1, 1, 1)";
    return assigned(to, value, conv.after);
}

Result<PythonLines> poolPython(const PythonNetwork &network, const Operator &op, const std::string &to)
{
    const PoolAttributes &pool = *op.pool();
    const Window &window = pool.window;
    const bool isMax = pool.mode == PoolAttributes::Mode::Max;
    const std::string x = inputOf(network, op);
    if (pool.global)
        return PythonLines{to + " = " + (isMax ? "torch.amax(" : "torch.mean(") + x + ", (2, 3), keepdim=True)"};
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
    const std::string of = x + ", " + pythonTuple(window.kernel) + ", ";
    const Pair padding{window.padding[0], window.padding[1]};
    if (isPlain && isMax)
        return PythonLines{to + " = F.max_pool2d(" + of + "stride=" + pythonTuple(window.stride) +
                           unless({0, 0}, "padding", padding) + unless({1, 1}, "dilation", window.dilation) + ')'};
    if (isPlain)
        return PythonLines{to + " = F.avg_pool2d(" + of + "stride=" + pythonTuple(window.stride) +
                           unless({0, 0}, "padding", padding) +
                           (pool.countIncludePad || padding == Pair{0, 0} ? "" : ", count_include_pad=False") + ')'};
    const std::string ends = pythonTuple(window.padding) + ", " + pythonTuple(size);
    if (isMax)
        return PythonLines{to + " = max_pool(" + of + pythonTuple(window.stride) + ", " + pythonTuple(window.dilation) +
                           ", " + ends + ')'};
    return PythonLines{to + " = average_pool(" + of + pythonTuple(window.stride) + ", " + ends +
                       (pool.countIncludePad ? ", True)" : ", False)")};
}

PythonLines gemmPython(PythonNetwork &network, const Operator &op, const std::string &to)
{
    const GemmAttributes &gemm = *op.gemm();
    const std::string x = sumOf(network, op.inputs.front());
    const bool hasWeight = op.parameter(role::kWeight) != nullptr;
    if (hasWeight && gemm.transposeB)
        return assigned(to, "F.linear(" + x + constants(network, op, role::kWeight, role::kBias) + ')', gemm.after);
    const std::string other = hasWeight ? network.constant(op, *op.parameter(role::kWeight))
                                        : sumOf(network, op.inputs[1]) + (gemm.transposeB ? ".transpose(-1, -2)" : "");
    std::string value = "torch.matmul(" + x + ", " + other + ')';
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
    std::string value = '(' + inputOf(network, op) + ") * ";
    value += network.constant(op, *op.parameter(role::kScale)) + view + ") + ";
    value += network.constant(op, *op.parameter(role::kBias)) + view + ')';
    return {to + " = " + value};
}

Result<void> checkTypes(const PythonNetwork &network, const Operator &op)
{
    const auto refuse = [&](TensorId id) -> Result<void> {
        const Tensor &tensor = network.graph().tensor(id);
        if (isFloatingPoint(tensor.type) && tensor.shape.known)
            return {};
        return fail(ErrorCode::InvalidInput,
                    "the exported module computes with floating-point tensors of known shape, and " + tensor.name +
                        (tensor.shape.known ? " is " + std::string(toString(tensor.type)) : " has an unknown shape"),
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
                identifiers.add(op.outputs.size() > 1 ? op.name + '_' + std::to_string(i) : op.name, "operator");
    }
}

std::string PythonNetwork::constant(const Operator &op, const Parameter &constant)
{
    std::string &name = m_names[&constant];
    if (name.empty()) {
        name = identifierFrom(op.name, "operator") + '_' + constant.role;
        if (const int before = m_taken[name]++)
            name += '_' + std::to_string(before + 1);
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
    case ActivationKind::Relu: return "F.relu(" + x + ')';
    case ActivationKind::Relu6: return "F.relu6(" + x + ')';
    case ActivationKind::LeakyRelu: return "F.leaky_relu(" + x + ", " + alpha + ')';
    case ActivationKind::Sigmoid: return "torch.sigmoid(" + x + ')';
    case ActivationKind::Tanh: return "torch.tanh(" + x + ')';
    case ActivationKind::HardSwish: return "F.hardswish(" + x + ')';
    case ActivationKind::HardSigmoid:
        return "torch.clamp(" + alpha + " * (" + x + ") + " + pythonFloat(activation.beta) + ", 0.0, 1.0)";
    case ActivationKind::Silu: return "F.silu(" + x + ')';
    case ActivationKind::Elu: return "F.elu(" + x + ", " + alpha + ')';
    case ActivationKind::Gelu: return "F.gelu(" + x + ')';
    case ActivationKind::Mish: return "F.mish(" + x + ')';
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
    case OperatorKind::Join: return PythonLines{to + " = " + inputOf(network, op)};
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
            return PythonLines{to + " = F.prelu(" + inputOf(network, op) + optional(network, op, role::kSlope) + ')'};
        if (activation && activation->kind != ActivationKind::Other)
            return PythonLines{to + " = " + activatedPython(*activation, inputOf(network, op))};
        break;
    default: break;
    }
    const std::string value = genericPython(network, op);
    if (value.empty())
        return fail(ErrorCode::InvalidInput, "there is no PyTorch code for this operator of type " + displayType(op),
                    "Convert the operator away, or export the model as ONNX");
    std::string targets;
    for (const TensorId output : op.outputs)
        targets += (targets.empty() ? "" : ", ") + network.tensor(output);
    return PythonLines{targets + " = " + value};
}

PythonLines mergedPython(PythonNetwork &network, const Operator &merged, const std::vector<OperatorId> &operators)
{
    std::vector<std::int64_t> channels;
    std::string targets;
    for (const OperatorId id : operators) {
        const Operator &op = network.graph().op(id);
        channels.push_back(op.conv()->outChannels);
        targets += (targets.empty() ? "" : ", ") + network.tensor(op.outputs.front());
    }
    const ConvAttributes &conv = *merged.conv();
    PythonLines lines = assigned(
        "merged", convolution(network, merged, inputOf(network, merged), conv.window, 1, role::kWeight, role::kBias),
        conv.after);
    lines.push_back(targets + " = torch.split(merged, " + pythonTuple(channels) + ", 1)");
    return lines;
}

} // namespace stagecraft
