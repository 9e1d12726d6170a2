// Every node type that the importer knows runs on cpu or is refused by name, so a type that is added without a kernel
// fails here. tests/app/tst_onnxruntime compares the outputs with ONNX Runtime.

#include "cpu/cpu_device.h"
#include "model/onnx/convert/convert.h"
#include "model/onnx_import.h"
#include "search/search.h"
#include "support/device_networks.h"
#include "support/refused_on_cpu.h"

#include <QTest>

#include <cmath>
#include <map>
#include <onnx/onnx_pb.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

using Dims = std::vector<std::int64_t>;

// A node. Its operands are float tensors, then constants; by default a single image.
struct Recipe {
    std::vector<Dims> tensors{{1, 4, 6, 6}};
    std::vector<Dims> floats{};               // constants by their shapes
    std::vector<Dims> integers{};             // constants with one axis by their values, after `floats`
    std::map<std::string, Dims> attributes{}; // lists
    std::map<std::string, std::int64_t> numbers{};
    std::map<std::string, std::string> texts{};
    int outputs = 1;
    bool constantsFirst = false;
    bool besideRelu = false;
    std::vector<std::size_t> order{}; // of the operands, tensors first; empty: as listed
};

const std::map<std::string, Recipe> &recipes()
{
    static const std::map<std::string, Recipe> table = [] {
        const Dims image{1, 4, 6, 6};
        const Recipe pair{{image, image}};
        const Recipe window{.attributes = {{"kernel_shape", {3, 3}}}};
        std::map<std::string, Recipe> recipe{
            {"Conv", {.floats = {{8, 4, 3, 3}, {8}}}},
            {"ConvTranspose", {.floats = {{4, 8, 3, 3}, {8}}}},
            {"MaxPool", window},
            {"AveragePool", window},
            {"LpPool", window},
            {"BatchNormalization", {.tensors = {{3, 4}}, .floats = {{4}, {4}, {4}, {4}}}},
            {"MatMul", {.tensors = {{3, 4}}, .floats = {{4, 5}}}},
            {"Gemm", {.tensors = {{3, 4}}, .floats = {{4, 5}, {5}}}},
            {"PRelu", {.floats = {{4, 1, 1}}}},
            {"Where", {.tensors = {image, image}, .floats = {{4, 1, 1}}, .constantsFirst = true}},
            {"Mod", {.tensors = {image, image}, .numbers = {{"fmod", 1}}}},
            {"Slice", {.integers = {{0, 1}, {1, 3}}}},
            {"Gather", {.integers = {{0}}}},
            {"Split", {.attributes = {{"split", {2, 2}}}, .numbers = {{"axis", 1}}, .outputs = 2}},
            {"Pad", {.integers = {{0, 0, 1, 1, 0, 0, 1, 1}}}},
            {"Resize", {.floats = {{0}, {4}}}},
            {"Upsample", {.floats = {{4}}}},
            {"Expand", {.integers = {{2, 4, 6, 6}}}},
            {"Tile", {.integers = {{1, 2, 1, 1}}}},
            {"DepthToSpace", {.numbers = {{"blocksize", 2}}}},
            {"SpaceToDepth", {.numbers = {{"blocksize", 2}}}},
            {"Reshape", {.integers = {{1, -1}}}},
            {"Squeeze", {.integers = {{0}}}},
            {"Unsqueeze", {.integers = {{0}}}},
            {"Concat", {.tensors = {image, image}, .numbers = {{"axis", 1}}}},
            {"Cast", {.numbers = {{"to", onnx::TensorProto::FLOAT}}}},
            {"LRN", {.numbers = {{"size", 3}}}},
            {"InstanceNormalization", {.floats = {{4}, {4}}}},
            {"LayerNormalization", {.floats = {{6}, {6}}}},
            {"GroupNormalization", {.floats = {{4}, {4}}, .numbers = {{"num_groups", 2}}}},
            {"ConvInteger", {.floats = {{8, 4, 3, 3}}}},
            {"QLinearConv", {.floats = {{1}, {1}, {8, 4, 3, 3}}}},
            {"MatMulInteger", {.tensors = {{3, 4}}, .floats = {{4, 5}}}},
            {"TopK", {.integers = {{2}}, .outputs = 2}},
        };
        for (const char *type : {"Add", "Sum", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Mean"})
            recipe.emplace(type, pair);
        for (const char *type : {"LSTM", "GRU", "RNN"})
            recipe.emplace(type, Recipe{.tensors = {{2, 1, 4}}, .numbers = {{"hidden_size", 3}}});
        return recipe;
    }();
    return table;
}

void addInts(onnx::NodeProto &node, const std::string &name, const Dims &values)
{
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values)
        attribute.add_ints(value);
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
            weight.add_float_data(1);
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

// Executes the node; returns an error of any step.
Result<std::vector<HostTensor>> execute(const std::string &type, const Recipe &recipe)
{
    auto source = importOnnxBytes(modelOf(type, recipe), "one", {});
    if (!source)
        qFatal("%s is not imported: %s", type.c_str(), source.error().message.c_str());
    const auto graph = std::make_shared<Graph>(std::move(source->graph));
    auto session = makeCpuDevice()->open(graph);
    if (!session)
        return tl::unexpected(session.error());
    std::vector<HostTensor> inputs;
    for (const TensorId id : graph->inputs()) {
        const Tensor &tensor = graph->tensor(id);
        HostTensor &input = inputs.emplace_back(HostTensor{tensor.name, tensor.shape, {}});
        for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
            input.values.push_back(0.1F + 0.8F * static_cast<float>(i % 13) / 13);
    }
    return runOn(**session, sequentialSchedule(*graph, oneBlock(*graph)), inputs, {});
}

} // namespace

Q_DECLARE_METATYPE(Recipe)

class TestEveryOperator : public QObject {
    Q_OBJECT

private slots:
    void run_anyKnownType_executesOrIsRefusedByName_data();
    void run_anyKnownType_executesOrIsRefusedByName();
    void refusedTypes_all_areKnown();
    void run_formWithoutKernel_isRefusedByName_data();
    void run_formWithoutKernel_isRefusedByName();
    void run_operandsAllConstant_executesOrIsRefusedByName_data();
    void run_operandsAllConstant_executesOrIsRefusedByName();
    void run_unknownAttribute_isRefusedByName_data();
    void run_unknownAttribute_isRefusedByName();
    void run_vectorsAndNumbers_equalImages_data();
    void run_vectorsAndNumbers_equalImages();
};

void TestEveryOperator::run_anyKnownType_executesOrIsRefusedByName_data()
{
    QTest::addColumn<QString>("type");
    for (const std::string &type : knownNodeTypes())
        QTest::newRow(type.c_str()) << QString::fromStdString(type);
}

void TestEveryOperator::run_anyKnownType_executesOrIsRefusedByName()
{
    QFETCH(QString, type);
    const auto recipe = recipes().find(type.toStdString());
    const auto outputs = execute(type.toStdString(), recipe == recipes().end() ? Recipe{} : recipe->second);
    if (kRefusedOnCpu.contains(type.toStdString())) {
        QVERIFY2(!outputs, "it runs: take it off the list of what is refused");
        QVERIFY(outputs.error().code == ErrorCode::InvalidInput);
        QVERIFY(!outputs.error().context.empty());
        QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
        return;
    }
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const HostTensor &output = (*outputs)[i];
        QCOMPARE(output.name, "y" + std::to_string(i));
        QVERIFY(!output.values.empty());
        QVERIFY(std::ranges::all_of(output.values, [](float value) { return std::isfinite(value); }));
    }
}

