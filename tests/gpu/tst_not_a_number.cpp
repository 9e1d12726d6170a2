// What is no number stays so, or becomes the number that ONNX Runtime makes of it, on every path: where constants are
// folded, on cpu (oneDNN's kernels and our own), in the kernels of the GPU, executed on the host. Exported projects
// have the code of these devices: tst_export_cpp.

#include "host_device.h"

#include "device/cpu/cpu_device.h"
#include "device/executing/session_steps.h"
#include "model/onnx/file/node.h"
#include "model/onnx_import.h"
#include "operators/kernels/kernel.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/formed_units.h"
#include "support/onnx_nodes.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <map>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_not_a_number {

namespace {

using Dims = std::vector<std::int64_t>;
using Floats = std::vector<float>;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
const Dims kImage{1, 2, 4, 4};

// A chain of nodes from the inputs x, which has some, and z, which has none.
struct Row {
    std::function<void(onnx::GraphProto &)> nodes; // the last one makes y
    bool hasGpuKernel = true;
};

Floats valuesOf(const std::string &input)
{
    Floats values;
    for (int i = 0; i < 32; ++i)
        values.push_back(input == "x" && (i == 5 || i == 17) ? kNone : static_cast<float>(i % 7) - 2.5F);
    if (input == "z")
        std::ranges::fill(values, 0.5F);
    return values;
}

Row function(const std::string &type, bool hasGpuKernel = true)
{
    return {[=](onnx::GraphProto &graph) { addNode(graph, type, {"x"}, {"y"}); }, hasGpuKernel};
}

Row pairOf(const std::string &type, const std::vector<std::string> &reads)
{
    return {[=](onnx::GraphProto &graph) { addNode(graph, type, reads, {"y"}); }};
}

Row clip(float low, float high, bool hasGpuKernel)
{
    return {[=](onnx::GraphProto &graph) {
                addFloats(graph, "low", {}, {low});
                addFloats(graph, "high", {}, {high});
                addNode(graph, "Clip", {"x", "low", "high"}, {"y"});
            },
            hasGpuKernel};
}

Row pool(std::int64_t kernel, std::int64_t stride, std::int64_t pad)
{
    return {[=](onnx::GraphProto &graph) {
        auto &node = addNode(graph, "MaxPool", {"x"}, {"y"});
        setIntegers(node, "kernel_shape", {kernel, kernel});
        setIntegers(node, "strides", {stride, stride});
        setIntegers(node, "pads", {pad, pad, pad, pad});
    }};
}

// `with`: makes c of x; then an activation.
Row activated(const std::function<void(onnx::GraphProto &)> &with, const std::string &type, bool hasGpuKernel = true)
{
    return {[=](onnx::GraphProto &graph) {
                with(graph);
                if (type == "Clip") {
                    addFloats(graph, "low", {}, {0});
                    addFloats(graph, "high", {}, {6});
                }
                addNode(graph, type,
                        type == "Clip" ? std::vector<std::string>{"c", "low", "high"} : std::vector<std::string>{"c"},
                        {"y"});
            },
            hasGpuKernel};
}

void convolve(onnx::GraphProto &graph)
{
    Floats weights;
    for (int i = 0; i < 3 * 2 * 3 * 3; ++i)
        weights.push_back(static_cast<float>(i % 5) - 2.2F);
    addFloats(graph, "w", {3, 2, 3, 3}, weights);
    setIntegers(addNode(graph, "Conv", {"x", "w"}, {"c"}), "pads", {1, 1, 1, 1});
}

void convolveTransposed(onnx::GraphProto &graph)
{
    addFloats(graph, "w", {2, 2, 2, 2}, Floats(16, -0.5F));
    addNode(graph, "ConvTranspose", {"x", "w"}, {"c"});
}

void multiply(onnx::GraphProto &graph)
{
    addFloats(graph, "w", {4, 3}, {1, -1, 2, 0.5F, -2, 1, 1, 1, -3, 2, 0, 1});
    addNode(graph, "MatMul", {"x", "w"}, {"c"});
}

void addBoth(onnx::GraphProto &graph)
{
    addNode(graph, "Add", {"x", "z"}, {"c"});
}

std::map<std::string, Row> rows()
{
    std::map<std::string, Row> all;
    for (const char *type : {"Relu", "LeakyRelu", "HardSigmoid", "HardSwish", "Sigmoid", "Tanh", "Elu", "Softmax",
                             "LogSoftmax", "GlobalMaxPool"})
        all[type] = function(type);
    for (const char *type : {"Sign", "Abs", "Exp", "Softplus", "Selu", "ReduceMax", "ReduceMin", "ReduceLogSumExp"})
        all[type] = function(type, false);
    for (const char *type : {"Max", "Min", "Add", "Mul"}) {
        all[std::string(type) + " of x and z"] = pairOf(type, {"x", "z"});
        all[std::string(type) + " of z and x"] = pairOf(type, {"z", "x"});
    }
    all["Max of three"] = pairOf("Max", {"z", "x", "z"});
    all["Clip to 0 and 6"] = clip(0, 6, true);
    all["Clip to -1 and 1"] = clip(-1, 1, false);
    all["Clip to no number"] = clip(kNone, 1, false);
    all["MaxPool"] = pool(2, 2, 0);
    all["MaxPool, padded"] = pool(3, 1, 1);
    for (const char *type : {"Relu", "Clip", "HardSigmoid", "LeakyRelu", "Sigmoid", "Elu", "HardSwish"}) {
        all[std::string("Conv, ") + type] = activated(convolve, type);
        all[std::string("MatMul, ") + type] = activated(multiply, type);
    }
    all["ConvTranspose, Relu"] = activated(convolveTransposed, "Relu", false);
    all["Add, Relu"] = activated(addBoth, "Relu");
    return all;
}

std::string modelOf(const Row &row)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(14);
    onnx::GraphProto &graph = *model.mutable_graph();
    graph.set_name("net");
    row.nodes(graph);
    for (const char *input : {"x", "z"}) {
        const auto reads = [&](const auto &node) { return std::ranges::count(node.input(), input) > 0; };
        if (std::ranges::any_of(graph.node(), reads))
            describe(*graph.add_input(), input, onnx::TensorProto::FLOAT, kImage);
    }
    graph.add_output()->set_name("y");
    return model.SerializeAsString();
}

