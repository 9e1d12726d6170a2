// Operators that stand for several others (operators/composed/composed.h).

#include "operators/composed/composed.h"
#include "operators/rows/schema_rows.h"

namespace stagecraft::schema_rows {
namespace {

OperatorSchema row(std::string_view type, std::vector<OperandSchema> operands, std::vector<AttributeSchema> attributes)
{
    return {.type = type,
            .operands = std::move(operands),
            .attributes = std::move(attributes),
            .result = ResultType::Composed,
            .shapes = composed::shapes,
            .cost = Cost::Bytes,
            .multiplyAdds = composed::multiplyAdds,
            .kernel = composed::run};
}

// A tensor with its scale and zero point, then those of the result.
std::vector<OperandSchema> requantized()
{
    return {{"X"}, {"x_scale"}, optional("x_zero_point"), {"y_scale"}, optional("y_zero_point")};
}

} // namespace

std::vector<OperatorSchema> composedRows()
{
    return {
        withOutputs(4, row("Attention",
                           {{"Q"},
                            {"K"},
                            {"V"},
                            optional("attn_mask"),
                            optional("past_key"),
                            optional("past_value"),
                            optional("nonpad_kv_seqlen")},
                           {whole("is_causal", 0), whole("kv_num_heads", 0), whole("q_num_heads", 0),
                            whole("qk_matmul_output_mode", 0), given("scale"), real("softcap", 0.0F),
                            ignored("softmax_precision")})),
        row("com.microsoft::Gelu", {{"X"}}, {}),
        row("com.microsoft::FastGelu", {{"X"}, optional("bias")}, {}),
        row("com.microsoft::BiasGelu", {{"A"}, {"B"}}, {}),
        row("com.microsoft::QuickGelu", {{"X"}}, {real("alpha", 1.702F)}),
        row("com.microsoft::FusedConv", {{"X"}, {"W"}, optional("B"), optional("Z")},
            {text("activation", ""), given("activation_params"), automaticPadding(), given("dilations"),
             whole("group", 1), given("kernel_shape"), given("pads"), given("strides")}),
        row("com.microsoft::FusedGemm", {{"A"}, {"B"}, optional("C")},
            {text("activation", ""), real("activation_alpha", 0.01F), real("activation_beta", 0.5F),
             real("activation_gamma", 0.0F), real("alpha", 1.0F), real("beta", 1.0F), whole("transA", 0),
             whole("transB", 0)}),
        row("com.microsoft::FusedMatMul", {{"A"}, {"B"}},
            {real("alpha", 1.0F), whole("transA", 0), whole("transB", 0), whole("transBatchA", 0),
             whole("transBatchB", 0)}),
        row("com.microsoft::MatMulIntegerToFloat",
            {{"A"},
             {"B"},
             {"a_scale"},
             {"b_scale"},
             optional("a_zero_point"),
             optional("b_zero_point"),
             optional("bias")},
            {}),
        row("com.microsoft::QGemm",
            {{"A"},
             {"a_scale"},
             {"a_zero_point"},
             {"B"},
             {"b_scale"},
             {"b_zero_point"},
             optional("C"),
             optional("y_scale"),
             optional("y_zero_point")},
            {real("alpha", 1.0F), whole("transA", 0), whole("transB", 0)}),
        row("com.microsoft::QLinearAveragePool", requantized(),
            {automaticPadding(), whole("ceil_mode", 0), whole("channels_last", 0), whole("count_include_pad", 0),
             given("kernel_shape"), given("pads"), given("strides")}),
        row("com.microsoft::QLinearConcat", {{"Y_scale"}, {"Y_zero_point"}, several("inputs")}, {given("axis")}),
        row("com.microsoft::QLinearGlobalAveragePool", requantized(), {whole("channels_last", 0)}),
        row("com.microsoft::QLinearSoftmax", requantized(), {whole("axis", -1), whole("opset", 13)}),
        withOutputs(4, row("com.microsoft::SkipLayerNormalization",
                           {{"input"}, {"skip"}, {"gamma"}, optional("beta"), optional("bias")},
                           {real("epsilon", 1e-12F)})),
        withOutputs(4, row("com.microsoft::SkipSimplifiedLayerNormalization",
                           {{"input"}, {"skip"}, {"gamma"}, optional("bias")}, {real("epsilon", 1e-12F)})),
    };
}

} // namespace stagecraft::schema_rows