void TestEveryOperator::refusedTypes_all_areKnown()
{
    const auto known = knownNodeTypes();
    for (const std::string &type : kRefusedOnCpu)
        QVERIFY2(std::ranges::find(known, type) != known.end(), type.c_str());
}

void TestEveryOperator::run_formWithoutKernel_isRefusedByName_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<Recipe>("recipe");
    QTest::addColumn<QString>("expected");
    QTest::newRow("convolution of a line") << "Conv" << Recipe{.tensors = {{1, 4, 6}}, .floats = {{8, 4, 3}}}
                                           << "cpu has no kernel for this operator of type Conv";
    QTest::newRow("places of maxima") << "MaxPool" << Recipe{.attributes = {{"kernel_shape", {3, 3}}}, .outputs = 2}
                                      << "tensor y1 is int64; cpu executes float32";
    QTest::newRow("statistics of the batch")
        << "BatchNormalization" << Recipe{.tensors = {{3, 4}}, .floats = {{4}, {4}, {4}, {4}}, .outputs = 5}
        << "cpu has no kernel for this operator of type BatchNormalization with 5 outputs";
    QTest::newRow("mask") << "Dropout" << Recipe{.outputs = 2} << "tensor y1 is bool; cpu executes float32";
    QTest::newRow("mean of a layer") << "LayerNormalization" << Recipe{.floats = {{6}, {6}}, .outputs = 2}
                                     << "cpu has no kernel for this operator of type LayerNormalization with 2 outputs";
    QTest::newRow("cubic") << "Resize" << Recipe{.floats = {{0}, {4}}, .texts = {{"mode", "cubic"}}}
                           << "cpu has no kernel for a Resize of mode cubic, half_pixel";
    QTest::newRow("smoothed") << "Resize" << Recipe{.floats = {{0}, {4}}, .numbers = {{"antialias", 1}}}
                              << "cpu has no kernel for a Resize that smooths or keeps the aspect ratio";
    QTest::newRow("padding of an unknown kind")
        << "Pad" << Recipe{.integers = {{0, 0, 1, 1, 0, 0, 1, 1}}, .texts = {{"mode", "mirror"}}}
        << "cpu has no kernel for this form of Pad";
    QTest::newRow("no axes") << "ReduceMax" << Recipe{.numbers = {{"noop_with_empty_axes", 1}}}
                             << "cpu has no kernel for this form of ReduceMax";
    QTest::newRow("computed fill") << "Pad"
                                   << Recipe{.tensors = {{1, 4, 6, 6}, {}},
                                             .integers = {{0, 0, 1, 1, 0, 0, 1, 1}},
                                             .order = {0, 2, 1}}
                                   << "cpu has no kernel for a Pad whose value is computed";
    QTest::newRow("computed bias") << "LayerNormalization"
                                   << Recipe{.tensors = {{1, 4, 6, 6}, {6}}, .floats = {{6}}, .order = {0, 2, 1}}
                                   << "cpu has no kernel for this operator of type LayerNormalization";
    QTest::newRow("nothing left") << "Slice" << Recipe{.integers = {{9}, {12}, {3}}}
                                  << "tensor y0 has no values (1x4x6x0), which cpu does not execute";
    QTest::newRow("unknown order of blocks")
        << "SpaceToDepth" << Recipe{.numbers = {{"blocksize", 2}}, .texts = {{"mode", "RCD"}}}
        << "cpu has no kernel for a SpaceToDepth of mode RCD";
    QTest::newRow("index outside") << "Gather" << Recipe{.integers = {{7}}} << "it reads outside its input";
    QTest::newRow("remainder of integers")
        << "Mod" << Recipe{.tensors = {{3, 4}, {3, 4}}} << "cpu has no kernel for this operator of type Mod";
}

