#include "graph/operator_table.h"

#include <algorithm>
#include <array>

namespace stagecraft {
namespace {

constexpr std::array kFacts{
    OperatorFacts{OperatorKind::Conv, "Conv", true},
    OperatorFacts{OperatorKind::SepConv, "SepConv", true},
    OperatorFacts{OperatorKind::Pool, "Pool", true},
    OperatorFacts{OperatorKind::Activation, "Activation", true},
    OperatorFacts{OperatorKind::Join, "Join", true},
    OperatorFacts{OperatorKind::BatchNorm, "BatchNorm", true},
    OperatorFacts{OperatorKind::Gemm, "Gemm", false},
    OperatorFacts{OperatorKind::Softmax, "Softmax", true},
    OperatorFacts{OperatorKind::Elementwise, "Elementwise", false},
    OperatorFacts{OperatorKind::Reshape, "Reshape", false},
    OperatorFacts{OperatorKind::Transpose, "Transpose", false},
    OperatorFacts{OperatorKind::Slice, "Slice", false},
    OperatorFacts{OperatorKind::Split, "Split", false},
    OperatorFacts{OperatorKind::Pad, "Pad", false},
    OperatorFacts{OperatorKind::Resize, "Resize", false},
    OperatorFacts{OperatorKind::Reduce, "Reduce", false},
    OperatorFacts{OperatorKind::Normalize, "Normalize", false},
    OperatorFacts{OperatorKind::ConvTranspose, "ConvTranspose", false},
    OperatorFacts{OperatorKind::Unknown, "Unknown", false},
};

std::string decorated(std::string core, const Activation &before, const Activation &after)
{
    if (before.kind != ActivationKind::None)
        core.insert(0, std::string(toString(before.kind)) + "-");
    if (after.kind != ActivationKind::None)
        core += "-" + std::string(toString(after.kind));
    return core;
}

std::string convType(const ConvAttributes &conv)
{
    const bool depthwise = conv.groups > 1 && conv.groups == conv.outChannels;
    const char *core = depthwise ? "DepthwiseConv" : conv.groups > 1 ? "GroupConv" : "Conv";
    return decorated(core, conv.before, conv.after);
}

std::string poolType(const PoolAttributes &pool)
{
    const std::string mode = pool.mode == PoolAttributes::Mode::Max ? "Max" : "Average";
    return (pool.global ? "Global" : "") + mode + "Pool";
}

std::string joinType(const InputExpression &inputs)
{
    const bool adds = std::ranges::any_of(inputs, [](const auto &part) { return part.size() > 1; });
    if (inputs.size() > 1)
        return adds ? "Add-Concat" : "Concat";
    return adds ? "Add" : "Identity";
}

} // namespace

const OperatorFacts &factsOf(OperatorKind kind)
{
    return *std::ranges::find(kFacts, kind, &OperatorFacts::kind);
}

std::string displayType(const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Conv: return op.conv() ? convType(*op.conv()) : "Conv";
    case OperatorKind::SepConv: {
        const SepConvAttributes *sep = op.sepConv();
        return sep ? decorated("SepConv", sep->before, sep->after) : "SepConv";
    }
    case OperatorKind::Pool: return op.pool() ? poolType(*op.pool()) : "Pool";
    case OperatorKind::Activation: {
        const auto *activation = std::get_if<Activation>(&op.attributes);
        return activation && activation->kind != ActivationKind::Other ? std::string(toString(activation->kind))
                                                                       : op.type;
    }
    case OperatorKind::Join: return joinType(op.inputs);
    case OperatorKind::Gemm: return op.gemm() ? decorated("Gemm", {}, op.gemm()->after) : "Gemm";
    default: return op.type.empty() ? std::string(factsOf(op.kind).name) : op.type;
    }
}

} // namespace stagecraft
