#include "export/pytorch_module/operator_python.h"
#include "export/pytorch_module/python_text.h"
#include "operators/generic_operands.h"
#include "operators/schema.h"
#include "operators/values/constant.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace stagecraft {
namespace {

using namespace generic;
using Dims = std::vector<std::int64_t>;

// The operands as expressions.
class Operands {
public:
    Operands(PythonNetwork &network, const Operator &op) : m_network(network), m_op(op), m_all(operandsOf(op)) {}

    [[nodiscard]] std::size_t size() const { return m_all.size(); }
    [[nodiscard]] bool has(std::size_t i) const { return i < m_all.size() && m_all[i]; }
    [[nodiscard]] bool areAllThere() const
    {
        return !m_all.empty() && std::ranges::all_of(m_all, [](const auto &one) { return one.has_value(); });
    }
    [[nodiscard]] Dims dims(std::size_t i) const { return m_all[i]->dims(m_network.graph().tensors()); }
    [[nodiscard]] std::string operator[](std::size_t i) const
    {
        return m_all[i]->constant ? m_network.constant(m_op, *m_all[i]->constant) : m_network.tensor(m_all[i]->tensor);
    }

    // first(first(x0, x1), x2)...; "{0} + {1}" with the two expressions.
    [[nodiscard]] std::string folded(const std::string &form) const
    {
        std::string text = (*this)[0];
        for (std::size_t i = 1; i < size(); ++i) {
            if (i > 1)
                text = fmt::format("({})", text);
            text = fmt::format(fmt::runtime(form), text, (*this)[i]);
        }
        return text;
    }

private:
    PythonNetwork &m_network;
    const Operator &m_op;
    std::vector<std::optional<Operand>> m_all;
};

const std::map<std::string_view, const char *> &binaryForms()
{
    static const std::map<std::string_view, const char *> forms{
        {"Add", "{0} + {1}"},
        {"Sum", "{0} + {1}"},
        {"Sub", "{0} - {1}"},
        {"Mul", "{0} * {1}"},
        {"Div", "{0} / {1}"},
        {"Pow", "torch.pow({0}, {1})"},
        {"Min", "torch.minimum({0}, {1})"},
        {"Max", "torch.maximum({0}, {1})"},
        {"PRelu", "torch.where({0} >= 0, {0}, {0} * {1})"},
    };
    return forms;
}

const std::map<std::string_view, const char *> &unaryForms()
{
    static const std::map<std::string_view, const char *> forms{
        {"Exp", "torch.exp({0})"},       {"Log", "torch.log({0})"},
        {"Sqrt", "torch.sqrt({0})"},     {"Reciprocal", "torch.reciprocal({0})"},
        {"Abs", "torch.abs({0})"},       {"Neg", "-{0}"},
        {"Floor", "torch.floor({0})"},   {"Ceil", "torch.ceil({0})"},
        {"Round", "torch.round({0})"},   {"Sign", "torch.sign({0})"},
        {"Erf", "torch.erf({0})"},       {"Sin", "torch.sin({0})"},
        {"Cos", "torch.cos({0})"},       {"Tan", "torch.tan({0})"},
        {"Asin", "torch.asin({0})"},     {"Acos", "torch.acos({0})"},
        {"Atan", "torch.atan({0})"},     {"Sinh", "torch.sinh({0})"},
        {"Cosh", "torch.cosh({0})"},     {"Softplus", "F.softplus({0})"},
        {"Softsign", "F.softsign({0})"},
    };
    return forms;
}

std::string clipped(const Operator &op, const Operands &x)
{
    std::string text = x[0];
    const auto bound = [&](std::size_t place, const char *name, const char *function, const char *argument) {
        const auto constant = constantAt(op, place);
        if (x.has(place) && !constant)
            text = fmt::format("{}({}, {})", function, text, x[place]);
        else if (constant && !constant->empty())
            text = fmt::format("torch.clamp({}, {}={})", text, argument, pythonFloat(constant->front()));
        else if (const float value = real(op, name); std::abs(value) < std::numeric_limits<float>::max())
            text = fmt::format("torch.clamp({}, {}={})", text, argument, pythonFloat(value));
    };
    bound(1, "min", "torch.maximum", "min");
    bound(2, "max", "torch.minimum", "max");
    return text;
}

std::string elementwise(const Operator &op, const Operands &x)
{
    if (op.type == "Clip")
        return clipped(op, x);
    if (!x.areAllThere())
        return {};
    if (const auto form = binaryForms().find(op.type); form != binaryForms().end())
        return x.folded(form->second);
    if (op.type == "Mean")
        return fmt::format("({}) / {}", x.folded("{0} + {1}"), x.size());
    if (op.type == "Where" && x.size() == 3)
        return fmt::format("torch.where({} != 0, {}, {})", x[0], x[1], x[2]);
    if (op.type == "Mod" && x.size() == 2 && integer(op, "fmod") != 0)
        return fmt::format("torch.fmod({}, {})", x[0], x[1]);
    if (x.size() != 1)
        return {};
    if (const auto form = unaryForms().find(op.type); form != unaryForms().end())
        return fmt::format(fmt::runtime(form->second), x[0]);
    const auto attribute = [&](const char *name) { return pythonFloat(real(op, name)); };
    if (op.type == "Cast") { // narrow real numbers are held as float32
        const DataType to = dataTypeOf(static_cast<int>(integer(op, "to")));
        const char *round = to == DataType::Float16 ? ".half().float()" : ".bfloat16().float()";
        return to == DataType::Float32 ? x[0] : isNarrowFloat(to) ? x[0] + round : std::string();
    }
    if (op.type == "Selu")
        return fmt::format("{} * F.elu({}, {})", attribute("gamma"), x[0], attribute("alpha"));
    if (op.type == "Celu")
        return fmt::format("F.celu({}, {})", x[0], attribute("alpha"));
    if (op.type == "ThresholdedRelu")
        return fmt::format("F.threshold({}, {}, 0.0)", x[0], attribute("alpha"));
    if (op.type == "Gelu" && text(op, "approximate") == "tanh")
        return fmt::format("F.gelu({}, approximate=\"tanh\")", x[0]);
    return {};
}

std::string transposed(const Operator &op, const Operands &x)
{
    const Dims in = x.dims(0);
    if (op.type == "Transpose") {
        Dims order;
        for (std::size_t axis = in.size(); axis-- > 0;)
            order.push_back(static_cast<std::int64_t>(axis));
        return fmt::format("{}.permute({}).contiguous()", x[0], pythonTuple(integers(op, "perm").value_or(order)));
    }
    const std::int64_t b = integer(op, "blocksize");
    const bool depthFirst = text(op, "mode") == "DCR";
    Dims split{in[0], in[1] / (b * b), b, b, in[2], in[3]};
    Dims order{0, 1, 4, 2, 5, 3};
    Dims out{in[0], in[1] / (b * b), in[2] * b, in[3] * b};
    if (op.type == "SpaceToDepth") {
        split = {in[0], in[1], in[2] / b, b, in[3] / b, b};
        order = depthFirst ? Dims{0, 3, 5, 1, 2, 4} : Dims{0, 1, 3, 5, 2, 4};
        out = {in[0], in[1] * b * b, in[2] / b, in[3] / b};
    } else if (op.type != "DepthToSpace") {
        return {};
    } else if (depthFirst) {
        split = {in[0], b, b, in[1] / (b * b), in[2], in[3]};
        order = {0, 3, 4, 1, 5, 2};
    }
    return x[0] + ".reshape" + pythonTuple(split) + ".permute" + pythonTuple(order) + ".reshape" + pythonTuple(out);
}

std::string sliced(const Operator &op, const Operands &x, const Dims &out)
{
    const Dims in = x.dims(0);
    if (op.type == "Gather") {
        const auto indices = constantAt(op, 1);
        if (!indices)
            return {};
        return fmt::format("torch.index_select({}, {}, {}.reshape(-1).long()).reshape({})", x[0],
                           axisIn(integer(op, "axis"), in.size()), x[1], pythonTuple(out));
    }
    const auto starts = integers(op, "starts", 1);
    const auto steps = integers(op, "steps", 4);
    if (!starts)
        return {};
    Dims all;
    for (std::size_t i = 0; i < starts->size(); ++i)
        all.push_back(static_cast<std::int64_t>(i));
    const Dims axes = integers(op, "axes", 3).value_or(all);
    if (axes.size() != starts->size() || (steps && steps->size() != starts->size()))
        return {};
    std::vector<std::string> ranges(in.size(), ":");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axisIn(axes[i], in.size());
        const std::int64_t step = steps ? (*steps)[i] : 1;
        if (step < 1)
            return {};
        const std::int64_t asked = (*starts)[i];
        const std::int64_t start = std::clamp<std::int64_t>(asked < 0 ? asked + in[axis] : asked, 0, in[axis]);
        ranges[axis] = fmt::format("{}:{}{}", start, start + (out[axis] - 1) * step + 1,
                                   step == 1 ? "" : fmt::format(":{}", step));
    }
    return fmt::format("{}[{}]", x[0], fmt::join(ranges, ", "));
}

