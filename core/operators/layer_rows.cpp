#include "operators/fold_rules.h"
#include "operators/schema_rows.h"
#include "operators/shape_rules.h"

namespace stagecraft::schema_rows {
namespace {

namespace shape = shape_rules;
namespace fold = fold_rules;
using Kind = OperatorKind;

std::vector<AttributeSchema> window(std::vector<AttributeSchema> more)
{
    for (const char *list : {"dilations", "kernel_shape", "pads", "strides"})
        more.push_back(given(list));
    more.push_back(text("auto_pad", "NOTSET"));
    return more;
}

// Known as a unit with typed attributes; kept as in the file, without arithmetic, in any other form.
OperatorSchema convolution(std::string_view type, std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .operands = {{"X"}, {"W"}, optional("B")},
            .attributes = window(std::move(attributes)),
            .shapes = shape::windowed,
            .cost = Cost::UsualForm,
            .fusion = FusionClass::Complex};
}

OperatorSchema pool(std::string_view type, ShapeRule shapes, std::vector<AttributeSchema> attributes, Cost cost)
{
    return {.type = type,
            .operands = {{"X"}},
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = cost,
            .fusion = FusionClass::Reduction};
}

OperatorSchema product(std::string_view type, ShapeRule shapes, std::vector<OperandSchema> operands,
                       std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .shapes = shapes,
            .cost = Cost::UsualForm,
            .fusion = FusionClass::Complex};
}

OperatorSchema reduction(std::string_view type, FoldRule folds = nullptr)
{
    return {.type = type,
            .kind = Kind::Reduce,
            .operands = {{"data"}, optionalConstant("axes")},
            .attributes = {whole("keepdims", 1), whole("noop_with_empty_axes", 0), given("axes")},
            .shapes = shape::reduced,
            .cost = Cost::Elements,
            .fold = folds,
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
            .fusion = FusionClass::Reduction};
}

OperatorSchema softmax(std::string_view type)
{
    return {.type = type,
            .kind = Kind::Softmax,
            .operands = {{"input"}},
            .attributes = {whole("axis", -1)},
            .shapes = shape::likeFirst,
            .cost = Cost::Bytes};
}

OperatorSchema norm(std::string_view type, std::size_t outputs, std::vector<OperandSchema> operands,
                    std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .kind = Kind::Normalize,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .outputs = outputs,
            .shapes = shape::normalized,
            .cost = Cost::Elements};
}

OperatorSchema recurrentLayer(std::string_view type, std::size_t outputs)
{
    return {.type = type,
            .operands = {{"X"}, {"W"}, {"R"}, optional("B"), optional("sequence_lens"), optional("initial_h")},
            .attributes = {given("hidden_size"), text("direction", "forward"), whole("layout", 0)},
            .listsAttributes = false,
            .outputs = outputs,
            .shapes = shape::recurrent};
}

OperatorSchema ofIntegers(OperatorSchema row)
{
    row.cost = Cost::None;
    return withOthers(std::move(row));
}

} // namespace

