// Matrix products that are no Gemm unit: with constants in any place, broadcast stacks, vectors, transposes, addends of
// any shape.

#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"
#include "device/cpu/onednn/primitives.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::cpu {
namespace {

Dims broadcast(Dims a, Dims b)
{
    const std::size_t rank = std::max(a.size(), b.size());
    a.insert(a.begin(), rank - a.size(), 1);
    b.insert(b.begin(), rank - b.size(), 1);
    for (std::size_t axis = 0; axis < rank; ++axis)
        a[axis] = std::max(a[axis], b[axis]);
    return a;
}

// An operand as a stack of matrices.
struct Factor {
    Argument argument;
    Desc desc;
};

Factor factor(Emitter &emitter, const Operator &op, const Operand &operand, Dims dims, std::size_t rank, bool turned)
{
    dims.insert(dims.begin(), rank - dims.size(), 1);
    Factor factor{{}, plainDesc(dims)};
    if (const Parameter *constant = operand.constant)
        factor.argument.constant = emitter.weights().packed(op.name + '/' + constant->role, factor.desc, true,
                                                            [constant] { return parameterValues(*constant); });
    else
        factor.argument.place = plainOperand(emitter, op, operand);
    if (turned) {
        std::vector<int> order(rank);
        std::iota(order.begin(), order.end(), 0);
        std::swap(order[rank - 1], order[rank - 2]);
        factor.desc = factor.desc.permute_axes(order);
    }
    factor.argument.place.desc = factor.desc;
    return factor;
}

} // namespace

Result<bool> emitProduct(Emitter &emitter, const Operator &op)
{
    const auto operands = operandsOf(op);
    if (operands.size() < 2 || !operands[0] || !operands[1])
        return false;
    Dims a = operands[0]->dims(emitter.graph().tensors());
    Dims b = operands[1]->dims(emitter.graph().tensors());
    if (a.empty() || b.empty())
        return false;
    if (a.size() == 1)
        a.insert(a.begin(), 1);
    if (b.size() == 1)
        b.push_back(1);
    const std::size_t rank = std::max(a.size(), b.size());
    Factor left = factor(emitter, op, *operands[0], a, rank, integer(op, "transA") != 0);
    Factor right = factor(emitter, op, *operands[1], b, rank, integer(op, "transB") != 0);
    const Dims leftDims = left.desc.dims();
    const Dims rightDims = right.desc.dims();
    Dims dims = broadcast({leftDims.begin(), leftDims.end() - 2}, {rightDims.begin(), rightDims.end() - 2});
    dims.push_back(leftDims[rank - 2]);
    dims.push_back(rightDims[rank - 1]);

    const bool adds = operands.size() > 2 && operands[2];
    if (adds && !broadcasts(operands[2]->dims(emitter.graph().tensors()), dims))
        return false;
    const Place &output = emitter.place(op.outputs.front());
    const Desc plain = plainDesc(output.desc.dims());
    const Place made = output.desc == plain ? output : emitter.scratch(plain);
    Place product = made;
    product.desc = plainDesc(dims);
    const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(left.desc, right.desc, product.desc), attributes(),
                                            emitter.engine());
    left.argument.index = DNNL_ARG_SRC;
    right.argument.index = DNNL_ARG_WEIGHTS;
    emitter.primitive(dnnl::matmul(desc), {left.argument, right.argument, {DNNL_ARG_DST, product, nullptr}},
                      desc.scratchpad_desc());

    const float alpha = op.type == "Gemm" ? real(op, "alpha") : 1;
    if (alpha == 1 && !adds) {
        if (!(output.desc == plain))
            emitter.copy(made, output);
        return true;
    }
    std::vector<Place> places{product};
    Broadcast shapes{{dims}, dims};
    if (adds) {
        places.push_back(plainOperand(emitter, op, *operands[2]));
        shapes.operandDims.push_back(operands[2]->dims(emitter.graph().tensors()));
    }
    emitPlain(emitter, op, places, 0,
              [shapes, alpha, beta = real(op, "beta")](std::span<const float *const> from, float *to) {
                  combine(from, shapes, to,
                          [=](std::span<const float> x) { return alpha * x[0] + (x.size() > 1 ? beta * x[1] : 0); });
              });
    return true;
}

} // namespace stagecraft::cpu
