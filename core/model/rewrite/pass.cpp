#include "model/rewrite/pass.h"

#include "model/rewrite/passes.h"
#include "operators/operator.h"

#include <algorithm>

namespace stagecraft {
namespace {

const std::vector<Pass> &table()
{
    using enum Units;
    using Kind = OperatorKind;
    const std::set products{Kind::Conv, Kind::ConvTranspose, Kind::Gemm};
    const std::set takeActivations{Kind::Conv, Kind::ConvTranspose, Kind::Gemm, Kind::SepConv};
    static const std::vector<Pass> rows{
        {pass::kFoldConstants, "Operators that compute with constants alone are evaluated", {Ios, Tvm, None}},
        {pass::kRemoveIdentities,
         "Operators that pass a tensor on (Identity, Dropout, Cast to the same type, Sum of one) go away",
         {Ios, Tvm, None}},
        {"remove-dead", "Operators whose outputs nothing needs go away", {Ios, Tvm, None}, removeDead},
        {"simplify-concats",
         "Concats in concats become one; a Split whose parts are joined again in order goes away with its Concat",
         {Ios, Tvm},
         simplifyConcats,
         {{Kind::Join}}},
        {"fuse-hard-activations",
         "Relu6(x + 3) / 6 becomes HardSigmoid, and x times that HardSwish",
         {Ios, Tvm},
         fuseHardActivations,
         {{Kind::Activation}, {Kind::Elementwise}}},
        {"fuse-gated-activations",
         "x * Sigmoid(x) becomes SiLU, x * HardSigmoid(x) HardSwish",
         {Ios, Tvm},
         fuseGatedActivations,
         {{Kind::Activation}, {Kind::Elementwise}}},
        {"fuse-gelu", "x / 2 * (1 + erf(x / sqrt(2))) becomes Gelu", {Ios, Tvm}, fuseGelu, {{Kind::Elementwise}}},
        {"fold-pads",
         "Zeros around an image become padding of the convolution behind them",
         {Ios, Tvm},
         foldPads,
         {{Kind::Pad}, {Kind::Conv}}},
        {"fold-batch-norms",
         "Batch norms, scales and biases behind a convolution or a matrix product go into its weights",
         {Ios, Tvm},
         foldBatchNorms,
         {products, {Kind::BatchNorm, Kind::Elementwise}}},
        {"form-sep-convs",
         "Relu, depthwise and pointwise convolution become Relu-SepConv",
         {Ios},
         formSepConvs,
         {{Kind::Activation}, {Kind::Conv}}},
        {"fuse-activations",
         "An activation goes into the convolution or the matrix product before it",
         {Ios},
         fuseActivations,
         {takeActivations, {Kind::Activation}}},
        {"form-relu-convs",
         "A Relu goes into the convolution behind it",
         {Ios},
         formReluConvs,
         {{Kind::Activation}, {Kind::Conv}}},
        {"fold-sums",
         "Sums and concats go into the concat or Relu-SepConv that reads them",
         {Ios},
         foldSums,
         {{Kind::Join}}},
        {"fuse-products",
         "A matrix product takes the scale, the sum and the transposes around it that only it needs",
         {Ios},
         fuseProducts,
         {{Kind::Gemm}, {Kind::Elementwise, Kind::Join, Kind::Transpose, Kind::Activation}}},
        {"fuse-by-class",
         "Element-wise operators go into what is before them, or into the reduction behind them",
         {Tvm},
         fuseByClass},
    };
    return rows;
}

} // namespace

std::span<const Pass> passes()
{
    return table();
}

const Pass *findPass(std::string_view name)
{
    const auto found = std::ranges::find(table(), name, &Pass::name);
    return found == table().end() ? nullptr : &*found;
}

} // namespace stagecraft
