#include "support/operator_rows.h"

#include <onnx/onnx_pb.h>

namespace stagecraft::test {
namespace {

const Dims kImage{1, 4, 6, 6};
const Recipe kPair{{kImage, kImage}};
// Why a device refuses: the type, or what it reads or makes.
const char *const kNoKernel = "has no kernel";
const char *const kNotReal = "float32";
const char *const kNoKernelOfTypes = "there is no kernel of";

const Recipe kWindow{.attributes = {{"kernel_shape", {3, 3}}}};

void addInts(onnx::NodeProto &node, const std::string &name, const Dims &values)
{
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values)
        attribute.add_ints(value);
}

} // namespace

const std::map<std::string, OperatorRow> &operatorRows()
{
    static const std::map<std::string, OperatorRow> table{
        {"Abs", {.gpu = kNoKernel}},
        {"Acos", {.gpu = kNoKernel}},
        {"Acosh", {.recipe = {.least = 1}, .gpu = kNoKernel}},
        {"Add", {.recipe = kPair}},
        {"AffineGrid", {.recipe = {.tensors = {{1, 2, 3}}, .integers = {{1, 4, 3, 5}}}, .gpu = kNoKernel}},
        {"And", {.recipe = kPair, .cpu = kNoKernelOfTypes, .gpu = kNotReal}},
        {"ArgMax", {.gpu = kNotReal}},
        {"ArgMin", {.gpu = kNotReal}},
        {"Asin", {.gpu = kNoKernel}},
        {"Asinh", {.gpu = kNoKernel}},
        {"Atan", {.gpu = kNoKernel}},
        {"Atanh", {.gpu = kNoKernel}},
        {"Attention", {.recipe = {.tensors = {{1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}}}, .gpu = kNoKernel}},
        {"AveragePool", {.recipe = kWindow}},
        {"BatchNormalization", {.recipe = {.tensors = {{3, 4}}, .floats = {{4}, {4}, {4}, {4}}}}},
        {"BitCast", {.recipe = {.numbers = {{"to", onnx::TensorProto::INT32}}}, .gpu = kNotReal}},
        {"BitShift", {.recipe = kPair, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"BitwiseAnd", {.recipe = kPair, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"BitwiseNot", {.cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"BitwiseOr", {.recipe = kPair, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"BitwiseXor", {.recipe = kPair, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"BlackmanWindow", {.recipe = {.tensors = {}, .integers = {{5}}, .besideRelu = true}}},
        {"Cast", {.recipe = {.numbers = {{"to", onnx::TensorProto::FLOAT}}}}},
        {"CastLike", {.recipe = kPair, .gpu = kNoKernel}},
        {"Ceil", {.gpu = kNoKernel}},
        {"Celu", {.gpu = kNoKernel}},
        {"CenterCropPad", {.recipe = {.integers = {{1, 4, 4, 8}}}, .gpu = kNoKernel}},
        {"Clip", {.gpu = kNoKernel}},
        {"Col2Im", {.recipe = {.tensors = {{1, 8, 4}}, .integers = {{3, 3}, {2, 2}}}, .gpu = kNoKernel}},
        {"Compress",
         {.recipe = {.tensors = {{3, 4}}, .integers = {{0, 1, 1}}, .numbers = {{"axis", 0}}}, .gpu = kNoKernel}},
        {"Concat", {.recipe = {.tensors = {kImage, kImage}, .numbers = {{"axis", 1}}}}},
        {"ConstantOfShape", {.recipe = {.tensors = {}, .integers = {{2, 3}}, .besideRelu = true}}},
        {"Conv", {.recipe = {.floats = {{8, 4, 3, 3}, {8}}}}},
        {"ConvInteger", {.recipe = {.floats = {{8, 4, 3, 3}}}, .gpu = kNotReal}},
        {"ConvTranspose", {.recipe = {.floats = {{4, 8, 3, 3}, {8}}}, .gpu = kNoKernel}},
        {"Cos", {.gpu = kNoKernel}},
        {"Cosh", {.gpu = kNoKernel}},
        {"CumProd", {.recipe = {.integers = {{2}}}, .gpu = kNoKernel}},
        {"CumSum", {.recipe = {.integers = {{2}}}, .gpu = kNoKernel}},
        {"DFT", {.recipe = {.tensors = {{1, 6, 1}}}, .gpu = kNoKernel}},
        {"DeformConv", {.recipe = {.floats = {{8, 4, 3, 3}, {1, 18, 4, 4}}}, .gpu = kNoKernel}},
        {"DepthToSpace", {.recipe = {.numbers = {{"blocksize", 2}}}, .gpu = kNoKernel}},
        {"DequantizeLinear", {.recipe = {.reals = {{0.5}}}, .gpu = kNoKernel}},
        {"Det", {.recipe = {.tensors = {{2, 3, 3}}}, .gpu = kNoKernel}},
        {"Div", {.recipe = kPair}},
        {"Dropout", {}},
        {"DynamicQuantizeLinear", {.recipe = {.outputs = 3}, .gpu = kNotReal}},
        {"Einsum", {.recipe = {.tensors = {{3, 4}, {4, 5}}, .texts = {{"equation", "ij,jk->ik"}}}, .gpu = kNoKernel}},
        {"Elu", {}},
        {"Equal", {.recipe = kPair, .gpu = kNotReal}},
        {"Erf", {.gpu = kNoKernel}},
        {"Exp", {.gpu = kNoKernel}},
        {"Expand", {.recipe = {.integers = {{2, 4, 6, 6}}}, .gpu = kNoKernel}},
        {"EyeLike", {.recipe = {.tensors = {{3, 4}}}, .gpu = kNoKernel}},
        {"Flatten", {}},
        {"Floor", {.gpu = kNoKernel}},
        {"GRU",
         {.recipe = {.tensors = {{2, 1, 4}}, .floats = {{1, 9, 4}, {1, 9, 3}}, .numbers = {{"hidden_size", 3}}},
          .gpu = kNoKernel}},
        {"Gather", {.recipe = {.integers = {{0}}}, .gpu = kNoKernel}},
        {"GatherElements", {.recipe = {.tensors = {{4}}, .integers = {{0, 2, 1}}}, .gpu = kNoKernel}},
        {"GatherND", {.recipe = {.integers = {{0}}}, .gpu = kNoKernel}},
        {"Gelu", {}},
        {"Gemm", {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}, {5}}}}},
        {"GlobalAveragePool", {}},
        {"GlobalLpPool", {.gpu = kNoKernel}},
        {"GlobalMaxPool", {}},
        {"Greater", {.recipe = kPair, .gpu = kNotReal}},
        {"GreaterOrEqual", {.recipe = kPair, .gpu = kNotReal}},
        {"GridSample", {.recipe = {.floats = {{1, 3, 2, 2}}}, .gpu = kNoKernel}},
        {"GroupNormalization", {.recipe = {.floats = {{4}, {4}}, .numbers = {{"num_groups", 2}}}, .gpu = kNoKernel}},
        {"HammingWindow", {.recipe = {.tensors = {}, .integers = {{5}}, .besideRelu = true}}},
        {"HannWindow", {.recipe = {.tensors = {}, .integers = {{5}}, .besideRelu = true}}},
        {"HardSigmoid", {}},
        {"HardSwish", {}},
        {"Hardmax", {.gpu = kNoKernel}},
        {"Identity", {}},
        {"InstanceNormalization", {.recipe = {.floats = {{4}, {4}}}, .gpu = kNoKernel}},
        {"IsInf", {.gpu = kNotReal}},
        {"IsNaN", {.gpu = kNotReal}},
        {"LRN", {.recipe = {.numbers = {{"size", 3}}}, .gpu = kNoKernel}},
        {"LSTM",
         {.recipe = {.tensors = {{2, 1, 4}}, .floats = {{1, 12, 4}, {1, 12, 3}}, .numbers = {{"hidden_size", 3}}},
          .gpu = kNoKernel}},
        {"LayerNormalization", {.recipe = {.floats = {{6}, {6}}}, .gpu = kNoKernel}},
        {"LeakyRelu", {}},
        {"Less", {.recipe = kPair, .gpu = kNotReal}},
        {"LessOrEqual", {.recipe = kPair, .gpu = kNotReal}},
        {"Log", {.gpu = kNoKernel}},
        {"LogSoftmax", {}},
        {"LpNormalization", {.gpu = kNoKernel}},
        {"LpPool", {.recipe = kWindow, .gpu = kNoKernel}},
        {"MatMul", {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}}}}},
        {"MatMulInteger", {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}}}, .gpu = kNotReal}},
        {"Max", {.recipe = kPair}},
        {"MaxPool", {.recipe = kWindow}},
        {"MaxRoiPool", {.recipe = {.floats = {{2, 5}}, .attributes = {{"pooled_shape", {2, 2}}}}, .gpu = kNoKernel}},
        {"MaxUnpool",
         {.recipe = {.tensors = {{1, 1, 2, 2}},
                     .integers = {{0, 3, 9, 15}},
                     .attributes = {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}}},
          .gpu = kNoKernel}},
        {"Mean", {.recipe = kPair, .gpu = kNoKernel}},
        {"MeanVarianceNormalization", {.gpu = kNoKernel}},
        {"Min", {.recipe = kPair}},
        {"Mish", {}},
        {"Mod", {.recipe = {.tensors = {kImage, kImage}, .numbers = {{"fmod", 1}}}, .gpu = kNoKernel}},
        {"Mul", {.recipe = kPair}},
        {"Neg", {.gpu = kNoKernel}},
        {"NegativeLogLikelihoodLoss", {.recipe = {.tensors = {{2, 3}}, .integers = {{0, 2}}}, .gpu = kNoKernel}},
        {"NonMaxSuppression", {.recipe = {.tensors = {{1, 6, 4}, {1, 1, 6}}, .integers = {{2}}}, .gpu = kNotReal}},
        {"NonZero", {.gpu = kNotReal}},
        {"Not", {.cpu = kNoKernelOfTypes, .gpu = kNotReal}},
        {"OneHot",
         {.recipe = {.tensors = {{3}}, .reals = {{0, 1}}, .integers = {{4}}, .order = {0, 2, 1}}, .gpu = kNoKernel}},
        {"Or", {.recipe = kPair, .cpu = kNoKernelOfTypes, .gpu = kNotReal}},
        {"PRelu", {.recipe = {.floats = {{4, 1, 1}}}}},
        {"Pad", {.recipe = {.integers = {{0, 0, 1, 1, 0, 0, 1, 1}}}, .gpu = kNoKernel}},
        {"Pow", {.recipe = kPair}},
        {"QLinearConv",
         {.recipe = {.floats = {{1}, {1}, {8, 4, 3, 3}, {1}, {1}, {1}, {1}}},
          .cpu = kNoKernelOfTypes,
          .gpu = kNoKernel}},
        {"QLinearMatMul",
         {.recipe = {.tensors = {{3, 4}}, .floats = {{1}, {1}, {4, 5}, {1}, {1}, {1}, {1}}},
          .cpu = kNoKernelOfTypes,
          .gpu = kNoKernel}},
        {"QuantizeLinear", {.recipe = {.reals = {{0.1F}}}, .gpu = kNotReal}},
        {"RMSNormalization", {.recipe = {.floats = {{6}}}, .gpu = kNoKernel}},
        {"RNN",
         {.recipe = {.tensors = {{2, 1, 4}}, .floats = {{1, 3, 4}, {1, 3, 3}}, .numbers = {{"hidden_size", 3}}},
          .gpu = kNoKernel}},
        {"Range", {.recipe = {.tensors = {}, .reals = {{1}, {5}, {2}}, .besideRelu = true}}},
        {"Reciprocal", {.gpu = kNoKernel}},
        {"ReduceL1", {.gpu = kNoKernel}},
        {"ReduceL2", {.gpu = kNoKernel}},
        {"ReduceLogSum", {.gpu = kNoKernel}},
        {"ReduceLogSumExp", {.gpu = kNoKernel}},
        {"ReduceMax", {.gpu = kNoKernel}},
        {"ReduceMean", {.gpu = kNoKernel}},
        {"ReduceMin", {.gpu = kNoKernel}},
        {"ReduceProd", {.gpu = kNoKernel}},
        {"ReduceSum", {.gpu = kNoKernel}},
        {"ReduceSumSquare", {.gpu = kNoKernel}},
        {"Relu", {}},
        {"Reshape", {.recipe = {.integers = {{1, -1}}}}},
        {"Resize", {.recipe = {.floats = {{0}}, .reals = {{1, 1, 2, 2}}}, .gpu = kNoKernel}},
        {"ReverseSequence", {.recipe = {.tensors = {{4, 2, 3}}, .integers = {{2, 4}}}, .gpu = kNoKernel}},
        {"RoiAlign",
         {.recipe = {.floats = {{1, 4}}, .integers = {{0}}, .numbers = {{"output_height", 2}, {"output_width", 3}}},
          .gpu = kNoKernel}},
        {"RotaryEmbedding",
         {.recipe = {.tensors = {{1, 2, 3, 4}}, .floats = {{1, 3, 2}, {1, 3, 2}}}, .gpu = kNoKernel}},
        {"Round", {.gpu = kNoKernel}},
        {"STFT",
         {.recipe = {.tensors = {{1, 12, 1}}, .floats = {{4}}, .integers = {{2}}, .order = {0, 2, 1}},
          .gpu = kNoKernel}},
        {"Scatter", {.recipe = {.tensors = {{4}, {2}}, .integers = {{2, 0}}, .order = {0, 2, 1}}, .gpu = kNoKernel}},
        {"ScatterElements",
         {.recipe = {.tensors = {{4}, {2}}, .integers = {{2, 0}}, .order = {0, 2, 1}}, .gpu = kNoKernel}},
        {"ScatterND", {.recipe = {.tensors = {{4}, {}}, .integers = {{2}}, .order = {0, 2, 1}}, .gpu = kNoKernel}},
        {"Selu", {.gpu = kNoKernel}},
        {"Shape", {.recipe = {.besideRelu = true}}},
        {"Shrink", {.gpu = kNoKernel}},
        {"Sigmoid", {}},
        {"Sign", {.gpu = kNoKernel}},
        {"Sin", {.gpu = kNoKernel}},
        {"Sinh", {.gpu = kNoKernel}},
        {"Size", {.recipe = {.besideRelu = true}}},
        {"Slice", {.recipe = {.integers = {{0, 1}, {1, 3}}}}},
        {"Softmax", {}},
        {"SoftmaxCrossEntropyLoss", {.recipe = {.tensors = {{2, 3}}, .integers = {{0, 2}}}, .gpu = kNoKernel}},
        {"Softplus", {.gpu = kNoKernel}},
        {"Softsign", {.gpu = kNoKernel}},
        {"SpaceToDepth", {.recipe = {.numbers = {{"blocksize", 2}}}, .gpu = kNoKernel}},
        {"Split", {.recipe = {.attributes = {{"split", {2, 2}}}, .numbers = {{"axis", 1}}, .outputs = 2}}},
        {"Sqrt", {.gpu = kNoKernel}},
        {"Squeeze", {.recipe = {.integers = {{0}}}}},
        {"Sub", {.recipe = kPair}},
        {"Sum", {.recipe = kPair}},
        {"Swish", {.gpu = kNoKernel}},
        {"Tan", {.gpu = kNoKernel}},
        {"Tanh", {}},
        {"TensorScatter", {.recipe = {.tensors = {{1, 4, 3}, {1, 2, 3}}, .integers = {{1}}}, .gpu = kNoKernel}},
        {"ThresholdedRelu", {.gpu = kNoKernel}},
        {"Tile", {.recipe = {.integers = {{1, 2, 1, 1}}}, .gpu = kNoKernel}},
        {"TopK", {.recipe = {.integers = {{2}}, .outputs = 2}, .gpu = kNotReal}},
        {"Transpose", {}},
        {"Trilu", {.gpu = kNoKernel}},
        {"Unique", {.recipe = {.tensors = {{6}}, .outputs = 4}, .gpu = kNotReal}},
        {"Unsqueeze", {.recipe = {.integers = {{0}}}}},
        {"Upsample", {.recipe = {.reals = {{1, 1, 2, 2}}}, .gpu = kNoKernel}},
        {"Where",
         {.recipe = {.tensors = {kImage, kImage}, .floats = {{4, 1, 1}}, .constantsFirst = true}, .gpu = kNoKernel}},
        {"Xor", {.recipe = kPair, .cpu = kNoKernelOfTypes, .gpu = kNotReal}},
        {"com.microsoft::BiasGelu", {.recipe = {.floats = {{6}}}, .gpu = kNoKernel}},
        {"com.microsoft::FastGelu", {.recipe = {.floats = {{6}}}, .gpu = kNoKernel}},
        {"com.microsoft::FusedConv",
         {.recipe = {.floats = {{8, 4, 3, 3}, {8}}, .texts = {{"activation", "Relu"}}}, .gpu = kNoKernel}},
        {"com.microsoft::FusedGemm",
         {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}, {5}}, .texts = {{"activation", "Tanh"}}},
          .gpu = kNoKernel}},
        {"com.microsoft::FusedMatMul",
         {.recipe = {.tensors = {{3, 4}}, .floats = {{5, 4}}, .numbers = {{"transB", 1}}}, .gpu = kNoKernel}},
        {"com.microsoft::Gelu", {.gpu = kNoKernel}},
        {"com.microsoft::MatMulIntegerToFloat",
         {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}, {1}, {1}}}, .gpu = kNoKernel}},
        {"com.microsoft::QGemm",
         {.recipe = {.tensors = {{3, 4}}, .floats = {{1}, {1}, {4, 5}, {1}, {1}, {5}, {1}, {1}}},
          .cpu = kNoKernelOfTypes,
          .gpu = kNoKernel}},
        {"com.microsoft::QLinearAdd",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}, {1}, {1}, {1}}}, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"com.microsoft::QLinearAveragePool",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}}, .attributes = {{"kernel_shape", {3, 3}}}},
          .cpu = kNoKernelOfTypes,
          .gpu = kNoKernel}},
        {"com.microsoft::QLinearConcat",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}}, .numbers = {{"axis", 1}}, .order = {1, 2, 0, 3, 4}},
          .cpu = kNoKernelOfTypes,
          .gpu = kNoKernel}},
        {"com.microsoft::QLinearGlobalAveragePool",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}}}, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"com.microsoft::QLinearLeakyRelu",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}}}, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"com.microsoft::QLinearMul",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}, {1}, {1}, {1}}}, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"com.microsoft::QLinearSigmoid",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}}}, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"com.microsoft::QLinearSoftmax",
         {.recipe = {.floats = {{1}, {1}, {1}, {1}}}, .cpu = kNoKernelOfTypes, .gpu = kNoKernel}},
        {"com.microsoft::QuickGelu", {.gpu = kNoKernel}},
        {"com.microsoft::SkipLayerNormalization",
         {.recipe = {.tensors = {{2, 3, 4}, {2, 3, 4}}, .floats = {{4}, {4}}}, .gpu = kNoKernel}},
        {"com.microsoft::SkipSimplifiedLayerNormalization",
         {.recipe = {.tensors = {{2, 3, 4}, {2, 3, 4}}, .floats = {{4}}}, .gpu = kNoKernel}},
    };
    return table;
}

