#include "operators/folding/product_costs.h"
#include "operators/kernels/kernels.h"
#include "operators/rows/schema_rows.h"
#include "operators/shapes/shape_rules.h"

namespace stagecraft::schema_rows {
namespace {

namespace shape = shape_rules;
namespace kernel = kernels;
using Kind = OperatorKind;

std::vector<AttributeSchema> window(std::vector<AttributeSchema> more)
{
    for (const char *list : {"dilations", "kernel_shape", "pads", "strides"})
        more.push_back(given(list));
    more.push_back(automaticPadding());
    return more;
}

// Known as a unit with typed attributes; kept as in the file in any other form.
OperatorSchema convolution(std::string_view type, KernelFunction kernel, std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .operands = {{"X"}, {"W"}, optional("B")},
            .attributes = window(std::move(attributes)),
            .shapes = shape::windowed,
            .cost = Cost::Bytes,
            .multiplyAdds = type == "ConvTranspose" ? product_costs::transposedConvolution : product_costs::convolution,
            .kernel = kernel,
            .fusion = FusionClass::Complex};
}

// Of one or three dimensions: small beside what is around it.
OperatorSchema pool(std::string_view type, ShapeRule shapes, std::vector<AttributeSchema> attributes, Cost cost)
{
    return {.type = type,
            .operands = {{"X"}},
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = cost,
            .kernel = shapes == shape::windowed ? kernel::pooled : kernel::pooledGlobally,
            .fusion = FusionClass::Reduction};
}

OperatorSchema product(std::string_view type, ShapeRule shapes, KernelFunction kernel,
                       std::vector<OperandSchema> operands, std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = Cost::Bytes,
            .multiplyAdds = type == "Gemm" ? product_costs::generalProduct : product_costs::matrixProduct,
            .kernel = kernel,
            .fusion = FusionClass::Complex};
}

OperatorSchema reduction(std::string_view type)
{
    return {.type = type,
            .kind = Kind::Reduce,
            .operands = {{"data"}, optionalConstant("axes")},
            .attributes = {whole("keepdims", 1), whole("noop_with_empty_axes", 0), given("axes")},
            .shapes = shape::reduced,
            .cost = Cost::Elements,
            .kernel = kernel::reduced,
            .fusion = FusionClass::Reduction};
}

OperatorSchema placeOfLargest(std::string_view type)
{
    return {.type = type,
            .kind = Kind::Reduce,
            .operands = {{"data"}},
            .attributes = {whole("axis", 0), whole("keepdims", 1), whole("select_last_index", 0)},
            .result = ResultType::Integer,
            .shapes = shape::reducedToPlace,
            .cost = Cost::Elements,
            .kernel = kernel::placeOfLargest,
            .fusion = FusionClass::Reduction};
}

OperatorSchema softmax(std::string_view type)
{
    return {.type = type,
            .kind = Kind::Softmax,
            .operands = {{"input"}},
            .attributes = {whole("axis", -1)},
            .shapes = shape::alongAxis,
            .cost = Cost::Bytes,
            .kernel = kernel::softmax};
}

OperatorSchema norm(std::string_view type, std::size_t outputs, KernelFunction kernel,
                    std::vector<OperandSchema> operands, std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .kind = Kind::Normalize,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .outputs = outputs,
            .shapes = shape::normalized,
            .cost = Cost::Elements,
            .kernel = kernel};
}

OperatorSchema recurrentLayer(std::string_view type, std::size_t outputs, std::vector<OperandSchema> states,
                              std::vector<AttributeSchema> more)
{
    std::vector<OperandSchema> operands{{"X"}, {"W"}, {"R"}, optional("B"), optional("sequence_lens")};
    operands.insert(operands.end(), states.begin(), states.end());
    for (const char *list : {"activation_alpha", "activation_beta", "activations", "clip", "hidden_size"})
        more.push_back(given(list));
    more.push_back(choice("direction", {"forward", "reverse", "bidirectional"}));
    more.push_back(whole("layout", 0));
    more.push_back(ignored("output_sequence")); // before opset 7: all outputs are there if they are named
    return {.type = type,
            .operands = std::move(operands),
            .attributes = std::move(more),
            .outputs = outputs,
            .shapes = shape::recurrent,
            .cost = Cost::Bytes,
            .multiplyAdds = product_costs::recurrent,
            .kernel = kernel::recurrent};
}

OperatorSchema ofIntegers(ResultType result, OperatorSchema row)
{
    row.result = result;
    return row;
}

} // namespace

