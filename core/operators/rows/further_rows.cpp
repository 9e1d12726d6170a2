// Operators that models have less often, and those of other domains. They have no kind of their own.

#include "operators/composed/subgraph.h"
#include "operators/folding/product_costs.h"
#include "operators/kernels/kernels.h"
#include "operators/rows/schema_rows.h"
#include "operators/shapes/shape_rules.h"

namespace stagecraft::schema_rows {
namespace {

namespace shape = shape_rules;
namespace kernel = kernels;

OperatorSchema row(std::string_view type, ShapeRule shapes, KernelFunction kernel, std::vector<OperandSchema> operands,
                   std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = Cost::Bytes,
            .kernel = kernel};
}

OperatorSchema counting(double (*multiplyAdds)(const NodeFacts &, const Shape &), OperatorSchema row)
{
    row.multiplyAdds = multiplyAdds;
    return row;
}

OperatorSchema signalWindow(std::string_view type)
{
    return resulting(ResultType::MaybeAsked, row(type, shape::signalWindow, kernel::signalWindow, {constant("size")},
                                                 {whole("periodic", 1), whole("output_datatype", 1)}));
}

OperatorSchema loss(std::string_view type, std::size_t outputs)
{
    return withOutputs(outputs, row(type, shape::likelihoodLoss, kernel::likelihoodLoss,
                                    {{"input"}, {"target"}, optional("weight")},
                                    {choice("reduction", {"mean", "none", "sum"}), given("ignore_index")}));
}

// Quantised element-wise operators of ONNX Runtime.
OperatorSchema quantizedPair(std::string_view type)
{
    return resulting(ResultType::LikeEighth, row(type, shape::quantizedPair, kernel::quantizedArithmetic,
                                                 {{"A"},
                                                  {"A_scale"},
                                                  optional("A_zero_point"),
                                                  {"B"},
                                                  {"B_scale"},
                                                  optional("B_zero_point"),
                                                  {"C_scale"},
                                                  optional("C_zero_point")},
                                                 {}));
}

OperatorSchema quantizedFunction(std::string_view type, std::vector<AttributeSchema> attributes)
{
    return resulting(ResultType::LikeFifth,
                     row(type, shape::likeFirst, kernel::quantizedArithmetic,
                         {{"X"}, {"X_scale"}, optional("X_zero_point"), {"Y_scale"}, optional("Y_zero_point")},
                         std::move(attributes)));
}

} // namespace

std::vector<OperatorSchema> furtherRows()
{
    return {
        counting(product_costs::einsum, withOperands({several("Inputs")}, row("Einsum", shape::einsum, kernel::einsum,
                                                                              {}, {text("equation", "")}))),
        row("Det", shape::determinant, kernel::determinant, {{"X"}}, {}),
        counting(
            product_costs::matrixProduct,
            resulting(ResultType::LikeEighth, row("QLinearMatMul", shape::quantizedProduct, kernel::quantizedProduct,
                                                  {{"a"},
                                                   {"a_scale"},
                                                   {"a_zero_point"},
                                                   {"b"},
                                                   {"b_scale"},
                                                   {"b_zero_point"},
                                                   {"y_scale"},
                                                   {"y_zero_point"}},
                                                  {}))),
        quantizedPair("com.microsoft::QLinearAdd"),
        quantizedPair("com.microsoft::QLinearMul"),
        quantizedFunction("com.microsoft::QLinearLeakyRelu", {real("alpha", 0.01F)}),
        quantizedFunction("com.microsoft::QLinearSigmoid", {}),
        row("CumProd", shape::likeFirst, kernel::cumulated, {{"x"}, {"axis"}},
            {whole("exclusive", 0), whole("reverse", 0)}),
        resulting(ResultType::Asked, row("BitCast", shape::likeFirst, kernel::bitCast, {{"input"}}, {given("to")})),
        row("RMSNormalization", shape::alongAxis, kernel::layerNormalized, {{"X"}, {"scale"}},
            {whole("axis", -1), real("epsilon", 1e-5F), ignored("stash_type")}),
        row("RotaryEmbedding", shape::rotated, kernel::rotated,
            {{"X"}, {"cos_cache"}, {"sin_cache"}, optional("position_ids")},
            {whole("interleaved", 0), given("num_heads"), whole("rotary_embedding_dim", 0)}),
        row("MaxUnpool", shape::unpooled, kernel::unpooled, {{"X"}, {"I"}, optionalConstant("output_shape")},
            {given("kernel_shape"), given("pads"), given("strides")}),
        row("MaxRoiPool", shape::regions, kernel::regionsPooled, {{"X"}, {"rois"}},
            {given("pooled_shape"), real("spatial_scale", 1.0F)}),
        row("RoiAlign", shape::regions, kernel::regionsAligned, {{"X"}, {"rois"}, {"batch_indices"}},
            {choice("coordinate_transformation_mode", {"half_pixel", "output_half_pixel"}),
             choice("mode", {"avg", "max"}), whole("output_height", 1), whole("output_width", 1),
             whole("sampling_ratio", 0), real("spatial_scale", 1.0F)}),
        row("GridSample", shape::sampledOnGrid, kernel::sampledOnGrid, {{"X"}, {"grid"}},
            {whole("align_corners", 0), choice("mode", {"bilinear", "linear", "nearest", "bicubic", "cubic"}),
             choice("padding_mode", {"zeros", "border", "reflection"})}),
        row("AffineGrid", shape::affineGrid, kernel::affineGrid, {{"theta"}, constant("size")},
            {whole("align_corners", 0)}),
        counting(product_costs::convolution, row("DeformConv", shape::windowed, kernel::deformableConvolution,
                                                 {{"X"}, {"W"}, {"offset"}, optional("B"), optional("mask")},
                                                 {given("dilations"), whole("group", 1), given("kernel_shape"),
                                                  whole("offset_group", 1), given("pads"), given("strides")})),
        signalWindow("HannWindow"),
        signalWindow("HammingWindow"),
        signalWindow("BlackmanWindow"),
        row("DFT", shape::fourier, kernel::fourier,
            {{"input"}, optionalConstant("dft_length"), optionalConstant("axis")},
            {whole("axis", 1), whole("inverse", 0), whole("onesided", 0)}),
        row("STFT", shape::fourierFrames, kernel::fourier,
            {{"signal"}, constant("frame_step"), optional("window"), optionalConstant("frame_length")},
            {whole("onesided", 1)}),
        loss("NegativeLogLikelihoodLoss", 1),
        loss("SoftmaxCrossEntropyLoss", 2),
        {.type = "If",
         .operands = {{"cond"}, several("captured")}, // and the constants of its branches
         .attributes = {given("then_branch"), given("else_branch")},
         .outputs = 0,
         .result = ResultType::Branch,
         .shapes = subgraph::shapesOfBranches,
         .cost = Cost::Bytes,
         .multiplyAdds = subgraph::multiplyAddsOfBranches,
         .kernel = subgraph::runBranch,
         .hasSubgraphs = true},
        {.type = "NonMaxSuppression",
         .operands = {{"boxes"},
                      {"scores"},
                      optionalConstant("max_output_boxes_per_class"),
                      optional("iou_threshold"),
                      optional("score_threshold")},
         .attributes = {whole("center_point_box", 0)},
         .result = ResultType::Integer,
         .shapes = shape::suppressed,
         .cost = Cost::Bytes,
         .kernel = kernel::nonMaxSuppression,
         .sizesAreBounds = true},
    };
}

} // namespace stagecraft::schema_rows