std::vector<OperatorSchema> layerRows()
{
    return {
        convolution("Conv", {whole("group", 1)}),
        convolution("ConvTranspose", {whole("group", 1), given("output_padding"), given("output_shape")}),
        withOperands({{"x"}, {"w"}, optional("x_zero_point"), optional("w_zero_point")},
                     ofIntegers(convolution("ConvInteger", {whole("group", 1)}))),
        withOperands({{"x"},
                      {"x_scale"},
                      {"x_zero_point"},
                      {"w"},
                      {"w_scale"},
                      {"w_zero_point"},
                      {"y_scale"},
                      {"y_zero_point"},
                      optional("B")},
                     ofIntegers(convolution("QLinearConv", {whole("group", 1)}))),
        withOutputs(2, pool("MaxPool", shape::windowed,
                            window({whole("ceil_mode", 0),
                                    ignored("storage_order")}), // the order of places, which are not executed
                            Cost::UsualForm)),
        pool("AveragePool", shape::windowed, window({whole("ceil_mode", 0), whole("count_include_pad", 0)}),
             Cost::UsualForm),
        withOthers(pool("LpPool", shape::windowed, window({whole("ceil_mode", 0)}), Cost::UsualForm)),
        pool("GlobalMaxPool", shape::pooledGlobally, {}, Cost::UsualForm),
        pool("GlobalAveragePool", shape::pooledGlobally, {}, Cost::UsualForm),
        withOthers(pool("GlobalLpPool", shape::pooledGlobally, {}, Cost::None)),
        product("MatMul", shape::matrixProduct, {{"A"}, {"B"}}, {}),
        product("Gemm", shape::generalProduct, {{"A"}, {"B"}, optional("C")},
                {real("alpha", 1.0F), real("beta", 1.0F), whole("transA", 0), whole("transB", 0),
                 ignored("broadcast")}), // before opset 7; same rule as today
        ofIntegers(product("MatMulInteger", shape::matrixProduct,
                           {{"A"}, {"B"}, optional("a_zero_point"), optional("b_zero_point")}, {})),
        // The other form of `spatial` has other statistics, which are refused; momentum is only for training.
        {.type = "BatchNormalization",
         .operands = {{"X"}, {"scale"}, {"B"}, {"input_mean"}, {"input_var"}},
         .attributes = {real("epsilon", 1e-5F), whole("training_mode", 0), ignored("is_test"), ignored("momentum"),
                        ignored("spatial")},
         .outputs = 5,
         .shapes = shape::normalized,
         .cost = Cost::Bytes,
         .fusion = FusionClass::Injective},
        norm("InstanceNormalization", 1, {{"input"}, {"scale"}, {"B"}}, {real("epsilon", 1e-5F)}),
        norm("LayerNormalization", 3, {{"X"}, {"Scale"}, optional("B")},
             {whole("axis", -1), real("epsilon", 1e-5F), ignored("stash_type")}), // the precision inside
        norm("GroupNormalization", 1, {{"X"}, {"scale"}, {"bias"}},
             {whole("num_groups", 1), real("epsilon", 1e-5F), ignored("stash_type")}),
        norm("LRN", 1, {{"X"}}, {whole("size", 1), real("alpha", 1e-4F), real("beta", 0.75F), real("bias", 1.0F)}),
        norm("LpNormalization", 1, {{"input"}}, {whole("axis", -1), whole("p", 2)}),
        norm("MeanVarianceNormalization", 1, {{"X"}},
             {{"axes", AttributeValue(std::vector<std::int64_t>{0, 2, 3}), true}}),
        softmax("Softmax"),
        softmax("LogSoftmax"),
        reduction("ReduceMean"),
        reduction("ReduceSum", fold::reduce),
        reduction("ReduceMax", fold::reduce),
        reduction("ReduceMin", fold::reduce),
        reduction("ReduceProd", fold::reduce),
        reduction("ReduceL1"),
        reduction("ReduceL2"),
        reduction("ReduceLogSum"),
        reduction("ReduceLogSumExp"),
        reduction("ReduceSumSquare"),
        placeOfLargest("ArgMax"),
        placeOfLargest("ArgMin"),
        recurrentLayer("LSTM", 3),
        recurrentLayer("GRU", 2),
        recurrentLayer("RNN", 2),
        {.type = "TopK",
         .operands = {{"X"}, optionalConstant("K")},
         .attributes = {whole("axis", -1), given("k")},
         .listsAttributes = false,
         .outputs = 2,
         .shapes = shape::largest},
        {.type = "Hardmax",
         .operands = {{"input"}},
         .listsAttributes = false,
         .shapes = shape::likeFirst,
         .cost = Cost::Bytes},
        {.type = "CumSum",
         .operands = {{"x"}, {"axis"}},
         .listsAttributes = false,
         .shapes = shape::likeFirst,
         .cost = Cost::Bytes},
    };
}

} // namespace stagecraft::schema_rows
