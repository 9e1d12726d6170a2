#include "support/operator_rows.h"

#include <onnx/onnx_pb.h>

namespace stagecraft::test {
namespace {

const Dims kImage{1, 4, 6, 6};
const Recipe kPair{{kImage, kImage}};
// Why a device refuses: the type, or what it reads or makes.
const char *const kNoKernel = "has no kernel";
const char *const kNotReal = "float32";

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
        {"Add", {.recipe = kPair}},
        {"And", {.cpu = kNotReal, .gpu = kNotReal}},
        {"ArgMax", {.cpu = kNotReal, .gpu = kNotReal}},
        {"ArgMin", {.cpu = kNotReal, .gpu = kNotReal}},
        {"Asin", {.gpu = kNoKernel}},
        {"Atan", {.gpu = kNoKernel}},
        {"AveragePool", {.recipe = kWindow}},
        {"BatchNormalization", {.recipe = {.tensors = {{3, 4}}, .floats = {{4}, {4}, {4}, {4}}}}},
        {"BitShift", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Cast", {.recipe = {.numbers = {{"to", onnx::TensorProto::FLOAT}}}}},
        {"CastLike", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Ceil", {.gpu = kNoKernel}},
        {"Celu", {.gpu = kNoKernel}},
        {"Clip", {.gpu = kNoKernel}},
        {"Concat", {.recipe = {.tensors = {kImage, kImage}, .numbers = {{"axis", 1}}}}},
        {"Conv", {.recipe = {.floats = {{8, 4, 3, 3}, {8}}}}},
        {"ConvInteger", {.recipe = {.floats = {{8, 4, 3, 3}}}, .cpu = kNoKernel, .gpu = kNoKernel}},
        {"ConvTranspose", {.recipe = {.floats = {{4, 8, 3, 3}, {8}}}, .gpu = kNoKernel}},
        {"Cos", {.gpu = kNoKernel}},
        {"Cosh", {.gpu = kNoKernel}},
        {"CumSum", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"DepthToSpace", {.recipe = {.numbers = {{"blocksize", 2}}}, .gpu = kNoKernel}},
        {"DequantizeLinear", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Div", {.recipe = kPair}},
        {"Dropout", {}},
        {"DynamicQuantizeLinear", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Elu", {}},
        {"Equal", {.cpu = kNotReal, .gpu = kNotReal}},
        {"Erf", {.gpu = kNoKernel}},
        {"Exp", {.gpu = kNoKernel}},
        {"Expand", {.recipe = {.integers = {{2, 4, 6, 6}}}, .gpu = kNoKernel}},
        {"EyeLike", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Flatten", {}},
        {"Floor", {.gpu = kNoKernel}},
        {"GRU",
         {.recipe = {.tensors = {{2, 1, 4}}, .numbers = {{"hidden_size", 3}}}, .cpu = kNoKernel, .gpu = kNoKernel}},
        {"Gather", {.recipe = {.integers = {{0}}}, .gpu = kNoKernel}},
        {"GatherElements", {.recipe = {.tensors = {{4}}, .integers = {{0, 2, 1}}}, .cpu = kNoKernel, .gpu = kNoKernel}},
        {"Gelu", {}},
        {"Gemm", {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}, {5}}}}},
        {"GlobalAveragePool", {}},
        {"GlobalLpPool", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"GlobalMaxPool", {}},
        {"Greater", {.cpu = kNotReal, .gpu = kNotReal}},
        {"GreaterOrEqual", {.cpu = kNotReal, .gpu = kNotReal}},
        {"GroupNormalization", {.recipe = {.floats = {{4}, {4}}, .numbers = {{"num_groups", 2}}}, .gpu = kNoKernel}},
        {"HardSigmoid", {}},
        {"HardSwish", {}},
        {"Hardmax", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Identity", {}},
        {"InstanceNormalization", {.recipe = {.floats = {{4}, {4}}}, .gpu = kNoKernel}},
        {"IsInf", {.cpu = kNotReal, .gpu = kNotReal}},
        {"IsNaN", {.cpu = kNotReal, .gpu = kNotReal}},
        {"LRN", {.recipe = {.numbers = {{"size", 3}}}, .gpu = kNoKernel}},
        {"LSTM",
         {.recipe = {.tensors = {{2, 1, 4}}, .numbers = {{"hidden_size", 3}}}, .cpu = kNoKernel, .gpu = kNoKernel}},
        {"LayerNormalization", {.recipe = {.floats = {{6}, {6}}}, .gpu = kNoKernel}},
        {"LeakyRelu", {}},
        {"Less", {.cpu = kNotReal, .gpu = kNotReal}},
        {"LessOrEqual", {.cpu = kNotReal, .gpu = kNotReal}},
        {"Log", {.gpu = kNoKernel}},
        {"LogSoftmax", {}},
        {"LpNormalization", {.gpu = kNoKernel}},
        {"LpPool", {.recipe = kWindow, .cpu = kNoKernel, .gpu = kNoKernel}},
        {"MatMul", {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}}}}},
        {"MatMulInteger", {.recipe = {.tensors = {{3, 4}}, .floats = {{4, 5}}}, .cpu = kNoKernel, .gpu = kNoKernel}},
        {"Max", {.recipe = kPair}},
        {"MaxPool", {.recipe = kWindow}},
        {"Mean", {.recipe = kPair, .gpu = kNoKernel}},
        {"MeanVarianceNormalization", {.gpu = kNoKernel}},
        {"Min", {.recipe = kPair}},
        {"Mish", {.gpu = kNoKernel}},
        {"Mod", {.recipe = {.tensors = {kImage, kImage}, .numbers = {{"fmod", 1}}}, .gpu = kNoKernel}},
        {"Mul", {.recipe = kPair}},
        {"Neg", {.gpu = kNoKernel}},
        {"Not", {.cpu = kNotReal, .gpu = kNotReal}},
        {"Or", {.cpu = kNotReal, .gpu = kNotReal}},
        {"PRelu", {.recipe = {.floats = {{4, 1, 1}}}}},
        {"Pad", {.recipe = {.integers = {{0, 0, 1, 1, 0, 0, 1, 1}}}, .gpu = kNoKernel}},
        {"Pow", {.recipe = kPair}},
        {"QLinearConv", {.recipe = {.floats = {{1}, {1}, {8, 4, 3, 3}}}, .cpu = kNoKernel, .gpu = kNoKernel}},
        {"QuantizeLinear", {.cpu = kNotReal, .gpu = kNotReal}},
        {"RNN",
         {.recipe = {.tensors = {{2, 1, 4}}, .numbers = {{"hidden_size", 3}}}, .cpu = kNoKernel, .gpu = kNoKernel}},
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
        {"ReverseSequence", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Round", {.gpu = kNoKernel}},
        {"ScatterElements", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"ScatterND", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Selu", {.gpu = kNoKernel}},
        {"Shrink", {.gpu = kNoKernel}},
        {"Sigmoid", {}},
        {"Sign", {.gpu = kNoKernel}},
        {"Sin", {.gpu = kNoKernel}},
        {"Sinh", {.gpu = kNoKernel}},
        {"Slice", {.recipe = {.integers = {{0, 1}, {1, 3}}}}},
        {"Softmax", {}},
        {"Softplus", {.gpu = kNoKernel}},
        {"Softsign", {.gpu = kNoKernel}},
        {"SpaceToDepth", {.recipe = {.numbers = {{"blocksize", 2}}}, .gpu = kNoKernel}},
        {"Split", {.recipe = {.attributes = {{"split", {2, 2}}}, .numbers = {{"axis", 1}}, .outputs = 2}}},
        {"Sqrt", {.gpu = kNoKernel}},
        {"Squeeze", {.recipe = {.integers = {{0}}}}},
        {"Sub", {.recipe = kPair}},
        {"Sum", {.recipe = kPair}},
        {"Tan", {.gpu = kNoKernel}},
        {"Tanh", {}},
        {"ThresholdedRelu", {.gpu = kNoKernel}},
        {"Tile", {.recipe = {.integers = {{1, 2, 1, 1}}}, .gpu = kNoKernel}},
        {"TopK", {.recipe = {.integers = {{2}}, .outputs = 2}, .cpu = kNotReal, .gpu = kNotReal}},
        {"Transpose", {}},
        {"Trilu", {.cpu = kNoKernel, .gpu = kNoKernel}},
        {"Unsqueeze", {.recipe = {.integers = {{0}}}}},
        {"Upsample", {.recipe = {.reals = {{1, 1, 2, 2}}}, .gpu = kNoKernel}},
        {"Where",
         {.recipe = {.tensors = {kImage, kImage}, .floats = {{4, 1, 1}}, .constantsFirst = true}, .gpu = kNoKernel}},
        {"Xor", {.cpu = kNotReal, .gpu = kNotReal}},
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
    node.set_op_type(type);
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
