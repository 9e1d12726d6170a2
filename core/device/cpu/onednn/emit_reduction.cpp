// Operators that reduce values along axes: reductions and softmax.

#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"
#include "operators/kernels/scalar_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stagecraft::cpu {
namespace {

const std::map<std::string, Reduction> &reductions()
{
    static const auto asIs = [](float sum, std::int64_t) { return sum; };
    static const auto add = [](float a, float b) { return a + b; };
    static const std::map<std::string, Reduction> table{
        {"ReduceSum", {0, add, asIs}},
        {"ReduceMean", {0, add, [](float sum, std::int64_t count) { return sum / static_cast<float>(count); }}},
        {"ReduceMax", {-std::numeric_limits<float>::infinity(), kernels::larger<float>, asIs}},
        {"ReduceMin", {std::numeric_limits<float>::infinity(), kernels::smaller<float>, asIs}},
        {"ReduceProd", {1, [](float a, float b) { return a * b; }, asIs}},
        {"ReduceL1", {0, [](float a, float b) { return a + std::abs(b); }, asIs}},
        {"ReduceL2",
         {0, [](float a, float b) { return a + b * b; }, [](float sum, std::int64_t) { return std::sqrt(sum); }}},
        {"ReduceSumSquare", {0, [](float a, float b) { return a + b * b; }, asIs}},
        {"ReduceLogSumExp",
         {-std::numeric_limits<float>::infinity(),
          [](float a, float b) {
              const float largest = kernels::larger(a, b);
              return std::isinf(largest) ? largest : largest + std::log1p(std::exp(kernels::smaller(a, b) - largest));
          },
          asIs}},
        {"ReduceLogSum", {0, add, [](float sum, std::int64_t) { return std::log(sum); }}},
    };
    return table;
}

} // namespace

Result<bool> emitReduction(Emitter &emitter, const Operator &op)
{
    const auto operands = operandsOf(op);
    if (operands.empty() || !operands[0] || !operands[0]->tensor.isValid())
        return false;
    const Dims in = operands[0]->dims(emitter.graph().tensors());
    if (op.type == "Softmax" || op.type == "LogSoftmax") {
        emitSoftmax(emitter, op, static_cast<int>(axisIn(integer(op, "axis"), in.size())), op.type == "LogSoftmax");
        return true;
    }
    const auto reduction = reductions().find(op.type);
    if (reduction == reductions().end())
        return false;
    const auto axes = integers(op, "axes", 1);
    const bool none = !axes || axes->empty();
    const bool nothing = none && integer(op, "noop_with_empty_axes") != 0;
    if (nothing && op.type != "ReduceSum") // versions of ONNX differ on what the others compute then
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for this form of " + op.type);
    std::vector<bool> reduced(in.size(), none && !nothing);
    for (const std::int64_t axis : axes.value_or(std::vector<std::int64_t>()))
        reduced[axisIn(axis, in.size())] = true;
    emitPlain(emitter, op, {plainOperand(emitter, op, *operands[0])}, 0,
              [=, reduction = reduction->second](std::span<const float *const> from, float *to) {
                  reduce(from[0], in, reduced, to, reduction);
              });
    return true;
}

} // namespace stagecraft::cpu