std::string padded(const Operator &op, const Operands &x)
{
    const Dims in = x.dims(0);
    const auto pads = integers(op, "pads", 1);
    const std::string mode = text(op, "mode");
    Dims all;
    for (std::size_t i = 0; i < in.size(); ++i)
        all.push_back(static_cast<std::int64_t>(i));
    const Dims axes = integers(op, "axes", 3).value_or(all);
    if (isComputed(op, 2) || !pads || pads->size() != 2 * axes.size())
        return {};
    Dims sides(2 * in.size()); // last axis first, as PyTorch lists them
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t place = 2 * (in.size() - 1 - axisIn(axes[i], in.size()));
        sides[place] = (*pads)[i];
        sides[place + 1] = (*pads)[i + axes.size()];
    }
    if (mode == "constant") {
        const auto fill = constantAt(op, 2);
        const float value = fill && !fill->empty() ? fill->front() : real(op, "value");
        return fmt::format("F.pad({}, {}, value={})", x[0], pythonTuple(sides), pythonFloat(value));
    }
    // PyTorch repeats and mirrors only the borders of images.
    const bool isImage = in.size() == 4 && std::ranges::all_of(sides.begin() + 4, sides.end(),
                                                               [](std::int64_t side) { return side == 0; });
    const bool isInside = isImage && std::max(sides[0], sides[1]) < in[3] && std::max(sides[2], sides[3]) < in[2];
    if ((mode != "edge" && mode != "reflect") || !isInside)
        return {};
    sides.resize(4);
    return fmt::format("F.pad({}, {}, mode=\"{}\")", x[0], pythonTuple(sides),
                       mode == "edge" ? "replicate" : "reflect");
}

