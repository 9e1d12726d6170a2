// Matrix products and softmax.

#include "device/cpu/onednn/careful.h"
#include "device/cpu/onednn/emit_convolution.h"
#include "device/cpu/onednn/emitter.h"
#include "device/cpu/onednn/flat_kernels.h"
#include "device/cpu/onednn/primitives.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <cstdlib>
#include <span>

namespace stagecraft::cpu {
namespace {

using dnnl::memory;

// The product of a tensor and a weight.
struct WeightedProduct {
    const Operator &owner;
    const GemmAttributes &gemm;
    LayerWeights weights; // as the attributes say; `bias` empty: none
};

Values transposed(const Values &values, std::int64_t rows, std::int64_t columns)
{
    auto result = std::make_shared<std::vector<float>>(values->size());
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column)
            (*result)[static_cast<std::size_t>(column * rows + row)] =
                (*values)[static_cast<std::size_t>(row * columns + column)];
    }
    return result;
}

// Rows of the input times the packed weight.
void emitFullyConnected(Emitter &emitter, const WeightedProduct &product, const Place &output)
{
    const GemmAttributes &gemm = product.gemm;
    const TensorId read = product.owner.inputs.front().front();
    const Place &operand = emitter.place(read);
    const std::int64_t rows = emitter.graph().tensor(read).shape.elements() / gemm.inFeatures;
    Place from = emitter.inLayout(operand, plainDesc(operand.desc.dims()));
    from.desc = plainDesc({rows, gemm.inFeatures});
    Place to = output;
    to.desc = plainDesc({rows, gemm.outFeatures});

    const Desc matrix = anyDesc({gemm.outFeatures, gemm.inFeatures});
    const Desc biasDesc({gemm.outFeatures}, memory::data_type::f32, memory::format_tag::x);
    const LayerWeights &weights = product.weights;
    const dnnl::inner_product_forward::desc what =
        weights.bias ? dnnl::inner_product_forward::desc(kInference, from.desc, matrix, biasDesc, to.desc)
                     : dnnl::inner_product_forward::desc(kInference, from.desc, matrix, to.desc);
    const bool isApart = !eltwise(gemm.after).empty() && emitter.isCareful();
    const dnnl::inner_product_forward::primitive_desc desc(what, attributes(isApart ? Activation{} : gemm.after),
                                                           emitter.engine());
    const auto values = [&] {
        const Values own = weights.weight();
        return gemm.transposeB ? own : transposed(own, gemm.inFeatures, gemm.outFeatures);
    };
    std::vector<Argument> arguments{
        {DNNL_ARG_SRC, from, nullptr},
        {DNNL_ARG_WEIGHTS, {}, emitter.weights().packed(weights.key, desc.weights_desc(), weights.keep, values)},
        {DNNL_ARG_DST, to, nullptr}};
    if (weights.bias)
        arguments.push_back(
            {DNNL_ARG_BIAS,
             {},
             emitter.weights().packed(weights.key + "/bias", desc.bias_desc(), weights.keep, weights.bias)});
    emitter.primitive(dnnl::inner_product_forward(desc), std::move(arguments), desc.scratchpad_desc());
    if (isApart || eltwise(gemm.after).empty())
        emitActivation(emitter, gemm.after, product.owner, output, output);
}

memory::dims withRank(memory::dims dims, std::size_t rank)
{
    dims.insert(dims.begin(), rank - dims.size(), 1);
    return dims;
}

// Of two tensors, batch axes broadcast.
void emitMatMul(Emitter &emitter, const Operator &op, const GemmAttributes &gemm)
{
    const auto plain = [&](std::size_t index) {
        const Place &place = emitter.place(op.inputs[index].front());
        return emitter.inLayout(place, plainDesc(place.desc.dims()));
    };
    Place a = plain(0);
    Place b = plain(1);
    Place to = emitter.place(op.outputs.front());
    const std::size_t rank = std::max({a.desc.dims().size(), b.desc.dims().size(), std::size_t{2}});
    a.desc = plainDesc(withRank(a.desc.dims(), rank));
    b.desc = plainDesc(withRank(b.desc.dims(), rank));
    to.desc = plainDesc(withRank(to.desc.dims(), rank));
    if (gemm.transposeB) {
        std::vector<int> order(rank);
        for (std::size_t axis = 0; axis < rank; ++axis)
            order[axis] = static_cast<int>(axis);
        std::swap(order[rank - 1], order[rank - 2]);
        b.desc = b.desc.permute_axes(order);
    }
    const bool isApart = !eltwise(gemm.after).empty() && emitter.isCareful();
    const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(a.desc, b.desc, to.desc),
                                            attributes(isApart ? Activation{} : gemm.after), emitter.engine());
    emitter.primitive(dnnl::matmul(desc),
                      {{DNNL_ARG_SRC, a, nullptr}, {DNNL_ARG_WEIGHTS, b, nullptr}, {DNNL_ARG_DST, to, nullptr}},
                      desc.scratchpad_desc());
    if (isApart || eltwise(gemm.after).empty())
        emitActivation(emitter, gemm.after, op, emitter.place(op.outputs.front()), emitter.place(op.outputs.front()));
}

} // namespace