std::vector<OperatorSchema> layerRows()
{
    return {
        convolution("Conv", kernel::convolution, {whole("group", 1)}),
        convolution("ConvTranspose", kernel::transposedConvolution,
                    {whole("group", 1), given("output_padding"), given("output_shape")}),
        withOperands(
            {{"x"}, {"w"}, optional("x_zero_point"), optional("w_zero_point")},
            ofIntegers(ResultType::Int32, convolution("ConvInteger", kernel::integerConvolution, {whole("group", 1)}))),
        withOperands({{"x"},
                      {"x_scale"},
                      {"x_zero_point"},
                      {"w"},
                      {"w_scale"},
                      {"w_zero_point"},
                      {"y_scale"},
                      {"y_zero_point"},
                      optional("B")},
                     ofIntegers(ResultType::LikeEighth,
                                convolution("QLinearConv", kernel::integerConvolution, {whole("group", 1)}))),
        withOutputs(2, pool("MaxPool", shape::windowed,
                            window({whole("ceil_mode", 0), whole("storage_order", 0)}), // of places
                            Cost::Bytes)),
        pool("AveragePool", shape::windowed, window({whole("ceil_mode", 0), whole("count_include_pad", 0)}),
             Cost::Bytes),
        pool("LpPool", shape::windowed, window({whole("ceil_mode", 0), whole("p", 2)}), Cost::Bytes),
        pool("GlobalMaxPool", shape::pooledGlobally, {}, Cost::Bytes),
        pool("GlobalAveragePool", shape::pooledGlobally, {}, Cost::Bytes),
        pool("GlobalLpPool", shape::pooledGlobally, {whole("p", 2)}, Cost::Bytes),
        product("MatMul", shape::matrixProduct, kernel::matrixProduct, {{"A"}, {"B"}}, {}),
        product("Gemm", shape::generalProduct, kernel::generalProduct, {{"A"}, {"B"}, optional("C")},
                {real("alpha", 1.0F), real("beta", 1.0F), whole("transA", 0), whole("transB", 0),
                 ignored("broadcast")}), // before opset 7; same rule as today
        ofIntegers(ResultType::Int32, product("MatMulInteger", shape::matrixProduct, kernel::integerProduct,
                                              {{"A"}, {"B"}, optional("a_zero_point"), optional("b_zero_point")}, {})),
        // The other form of `spatial` has other statistics, which tell it; momentum is only for training.
        {.type = "BatchNormalization",
         .operands = {{"X"}, {"scale"}, {"B"}, {"input_mean"}, {"input_var"}},
         .attributes = {real("epsilon", 1e-5F), whole("training_mode", 0), ignored("is_test"), real("momentum", 0.9F),
                        ignored("spatial")},
         .outputs = 5,
         .shapes = shape::normalized,
         .cost = Cost::Bytes,
         .kernel = kernel::batchNormalized,
         .fusion = FusionClass::Injective},
        norm("InstanceNormalization", 1, kernel::channelsNormalized, {{"input"}, {"scale"}, {"B"}},
             {real("epsilon", 1e-5F)}),
        norm("LayerNormalization", 3, kernel::layerNormalized, {{"X"}, {"Scale"}, optional("B")},
             {whole("axis", -1), real("epsilon", 1e-5F), ignored("stash_type")}), // the precision inside
        norm("GroupNormalization", 1, kernel::channelsNormalized, {{"X"}, {"scale"}, {"bias"}},
             {whole("num_groups", 1), real("epsilon", 1e-5F), ignored("stash_type")}),
        norm("LRN", 1, kernel::responseNormalized, {{"X"}},
             {whole("size", 1), real("alpha", 1e-4F), real("beta", 0.75F), real("bias", 1.0F)}),
        norm("LpNormalization", 1, kernel::lpNormalized, {{"input"}}, {whole("axis", -1), whole("p", 2)}),
        norm("MeanVarianceNormalization", 1, kernel::meanVarianceNormalized, {{"X"}},
             {{"axes", AttributeValue(std::vector<std::int64_t>{0, 2, 3}), true}}),
        softmax("Softmax"),
        softmax("LogSoftmax"),
        reduction("ReduceMean"),
        reduction("ReduceSum"),
        reduction("ReduceMax"),
        reduction("ReduceMin"),
        reduction("ReduceProd"),
        reduction("ReduceL1"),
        reduction("ReduceL2"),
        reduction("ReduceLogSum"),
        reduction("ReduceLogSumExp"),
        reduction("ReduceSumSquare"),
        placeOfLargest("ArgMax"),
        placeOfLargest("ArgMin"),
        recurrentLayer("LSTM", 3, {optional("initial_h"), optional("initial_c"), optional("P")},
                       {whole("input_forget", 0)}),
        recurrentLayer("GRU", 2, {optional("initial_h")}, {whole("linear_before_reset", 0)}),
        recurrentLayer("RNN", 2, {optional("initial_h")}, {}),
        {.type = "TopK",
         .operands = {{"X"}, optionalConstant("K")},
         .attributes = {whole("axis", -1), given("k"), whole("largest", 1), ignored("sorted")},
         .outputs = 2,
         .shapes = shape::largest,
         .cost = Cost::Bytes,
         .kernel = kernel::largest},
        {.type = "Hardmax",
         .operands = {{"input"}},
         .attributes = {whole("axis", -1)},
         .shapes = shape::alongAxis,
         .cost = Cost::Bytes,
         .kernel = kernel::softmax},
        {.type = "CumSum",
         .operands = {{"x"}, {"axis"}},
         .attributes = {whole("exclusive", 0), whole("reverse", 0)},
         .shapes = shape::likeFirst,
         .cost = Cost::Bytes,
         .kernel = kernel::cumulated},
    };
}

} // namespace stagecraft::schema_rows