void TestEveryOperator::run_formWithoutKernel_isRefusedByName()
{
    QFETCH(QString, type);
    QFETCH(Recipe, recipe);
    QFETCH(QString, expected);
    const auto outputs = execute(type.toStdString(), recipe);
    QVERIFY(!outputs && outputs.error().code == ErrorCode::InvalidInput);
    QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
    QCOMPARE(QString::fromStdString(outputs.error().message), expected);
}

// Adds an operator with work to do: a graph with only constants cannot be opened.
void TestEveryOperator::run_operandsAllConstant_executesOrIsRefusedByName_data()
{
    run_anyKnownType_executesOrIsRefusedByName_data();
}

void TestEveryOperator::run_operandsAllConstant_executesOrIsRefusedByName()
{
    QFETCH(QString, type);
    const auto known = recipes().find(type.toStdString());
    Recipe recipe = known == recipes().end() ? Recipe{} : known->second;
    recipe.floats.insert(recipe.floats.begin(), recipe.tensors.begin(), recipe.tensors.end());
    recipe.tensors.clear();
    recipe.besideRelu = true;
    const auto outputs = execute(type.toStdString(), recipe);
    if (!outputs) {
        QVERIFY2(outputs.error().code == ErrorCode::InvalidInput, outputs.error().message.c_str());
        QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
        return;
    }
    for (const HostTensor &output : *outputs)
        QVERIFY(std::ranges::all_of(output.values, [](float value) { return std::isfinite(value); }));
}

