#include "graph/known_attributes.h"

#include <map>

namespace stagecraft {
namespace {

using Names = std::set<std::string_view>;

const std::map<std::string_view, Names> &attributesByType()
{
    static const std::map<std::string_view, Names> table = [] {
        const Names window{"auto_pad", "dilations", "kernel_shape", "pads", "strides"};
        const auto windowAnd = [&](Names more) {
            more.insert(window.begin(), window.end());
            return more;
        };
        std::map<std::string_view, Names> names{
            {"AveragePool", windowAnd({"ceil_mode", "count_include_pad"})},
            {"MaxPool",
             windowAnd({"ceil_mode", "storage_order"})}, // storage_order: the order of indices, which are not executed
            {"Conv", windowAnd({"group"})},
            {"ConvTranspose", windowAnd({"group", "output_padding", "output_shape"})},
            // momentum is only for training. The other form of spatial has other statistics, which are refused.
            {"BatchNormalization", {"epsilon", "is_test", "momentum", "spatial", "training_mode"}},
            {"Cast",
             {"round_mode", "saturate", "to"}}, // round_mode, saturate: only for 8-bit floating point, which is refused
            {"Celu", {"alpha"}},
            {"Clip", {"max", "min"}},
            {"Concat", {"axis"}},
            {"DepthToSpace", {"blocksize", "mode"}},
            {"DequantizeLinear", {"axis", "block_size", "output_dtype"}},
            {"Dropout", {"is_test", "ratio", "seed"}}, // is_test, ratio, seed: only for training
            {"Elu", {"alpha"}},
            {"Flatten", {"axis"}},
            {"Gather", {"axis"}},
            {"Gelu", {"approximate"}},
            {"Gemm", {"alpha", "beta", "broadcast", "transA", "transB"}}, // broadcast: old opsets; same rule as today
            {"GroupNormalization", {"epsilon", "num_groups", "stash_type"}}, // stash_type: internal precision
            {"HardSigmoid", {"alpha", "beta"}},
            {"InstanceNormalization", {"epsilon"}},
            {"LRN", {"alpha", "beta", "bias", "size"}},
            {"LayerNormalization", {"axis", "epsilon", "stash_type"}},
            {"LeakyRelu", {"alpha"}},
            {"LogSoftmax", {"axis"}},
            {"LpNormalization", {"axis", "p"}},
            {"MeanVarianceNormalization", {"axes"}},
            {"Mod", {"fmod"}},
            {"Pad", {"mode", "paddings", "pads", "value"}},
            {"QuantizeLinear", {"axis", "block_size", "output_dtype", "precision", "saturate"}},
            {"Reshape", {"allowzero", "shape"}},
            {"Resize",
             {"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
              "extrapolation_value", "height_scale", "keep_aspect_ratio_policy", "mode", "nearest_mode", "scales",
              "width_scale"}}, // height_scale, width_scale: from Upsample, which becomes a Resize
            {"Selu", {"alpha", "gamma"}},
            {"Shrink", {"bias", "lambd"}},
            {"Slice", {"axes", "ends", "starts"}},
            {"Softmax", {"axis"}},
            {"SpaceToDepth", {"blocksize", "mode"}},
            {"Split", {"axis", "num_outputs", "split"}},
            {"Squeeze", {"axes"}},
            {"ThresholdedRelu", {"alpha"}},
            {"Transpose", {"perm"}},
            {"Unsqueeze", {"axes"}},
            {"Upsample", {"height_scale", "mode", "scales", "width_scale"}},
        };
        for (const char *type : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                                 "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"})
            names[type] = {"axes", "keepdims", "noop_with_empty_axes"};
        for (const char *type : {"ArgMax", "ArgMin"})
            names[type] = {"axis", "keepdims", "select_last_index"};
        for (const char *type :
             {"Abs",    "Acos",       "Add",       "And",      "Asin", "Atan", "Ceil",
              "Cos",    "Cosh",       "Div",       "Equal",    "Erf",  "Exp",  "Expand",
              "Floor",  "Greater",    "HardSwish", "Identity", "Less", "Log",  "GlobalAveragePool",
              "MatMul", "Max",        "Mean",      "Min",      "Mish", "Mul",  "GlobalMaxPool",
              "Neg",    "Not",        "Or",        "PRelu",    "Pow",  "Relu", "GreaterOrEqual",
              "Round",  "Reciprocal", "Sigmoid",   "Sign",     "Sin",  "Sinh", "LessOrEqual",
              "Sqrt",   "Softplus",   "Softsign",  "Sub",      "Sum",  "Tan",  "DynamicQuantizeLinear",
              "Tanh",   "Tile",       "Where",     "Xor"})
            names[type] = {};
        return names;
    }();
    return table;
}

} // namespace

std::optional<std::set<std::string_view>> knownAttributes(std::string_view type)
{
    const auto found = attributesByType().find(type);
    return found == attributesByType().end() ? std::nullopt : std::optional(found->second);
}

bool isKnownAttribute(std::string_view type, std::string_view attribute)
{
    const auto found = attributesByType().find(type);
    return found == attributesByType().end() || found->second.contains(attribute);
}

std::optional<std::string> unknownAttribute(const Operator &op)
{
    if (const auto *generic = std::get_if<GenericAttributes>(&op.attributes)) {
        for (const auto &[name, value] : generic->values) {
            if (!isKnownAttribute(op.type, name))
                return name;
        }
    }
    return std::nullopt;
}

} // namespace stagecraft