std::string modelOf(const std::string &type, const Recipe &recipe)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    onnx::GraphProto &graph = *model.mutable_graph();
    graph.set_name("one");
    onnx::NodeProto &node = *graph.add_node();
    const std::size_t domain = type.find("::");
    node.set_op_type(domain == std::string::npos ? type : type.substr(domain + 2));
    if (domain != std::string::npos)
        node.set_domain(type.substr(0, domain));
    node.set_name("the operator");
    std::vector<std::string> tensors;
    std::vector<std::string> constants;
    for (const Dims &dims : recipe.tensors) {
        onnx::ValueInfoProto &input = *graph.add_input();
        input.set_name(tensors.emplace_back("x" + std::to_string(tensors.size())));
        auto &tensor = *input.mutable_type()->mutable_tensor_type();
        tensor.set_elem_type(onnx::TensorProto::FLOAT);
        tensor.mutable_shape(); // even for a scalar
        for (const std::int64_t dim : dims)
            tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    }
    const auto constant = [&](const Dims &dims) -> onnx::TensorProto & {
        onnx::TensorProto &weight = *graph.add_initializer();
        weight.set_name(constants.emplace_back("c" + std::to_string(constants.size())));
        for (const std::int64_t dim : dims)
            weight.add_dims(dim);
        return weight;
    };
    for (const Dims &dims : recipe.floats) {
        onnx::TensorProto &weight = constant(dims);
        weight.set_data_type(onnx::TensorProto::FLOAT);
        std::int64_t count = 1;
        for (const std::int64_t dim : dims)
            count *= dim;
        for (std::int64_t i = 0; i < count; ++i)
            weight.add_float_data(0.2F * static_cast<float>(1 + i % 5));
    }
    for (const std::vector<float> &values : recipe.reals) {
        onnx::TensorProto &weight = constant({static_cast<std::int64_t>(values.size())});
        weight.set_data_type(onnx::TensorProto::FLOAT);
        weight.mutable_float_data()->Add(values.begin(), values.end());
    }
    for (const Dims &values : recipe.integers) {
        onnx::TensorProto &weight = constant({static_cast<std::int64_t>(values.size())});
        weight.set_data_type(onnx::TensorProto::INT64);
        for (const std::int64_t value : values)
            weight.add_int64_data(value);
    }
    std::vector<std::string> names = recipe.constantsFirst ? constants : tensors;
    const auto &others = recipe.constantsFirst ? tensors : constants;
    names.insert(names.end(), others.begin(), others.end());
    for (std::size_t i = 0; i < names.size(); ++i)
        node.add_input(names[recipe.order.empty() ? i : recipe.order[i]]);
    for (const auto &[name, values] : recipe.attributes)
        addInts(node, name, values);
    for (const auto &[name, value] : recipe.numbers) {
        onnx::AttributeProto &attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(value);
    }
    for (const auto &[name, value] : recipe.texts) {
        onnx::AttributeProto &attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::STRING);
        attribute.set_s(value);
    }
    for (int i = 0; i < recipe.outputs; ++i) {
        const std::string name = "y" + std::to_string(i);
        node.add_output(name);
        graph.add_output()->set_name(name);
    }
    if (recipe.besideRelu) {
        onnx::ValueInfoProto &input = *graph.add_input();
        input.set_name("x");
        input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
        input.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(3);
        onnx::NodeProto &relu = *graph.add_node();
        relu.set_op_type("Relu");
        relu.add_input("x");
        relu.add_output("beside");
        graph.add_output()->set_name("beside");
    }
    return model.SerializeAsString();
}

} // namespace stagecraft::test