// What the program's own definition makes of constants.
Result<Floats> folded(const std::string &bytes)
{
    onnx::ModelProto model;
    if (!model.ParseFromString(bytes))
        qFatal("not a model");
    std::map<std::string, std::shared_ptr<const Constant>> values;
    for (const auto &initializer : model.graph().initializer())
        values[initializer.name()] = std::make_shared<const Constant>(*decodeTensor(initializer, {}));
    for (const auto &input : model.graph().input())
        values[input.name()] = std::make_shared<const Constant>(floatConstant(kImage, valuesOf(input.name())));
    for (const auto &proto : model.graph().node()) {
        NodeFacts node;
        node.type = typeOf(proto);
        node.opset = 14;
        node.attributes = attributesOf(proto);
        for (const std::string &name : proto.input())
            node.inputs.emplace_back(
                OperandFacts{{}, Shape{values.at(name)->dims}, DataType::Float32, values.at(name), nullptr});
        TRY_AS(auto made, evaluate(node));
        values[proto.output(0)] = std::make_shared<const Constant>(std::move(made.front()));
    }
    return *values.at("y")->asFloats();
}

std::shared_ptr<const Graph> graphOf(const std::string &bytes)
{
    auto source = importOnnxBytes(bytes, "net", {});
    if (!source)
        qFatal("%s", source.error().message.c_str());
    auto formed = formedUnits(std::move(source->graph), source->keptApart);
    if (!formed)
        qFatal("%s", formed.error().message.c_str());
    return std::make_shared<const Graph>(std::move(*formed));
}

std::vector<HostTensor> inputsOf(const Graph &graph)
{
    std::vector<HostTensor> inputs;
    for (const TensorId id : graph.inputs())
        inputs.push_back({graph.tensor(id).name, graph.tensor(id).shape, valuesOf(graph.tensor(id).name)});
    return inputs;
}

