#include "gpu/plan/generic_lowering.h"

#include "operators/generic_operands.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace stagecraft::gpu {
namespace {

using namespace generic;
using Function = ElementwiseTask::Function;

constexpr std::size_t kMaxRank = 6;

std::optional<Function> functionOf(const std::string &type)
{
    static const std::map<std::string, Function> table{
        {"Add", Function::Sum}, {"Sum", Function::Sum}, {"Sub", Function::Sub}, {"Mul", Function::Mul},
        {"Div", Function::Div}, {"Max", Function::Max}, {"Min", Function::Min}, {"Pow", Function::Pow}};
    const auto found = table.find(type);
    return found == table.end() ? std::nullopt : std::optional(found->second);
}

bool isTensor(const std::vector<std::optional<Operand>> &operands, std::size_t place)
{
    return operands.size() > place && operands[place] && operands[place]->tensor.isValid();
}

void lowerReshape(GroupWriter &writer, TensorId input, View y)
{
    View x = writer.tensor(input);
    if (isDense(y, TensorLayout::RowMajor)) {
        y.dims = x.dims;
        y.strides = rowMajorStrides(x.dims);
    } else {
        x = writer.rowMajor(input);
        x.dims = y.dims;
        x.strides = rowMajorStrides(y.dims);
    }
    writer.copy(x, y);
}

void lowerTranspose(GroupWriter &writer, const Operator &op, const View &x, const View &y)
{
    Extent order(x.dims.size());
    std::iota(order.rbegin(), order.rend(), 0);
    order = integers(op, "perm").value_or(order);
    View moved = x;
    for (std::size_t axis = 0; axis < order.size(); ++axis) {
        moved.dims[axis] = x.dims[static_cast<std::size_t>(order[axis])];
        moved.strides[axis] = x.strides[static_cast<std::size_t>(order[axis])];
    }
    writer.copy(moved, y);
}

void lowerSlice(GroupWriter &writer, const Operator &op, View x, const View &y)
{
    const Extent starts = *integers(op, "starts", 1);
    Extent axes(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
    axes = integers(op, "axes", 3).value_or(axes);
    const Extent steps = integers(op, "steps", 4).value_or(Extent(starts.size(), 1));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axisIn(axes[i], x.dims.size());
        const std::int64_t size = x.dims[axis];
        const std::int64_t start = starts[i] < 0 ? starts[i] + size : starts[i];
        const std::int64_t last = steps[i] < 0 ? size - 1 : size;
        x = sliced(x, axis, std::clamp<std::int64_t>(start, 0, last), y.dims[axis], steps[i]);
    }
    writer.copy(x, y);
}

void lowerSplit(GroupWriter &writer, const Operator &op, const View &x)
{
    const std::size_t axis = axisIn(integer(op, "axis"), x.dims.size());
    std::int64_t begin = 0;
    for (const TensorId output : op.outputs) {
        const View y = writer.tensor(output);
        writer.copy(sliced(x, axis, begin, y.dims[axis]), y);
        begin += y.dims[axis];
    }
}

void lowerArithmetic(GroupWriter &writer, const Operator &op, const View &y)
{
    ElementwiseTask task{*functionOf(op.type), {}, y, {}};
    for (const auto &operand : operandsOf(op)) {
        const View x = operand->constant ? writer.constant(*operand->constant, writer.layoutOf(y))
                                         : writer.tensor(operand->tensor);
        task.x.push_back(broadcast(x, y.dims));
    }
    writer.add(std::move(task));
}

// The kernel walks over row-major vectors.
void lowerSoftmax(GroupWriter &writer, const Operator &op, TensorId input, const View &y)
{
    const View x = writer.rowMajor(input);
    const bool direct = isDense(y, TensorLayout::RowMajor);
    const View plain = direct ? y : writer.scratch(y.dims, TensorLayout::RowMajor);
    writer.add(SoftmaxTask{x, plain, axisIn(integer(op, "axis"), x.dims.size()), op.type == "LogSoftmax"});
    if (!direct)
        writer.copy(plain, y);
}

} // namespace

Result<void> checkGeneric(const Graph &graph, const Operator &op)
{
    const auto refuse = [&](const std::string &why) {
        return fail(ErrorCode::InvalidInput, "has no kernel for " + op.type + why);
    };
    const auto operands = operandsOf(op);
    for (const auto &operand : operands) {
        if (operand && operand->dims(graph.tensors()).size() > kMaxRank)
            return refuse(" of more than six axes");
    }
    const bool isArithmetic = op.kind == OperatorKind::Elementwise;
    for (std::size_t place = 1; !isArithmetic && place < operands.size(); ++place) {
        if (isTensor(operands, place))
            return refuse(" whose sizes are computed");
    }
    switch (op.kind) {
    case OperatorKind::Reshape:
    case OperatorKind::Softmax:
    case OperatorKind::Split: return isTensor(operands, 0) ? Result<void>() : refuse(" of a constant");
    case OperatorKind::Transpose: return op.type == "Transpose" && isTensor(operands, 0) ? Result<void>() : refuse("");
    case OperatorKind::Slice:
        if (op.type != "Slice" || !isTensor(operands, 0))
            return refuse("");
        return integers(op, "starts", 1) ? Result<void>() : refuse(" whose bounds are computed");
    case OperatorKind::Elementwise:
        if (!functionOf(op.type))
            return refuse("");
        if (operands.empty() || operands.size() > kMaxElementwiseInputs ||
            std::ranges::any_of(operands, [](const auto &operand) { return !operand; }))
            return refuse(" of this many operands");
        return {};
    default: return refuse("");
    }
}

Result<void> lowerGeneric(GroupWriter &writer, const Operator &op)
{
    const View y = writer.tensor(op.outputs.front());
    if (op.kind == OperatorKind::Elementwise) {
        lowerArithmetic(writer, op, y);
        return {};
    }
    const TensorId input = operandsOf(op).front()->tensor;
    const View x = writer.tensor(input);
    switch (op.kind) {
    case OperatorKind::Reshape: lowerReshape(writer, input, y); return {};
    case OperatorKind::Transpose: lowerTranspose(writer, op, x, y); return {};
    case OperatorKind::Slice: lowerSlice(writer, op, x, y); return {};
    case OperatorKind::Split: lowerSplit(writer, op, x); return {};
    case OperatorKind::Softmax: lowerSoftmax(writer, op, input, y); return {};
    default: return fail(ErrorCode::InvalidInput, "gpu has no kernel for " + op.type);
    }
}

} // namespace stagecraft::gpu