std::string reduced(const Operator &op, const Operands &x, const Dims &out)
{
    static const std::map<std::string_view, const char *> forms{
        {"ReduceSum", "torch.sum({0}, {1})"},
        {"ReduceMean", "torch.mean({0}, {1})"},
        {"ReduceMax", "torch.amax({0}, {1})"},
        {"ReduceMin", "torch.amin({0}, {1})"},
        {"ReduceL1", "torch.sum(torch.abs({0}), {1})"},
        {"ReduceL2", "torch.sqrt(torch.sum(torch.square({0}), {1}))"},
        {"ReduceSumSquare", "torch.sum(torch.square({0}), {1})"},
        {"ReduceLogSum", "torch.log(torch.sum({0}, {1}))"},
        {"ReduceLogSumExp", "torch.logsumexp({0}, {1})"},
    };
    const auto form = forms.find(op.type);
    const auto named = integers(op, "axes", 1);
    const bool none = !named || named->empty();
    if (form == forms.end() || isComputed(op, 1) || (none && integer(op, "noop_with_empty_axes") != 0))
        return {};
    const std::size_t rank = x.dims(0).size();
    Dims axes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const bool isNamed =
            none || std::ranges::any_of(*named, [&](std::int64_t one) { return axisIn(one, rank) == axis; });
        if (isNamed)
            axes.push_back(static_cast<std::int64_t>(axis));
    }
    return fmt::format("{}.reshape({})", fmt::format(fmt::runtime(form->second), x[0], pythonTuple(axes)),
                       pythonTuple(out));
}

std::string normalised(const Operator &op, const Operands &x)
{
    const Dims in = x.dims(0);
    const std::string epsilon = pythonFloat(real(op, "epsilon"));
    if (op.type == "LayerNormalization" && op.outputs.size() == 1 && x.has(1)) {
        const Dims shape(in.begin() + static_cast<std::ptrdiff_t>(axisIn(integer(op, "axis"), in.size())), in.end());
        if (x.dims(1) != shape || (x.has(2) && x.dims(2) != shape))
            return {};
        return fmt::format("F.layer_norm({}, {}, {}{}, eps={})", x[0], pythonTuple(shape), x[1],
                           x.has(2) ? ", " + x[2] : "", epsilon);
    }
    if (op.type == "LRN" && integer(op, "size") % 2 == 1) // even windows are centred differently
        return fmt::format("F.local_response_norm({}, {}, alpha={}, beta={}, k={})", x[0], integer(op, "size"),
                           pythonFloat(real(op, "alpha")), pythonFloat(real(op, "beta")),
                           pythonFloat(real(op, "bias")));
    const bool isByChannel =
        in.size() > 1 && x.has(1) && x.has(2) && x.dims(1) == Dims{in[1]} && x.dims(2) == Dims{in[1]};
    if (!isByChannel || (op.type != "InstanceNormalization" && op.type != "GroupNormalization"))
        return {};
    const std::int64_t groups = op.type == "GroupNormalization" ? integer(op, "num_groups") : in[1];
    return fmt::format("F.group_norm({}, {}, {}, {}, eps={})", x[0], groups, x[1], x[2], epsilon);
}