bool equals(const Floats &made, const Floats &expected)
{
    return std::ranges::equal(made, expected, [](float a, float b) {
        return std::isnan(b) ? std::isnan(a) : std::abs(a - b) <= 1e-4F * std::max(1.0F, std::abs(b));
    });
}

QString text(const Floats &values)
{
    QStringList items;
    for (const float value : values)
        items << QString::number(static_cast<double>(value));
    return items.join(' ');
}

} // namespace

class TestNotANumber : public QObject {
    Q_OBJECT

private slots:
    void run_notANumber_isTheSameOnEveryPath_data();
    void run_notANumber_isTheSameOnEveryPath();
    void evaluate_notANumber_isWhatOnnxRuntimeMakesOfIt_data();
    void evaluate_notANumber_isWhatOnnxRuntimeMakesOfIt();
};

void TestNotANumber::run_notANumber_isTheSameOnEveryPath_data()
{
    QTest::addColumn<QString>("name");
    for (const auto &[name, row] : rows())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestNotANumber::run_notANumber_isTheSameOnEveryPath()
{
    QFETCH(const QString, name);
    const Row row = rows().at(name.toStdString());
    const std::string bytes = modelOf(row);
    const auto expected = folded(bytes);
    QVERIFY2(expected, expected ? "" : expected.error().message.c_str());
    if (!name.startsWith("Clip to no number"))
        QVERIFY(std::ranges::any_of(*expected, [](float value) { return std::isnan(value); }));

    const auto graph = graphOf(bytes);
    const Schedule schedule = sequentialSchedule(*graph, oneBlock(*graph));
    auto session = makeCpuDevice()->open(graph);
    QVERIFY2(session, session ? "" : session.error().message.c_str());
    const auto onCpu = runOn(**session, schedule, inputsOf(*graph), {});
    QVERIFY2(onCpu, onCpu ? "" : onCpu.error().message.c_str());
    QVERIFY2(equals(onCpu->front().values, *expected),
             qPrintable("cpu: " + text(onCpu->front().values) + "; defined: " + text(*expected)));

    for (const auto layout : {gpu::TensorLayout::RowMajor, gpu::TensorLayout::ChannelsLast}) {
        const auto onGpu = runOnHost(graph, schedule.stages, hostOptions(layout), inputsOf(*graph));
        QVERIFY2(onGpu.has_value() == row.hasGpuKernel, onGpu ? "it has a kernel" : onGpu.error().message.c_str());
        if (onGpu)
            QVERIFY2(equals(onGpu->front().values, *expected),
                     qPrintable("gpu: " + text(onGpu->front().values) + "; defined: " + text(*expected)));
    }
}

// Of no number, -2 and 0.5, as ONNX Runtime 1.32 has it. It keeps one in a MaxPool only where it is the last in its
// window; PyTorch and this program always do.
void TestNotANumber::evaluate_notANumber_isWhatOnnxRuntimeMakesOfIt_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<float>("made");
    for (const char *type : {"Relu", "Sign", "HardSigmoid", "LeakyRelu", "Elu", "Selu", "Celu", "Softplus", "Softsign",
                             "HardSwish", "Sigmoid", "Tanh", "Mish", "Gelu", "Abs", "Erf"})
        QTest::newRow(type) << type << kNone;
    QTest::newRow("Shrink") << "Shrink" << 0.0F;
    QTest::newRow("ThresholdedRelu") << "ThresholdedRelu" << 0.0F;
}

void TestNotANumber::evaluate_notANumber_isWhatOnnxRuntimeMakesOfIt()
{
    QFETCH(const QString, type);
    QFETCH(const float, made);
    NodeFacts node;
    node.type = type.toStdString();
    const auto constant = std::make_shared<const Constant>(floatConstant({1}, {kNone}));
    node.inputs = {OperandFacts{{}, Shape{{1}}, DataType::Float32, constant, nullptr}};
    const auto values = evaluate(node);
    QVERIFY2(values, values ? "" : values.error().message.c_str());
    QVERIFY(equals(*values->front().asFloats(), {made}));
}

STAGECRAFT_SUITE(TestNotANumber)

} // namespace tst_not_a_number
#include "tst_not_a_number.moc"