void emitGemm(Emitter &emitter, const Operator &op)
{
    const Parameter *weight = op.parameter(role::kWeight);
    if (!weight) {
        emitMatMul(emitter, op, *op.gemm());
        return;
    }
    LayerWeights own{op.name + "/weight", true, [weight] { return parameterValues(*weight); }, {}};
    if (const Parameter *bias = op.parameter(role::kBias))
        own.bias = [bias] { return parameterValues(*bias); };
    emitFullyConnected(emitter, {op, *op.gemm(), std::move(own)}, emitter.place(op.outputs.front()));
}

namespace {

// Of inputs of their own, which lie beside each other as columns: a convolution of channels last whose pixels are rows.
void emitProductsApart(Emitter &emitter, const plan::MergedOperator &merged, Place to)
{
    const auto &gemm = std::get<GemmAttributes>(merged.op.attributes);
    const auto products = static_cast<std::int64_t>(merged.op.inputs.size());
    Place from = emitter.input();
    const auto dims = from.desc.dims();
    std::int64_t rows = 1;
    for (const std::int64_t dim : std::span(dims).first(dims.size() - 1))
        rows *= dim;
    from.desc = arranged({1, dims.back(), 1, rows}, TensorLayout::ChannelsLast);
    to.desc = arranged({1, gemm.outFeatures, 1, rows}, TensorLayout::ChannelsLast);
    LayerWeights weights{merged.weightKey, false, merged.weight, merged.bias};
    if (!gemm.transposeB)
        weights.weight = [gemm, weight = merged.weight] {
            return transposed(weight(), gemm.inFeatures, gemm.outFeatures);
        };
    emitConvolution(emitter, {from.desc.dims(), to.desc.dims(), {}, products}, weights, gemm.after, merged.op, from,
                    to);
}

} // namespace

void emitMergedGemm(Emitter &emitter, const plan::MergedOperator &merged, const Place &to)
{
    if (merged.op.inputs.size() > 1) {
        emitProductsApart(emitter, merged, to);
        return;
    }
    const auto &gemm = std::get<GemmAttributes>(merged.op.attributes);
    emitFullyConnected(emitter, {merged.op, gemm, {merged.weightKey, false, merged.weight, merged.bias}}, to);
}

namespace {

void emitExponential(Emitter &emitter, const Place &from, const Place &to)
{
    const dnnl::eltwise_forward::primitive_desc desc({kInference, dnnl::algorithm::eltwise_exp, to.desc, 0.0F, 0.0F},
                                                     attributes(), emitter.engine());
    emitter.primitive(dnnl::eltwise_forward(desc), {{DNNL_ARG_SRC, from, nullptr}, {DNNL_ARG_DST, to, nullptr}},
                      desc.scratchpad_desc());
}

// Over an axis with others behind it, as over the channels of a segmented image: oneDNN's kernel takes fifty times as
// long for it as for the last axis. False: it is the last one.
bool emitSoftmaxAround(Emitter &emitter, const Place &from, const Place &to, std::size_t axis, bool logarithm)
{
    const auto dims = to.desc.dims();
    AroundAxis shape{1, dims[axis], 1};
    for (std::size_t i = 0; i < dims.size(); ++i)
        (i < axis ? shape.outer : shape.inner) *= i == axis ? 1 : dims[i];
    if (shape.inner == 1 || to.desc != plainDesc(dims))
        return false;
    const Place exponentials = logarithm ? emitter.scratch(to.desc) : to;
    emitter.host([shape](std::span<float *const> at) { subtractLargest(at[0], at[1], shape); }, {from, to});
    emitExponential(emitter, to, exponentials);
    if (logarithm)
        emitter.host([shape](std::span<float *const> at) { subtractLogarithmOfSums(at[0], at[1], shape); },
                     {exponentials, to});
    else
        emitter.host([shape](std::span<float *const> at) { divideBySums(at[0], shape); }, {to});
    return true;
}

} // namespace

void emitSoftmax(Emitter &emitter, const Operator &op, int axis, bool logarithm)
{
    const Place input = emitter.input();
    const Place &to = emitter.place(op.outputs.front());
    const Place from = emitter.inLayout(input, to.desc);
    if (emitter.isCareful()) {
        emitSoftmaxCarefully(emitter, from, to, static_cast<std::size_t>(axis), logarithm);
        return;
    }
    if (emitSoftmaxAround(emitter, from, to, static_cast<std::size_t>(axis), logarithm))
        return;
    const auto algorithm = logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
    const dnnl::softmax_v2_forward::primitive_desc desc({kInference, algorithm, to.desc, to.desc, axis}, attributes(),
                                                        emitter.engine());
    emitter.primitive(dnnl::softmax_v2_forward(desc), {{DNNL_ARG_SRC, from, nullptr}, {DNNL_ARG_DST, to, nullptr}},
                      desc.scratchpad_desc());
}

} // namespace stagecraft::cpu