void TestEveryOperator::run_unknownAttribute_isRefusedByName_data()
{
    QTest::addColumn<QString>("type");
    for (const std::string &type : knownNodeTypes()) {
        if (!kRefusedOnCpu.contains(type))
            QTest::newRow(type.c_str()) << QString::fromStdString(type);
    }
    for (const char *type : {"Relu", "Asin", "Shrink", "Sinh"})
        QTest::addRow("%s, by name", type) << type;
}

void TestEveryOperator::run_unknownAttribute_isRefusedByName()
{
    QFETCH(QString, type);
    const auto known = recipes().find(type.toStdString());
    Recipe recipe = known == recipes().end() ? Recipe{} : known->second;
    recipe.numbers["of_a_later_opset"] = 1;
    const auto outputs = execute(type.toStdString(), recipe);
    QVERIFY2(!outputs, "it runs as if the attribute were not there");
    QVERIFY(outputs.error().code == ErrorCode::InvalidInput);
    QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
    QVERIFY2(outputs.error().message.find("of_a_later_opset") != std::string::npos, outputs.error().message.c_str());
}

void TestEveryOperator::run_vectorsAndNumbers_equalImages_data()
{
    QTest::addColumn<QString>("type");
    for (const char *type : {"Relu",
                             "LeakyRelu",
                             "Sigmoid",
                             "Tanh",
                             "HardSwish",
                             "HardSigmoid",
                             "Elu",
                             "Gelu",
                             "Selu",
                             "Celu",
                             "Softplus",
                             "Softsign",
                             "Mish",
                             "Clip",
                             "Abs",
                             "Neg",
                             "Exp",
                             "Erf",
                             "Sin",
                             "Floor",
                             "Sqrt",
                             "Identity",
                             "ThresholdedRelu",
                             "Reciprocal",
                             "Shrink",
                             "Atan"})
        QTest::newRow(type) << type;
}

void TestEveryOperator::run_vectorsAndNumbers_equalImages()
{
    QFETCH(QString, type);
    const auto expected = execute(type.toStdString(), Recipe{.tensors = {{1, 2, 3, 2}}});
    QVERIFY(expected);
    for (const Dims &dims : {Dims{12}, Dims{3, 4}, Dims{2, 3, 2}, Dims{1, 2, 1, 3, 2}, Dims{1, 2, 1, 3, 1, 2}}) {
        const auto outputs = execute(type.toStdString(), Recipe{.tensors = {dims}});
        QVERIFY(outputs);
        QCOMPARE(outputs->front().shape.dims, dims);
        for (std::size_t i = 0; i < 12; ++i)
            QVERIFY(std::abs(outputs->front().values[i] - expected->front().values[i]) < 1e-6F);
    }
    const auto number = execute(type.toStdString(), Recipe{.tensors = {{}}});
    QVERIFY(number && number->front().shape.dims.empty());
    QVERIFY(std::abs(number->front().values[0] - expected->front().values[0]) < 1e-6F);
}

QTEST_GUILESS_MAIN(TestEveryOperator)
#include "tst_every_operator.moc"