std::string resized(const Operator &op, const Operands &x, const Dims &out)
{
    const Dims in = x.dims(0);
    if (in.size() > out.size())
        return {};
    if (op.type == "Expand")
        return fmt::format("{}.expand({}).contiguous()", x[0], pythonTuple(out));
    if (op.type == "Tile") {
        Dims times;
        for (std::size_t axis = 0; axis < in.size() && in.size() == out.size(); ++axis)
            times.push_back(out[axis] / in[axis]);
        return times.empty() ? "" : fmt::format("{}.repeat({})", x[0], pythonTuple(times));
    }
    const std::string mode = text(op, "mode");
    const std::string coordinates = text(op, "coordinate_transformation_mode");
    const bool isImage = in.size() == 4 && in[0] == out[0] && in[1] == out[1] && out[2] % in[2] == 0 &&
                         out[3] % in[3] == 0 && integer(op, "antialias") == 0 && !integers(op, "axes");
    if (!isImage || (op.type != "Resize" && op.type != "Upsample"))
        return {};
    const std::string size = pythonTuple(std::array{out[2], out[3]});
    if (mode == "nearest" && coordinates == "asymmetric" && text(op, "nearest_mode") == "floor")
        return fmt::format("F.interpolate({}, {}, mode=\"nearest\")", x[0], size);
    if (mode == "linear" && (coordinates == "half_pixel" || coordinates == "align_corners"))
        return fmt::format("F.interpolate({}, {}, mode=\"bilinear\", align_corners={})", x[0], size,
                           coordinates == "half_pixel" ? "False" : "True");
    return {};
}

std::string product(const Operator &op, const Operands &x)
{
    if ((op.type != "MatMul" && op.type != "Gemm") || !x.has(0) || !x.has(1))
        return {};
    const auto factor = [&](std::size_t i, const char *turned) {
        return x[i] + (integer(op, turned) != 0 ? ".transpose(-1, -2)" : "");
    };
    std::string text = fmt::format("torch.matmul({}, {})", factor(0, "transA"), factor(1, "transB"));
    if (const float alpha = real(op, "alpha"); alpha != 1)
        text = fmt::format("{} * {}", pythonFloat(alpha), text);
    const float beta = real(op, "beta");
    return x.has(2) ? fmt::format("{} + {}{}", text, beta == 1 ? "" : pythonFloat(beta) + " * ", x[2]) : text;
}

} // namespace

std::string genericPython(PythonNetwork &network, const Operator &op)
{
    const Operands x(network, op);
    if (unknownAttribute(op) || !x.has(0))
        return {};
    const Dims out = network.shape(op.outputs.front()).dims;
    const std::int64_t axis = integer(op, "axis");
    if (std::string value = product(op, x); !value.empty())
        return value;
    if (op.outputs.size() > 1 && op.kind != OperatorKind::Split)
        return {};
    switch (op.kind) {
    case OperatorKind::Softmax:
        return fmt::format("F.{}({}, {})", op.type == "LogSoftmax" ? "log_softmax" : "softmax", x[0], axis);
    case OperatorKind::Reshape: return fmt::format("{}.reshape({})", x[0], pythonTuple(out));
    case OperatorKind::Transpose: return transposed(op, x);
    case OperatorKind::Slice: return sliced(op, x, out);
    case OperatorKind::Split: {
        const std::size_t at = axisIn(axis, x.dims(0).size());
        Dims sizes;
        for (const TensorId output : op.outputs)
            sizes.push_back(network.shape(output).dims[at]);
        return fmt::format("torch.split({}, {}, {}){}", x[0], pythonTuple(sizes), at, sizes.size() == 1 ? "[0]" : "");
    }
    case OperatorKind::Pad: return padded(op, x);
    case OperatorKind::Reduce: return reduced(op, x, out);
    case OperatorKind::Normalize: return normalised(op, x);
    case OperatorKind::Resize: return resized(op, x, out);
    case OperatorKind::Elementwise:
        if (op.type == "Concat") {
            std::vector<std::string> parts;
            for (std::size_t i = 0; i < x.size() && x.areAllThere(); ++i)
                parts.push_back(x[i]);
            return parts.empty() ? "" : fmt::format("torch.cat(({},), {})", fmt::join(parts, ", "), axis);
        }
        return elementwise(op, x);
    case OperatorKind::Activation: return elementwise(op, x);
    case OperatorKind::Unknown: return x.size() == 1 ? elementwise(op, x) : "";
    default: return {};
    }
}

} // namespace stagecraft
