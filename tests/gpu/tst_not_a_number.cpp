// What is no number stays so, or becomes the number that ONNX Runtime makes of it, on every path: where constants are
// folded, on cpu (oneDNN's kernels and our own), in the kernels of the GPU, executed on the host. Exported projects
// have the code of these devices: tst_export_cpp. For the functions of single elements the limits of their types are
// tried, too, and a second definition judges them. Past 400 lines: one set of paths for both.

#include "host_device.h"

#include "device/cpu/cpu_device.h"
#include "device/executing/session_steps.h"
#include "model/onnx/file/node.h"
#include "model/onnx_import.h"
#include "operators/kernels/kernel.h"
#include "operators/kernels/scalar_functions.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/formed_units.h"
#include "support/onnx_nodes.h"
#include "support/reference_kernels.h"
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

std::vector<HostTensor> images()
{
    HostTensor x{"x", Shape{kImage}, {}};
    for (int i = 0; i < 32; ++i)
        x.values.push_back(i == 5 || i == 17 ? kNone : static_cast<float>(i % 7) - 2.5F);
    return {x, {"z", Shape{kImage}, Floats(32, 0.5F)}};
}

// x and z with every pair of `count` values; append(tensor, i) adds one.
template <typename Append>
std::vector<HostTensor> pairsOf(DataType type, std::size_t count, const Append &append)
{
    const auto size = static_cast<std::int64_t>(count);
    std::vector<HostTensor> made{{"x", Shape{{size, size}}, {}, type}, {"z", Shape{{size, size}}, {}, type}};
    for (std::size_t i = 0; i < count * count; ++i) {
        append(made[0], i / count);
        append(made[1], i % count);
    }
    return made;
}

// Of real numbers once more without those that make cpu leave the library's kernels.
std::vector<std::vector<HostTensor>> specialValuesOf(DataType type)
{
    if (type == DataType::Float32) {
        using Limits = std::numeric_limits<float>;
        Floats values{0, 1, 0.5F, 2.5F, 3, 88.5F, 104, Limits::denorm_min(), Limits::min(), Limits::max()};
        for (std::size_t i = values.size(); i-- > 0;)
            values.push_back(-values[i]);
        const auto add = [&](HostTensor &to, std::size_t i) { to.values.push_back(values[i]); };
        const auto finite = pairsOf(type, values.size(), add);
        values.insert(values.end(), {kNone, Limits::infinity(), -Limits::infinity()});
        return {finite, pairsOf(type, values.size(), add)};
    }
    const auto bytes = static_cast<std::size_t>(sizeBytes(type));
    const std::uint64_t least = toString(type).starts_with('u') ? 0 : std::uint64_t{1} << (bytes * 8 - 1);
    const std::vector<std::uint64_t> values{
        least, least + 1, least - 2, least - 1,                                   // the largest ones
        0,     1,         2,         7,         ~0ULL, bytes * 8, bytes * 8 - 1}; // shifts by all bits
    return {pairsOf(type, values.size(), [&](HostTensor &to, std::size_t i) {
        for (std::size_t byte = 0; byte < bytes; ++byte)
            to.bytes.push_back(static_cast<std::byte>(values[i] >> (byte * 8)));
    })};
}

Constant constantOf(const HostTensor &tensor)
{
    if (tensor.type == DataType::Float32)
        return floatConstant(tensor.shape.dims, tensor.values);
    std::vector<std::byte> bytes = tensor.bytes;
    return constantOf(TensorView{tensor.type, tensor.shape.dims, bytes.data()}, tensor.type);
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

void swish(onnx::GraphProto &graph)
{
    addNode(graph, "Sigmoid", {"x"}, {"s"});
    addNode(graph, "Mul", {"x", "s"}, {"y"});
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
    all["Sigmoid, Mul"] = {swish};
    all["Add, Relu"] = activated(addBoth, "Relu");
    return all;
}

// What makes it the second of the forms of a function, where there are two.
std::optional<NamedAttribute> secondFormOf(std::string_view type)
{
    for (const NamedAttribute &form : {NamedAttribute{"approximate", "tanh"}, NamedAttribute{"direction", "RIGHT"},
                                       NamedAttribute{"fmod", std::int64_t{1}}}) {
        if (isKnownAttribute(type, form.first))
            return form;
    }
    return std::nullopt;
}

Row tableRow(const std::string &type, std::size_t operands, bool isSecondForm)
{
    return {[=](onnx::GraphProto &graph) {
        auto &node = addNode(graph, type,
                             operands == 1 ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "z"}, {"y"});
        const auto form = isSecondForm ? secondFormOf(type) : std::nullopt;
        if (form && std::holds_alternative<std::int64_t>(form->second))
            setInteger(node, form->first, std::get<std::int64_t>(form->second));
        else if (form)
            setText(node, form->first, std::get<std::string>(form->second));
    }};
}

std::string modelOf(const Row &row, const std::vector<HostTensor> &inputs)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(14);
    onnx::GraphProto &graph = *model.mutable_graph();
    graph.set_name("net");
    row.nodes(graph);
    for (const HostTensor &input : inputs) {
        const auto reads = [&](const auto &node) { return std::ranges::count(node.input(), input.name) > 0; };
        if (std::ranges::any_of(graph.node(), reads))
            describe(*graph.add_input(), input.name, elementTypeOf(input.type), input.shape.dims);
    }
    graph.add_output()->set_name("y");
    return model.SerializeAsString();
}

using Evaluate = std::function<Result<Constant>(const NodeFacts &)>;

// What a definition makes of constants.
Result<Constant> evaluated(const std::string &bytes, const std::vector<HostTensor> &inputs, const Evaluate &definition)
{
    onnx::ModelProto model;
    if (!model.ParseFromString(bytes))
        qFatal("not a model");
    std::map<std::string, std::shared_ptr<const Constant>> values;
    for (const auto &initializer : model.graph().initializer())
        values[initializer.name()] = std::make_shared<const Constant>(*decodeTensor(initializer, {}));
    for (const HostTensor &input : inputs)
        values[input.name] = std::make_shared<const Constant>(constantOf(input));
    for (const auto &proto : model.graph().node()) {
        NodeFacts node;
        node.type = typeOf(proto);
        node.opset = 14;
        node.attributes = attributesOf(proto);
        for (const std::string &name : proto.input()) {
            const auto &value = values.at(name);
            node.inputs.emplace_back(OperandFacts{{}, Shape{value->dims}, value->type, value, nullptr});
        }
        TRY_AS(auto made, definition(node));
        values[proto.output(0)] = std::make_shared<const Constant>(std::move(made));
    }
    return *values.at("y");
}

// The program's own.
Result<Constant> folded(const NodeFacts &node)
{
    TRY_AS(auto made, evaluate(node));
    return std::move(made.front());
}

// The second one.
Result<Constant> judged(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    if (node.inputs[0]->type == DataType::Float32 && isDefinedApart(node.type))
        return floatConstant(dims, referenceOutputs(node)->front());
    const auto whole = node.inputs[0]->type == DataType::Float32 ? std::nullopt : referenceIntegers(node);
    if (!whole)
        return fail(ErrorCode::InvalidInput, "it has no second definition in tests/support/reference_kernels.cpp");
    return intConstant(dims, *whole);
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

// Those that the graph reads.
std::vector<HostTensor> readBy(const Graph &graph, const std::vector<HostTensor> &inputs)
{
    std::vector<HostTensor> read;
    for (const TensorId id : graph.inputs())
        read.push_back(*std::ranges::find(inputs, graph.tensor(id).name, &HostTensor::name));
    return read;
}

Result<HostTensor> onCpu(const std::shared_ptr<const Graph> &graph, const std::vector<HostTensor> &inputs)
{
    TRY_AS(auto session, makeCpuDevice()->open(graph));
    TRY_AS(auto outputs, runOn(*session, sequentialSchedule(*graph, oneBlock(*graph)), readBy(*graph, inputs), {}));
    return std::move(outputs.front());
}

bool equals(const Floats &made, const Floats &expected)
{
    return std::ranges::equal(made, expected, [](float a, float b) {
        return std::isnan(b) ? std::isnan(a) : a == b || std::abs(a - b) <= 1e-4F * std::max(1.0F, std::abs(b));
    });
}

void checkEach(const char *path, const std::vector<HostTensor> &inputs, const Floats &made, const Floats &expected)
{
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(equals({made[i]}, {expected[i]}), qPrintable(QString("%1: of %2 and %3 it makes %4 instead of %5")
                                                                  .arg(path)
                                                                  .arg(static_cast<double>(inputs[0].values[i]))
                                                                  .arg(static_cast<double>(inputs[1].values[i]))
                                                                  .arg(static_cast<double>(made[i]))
                                                                  .arg(static_cast<double>(expected[i]))));
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
    void run_specialValues_areTheSameOnEveryPath_data();
    void run_specialValues_areTheSameOnEveryPath();
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
    const std::string bytes = modelOf(row, images());
    const auto made = evaluated(bytes, images(), folded);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    const Floats expected = *made->asFloats();
    if (!name.startsWith("Clip to no number"))
        QVERIFY(std::ranges::any_of(expected, [](float value) { return std::isnan(value); }));

    const auto graph = graphOf(bytes);
    const auto executed = onCpu(graph, images());
    QVERIFY2(executed, executed ? "" : executed.error().message.c_str());
    QVERIFY2(equals(executed->values, expected),
             qPrintable("cpu: " + text(executed->values) + "; defined: " + text(expected)));

    for (const auto layout : {gpu::TensorLayout::RowMajor, gpu::TensorLayout::ChannelsLast}) {
        const auto onGpu = runOnHost(graph, sequentialSchedule(*graph, oneBlock(*graph)), hostOptions(layout),
                                     readBy(*graph, images()));
        QVERIFY2(onGpu.has_value() == row.hasGpuKernel, onGpu ? "it has a kernel" : onGpu.error().message.c_str());
        if (onGpu)
            QVERIFY2(equals(onGpu->front().values, expected),
                     qPrintable("gpu: " + text(onGpu->front().values) + "; defined: " + text(expected)));
    }
}

void TestNotANumber::run_specialValues_areTheSameOnEveryPath_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<std::size_t>("operands");
    QTest::addColumn<bool>("isSecondForm");
    QTest::addColumn<DataType>("of");
    const auto add = [](const auto &table, std::size_t operands, DataType of) {
        for (const auto &[name, function] : table) {
            const std::string type(name);
            QTest::addRow("%s of %s", type.c_str(), std::string(toString(of)).c_str())
                << QString::fromStdString(type) << operands << false << of;
            if (secondFormOf(type))
                QTest::addRow("%s of %s, second form", type.c_str(), std::string(toString(of)).c_str())
                    << QString::fromStdString(type) << operands << true << of;
        }
    };
    add(kernels::unaryFunctions<float>(), 1, DataType::Float32);
    add(kernels::binaryFunctions<float>(), 2, DataType::Float32);
    for (const DataType of : {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16, DataType::Int32,
                              DataType::UInt32, DataType::Int64, DataType::UInt64}) {
        add(kernels::unaryFunctions<std::int64_t>(), 1, of);
        add(kernels::binaryFunctions<std::int64_t>(), 2, of);
    }
}

void TestNotANumber::run_specialValues_areTheSameOnEveryPath()
{
    QFETCH(const QString, type);
    QFETCH(const std::size_t, operands);
    QFETCH(const bool, isSecondForm);
    QFETCH(const DataType, of);
    for (const auto &inputs : specialValuesOf(of)) {
        const std::string bytes = modelOf(tableRow(type.toStdString(), operands, isSecondForm), inputs);
        const auto expected = evaluated(bytes, inputs, judged);
        QVERIFY2(expected, expected ? "" : expected.error().message.c_str());
        const auto made = evaluated(bytes, inputs, folded);
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        const auto executed = onCpu(graphOf(bytes), inputs);
        QVERIFY2(executed, executed ? "" : executed.error().message.c_str());
        if (of != DataType::Float32) {
            QCOMPARE(made->asInts(), expected->asInts());
            QCOMPARE(constantOf(*executed).asInts(), expected->asInts());
            continue;
        }
        checkEach("folded", inputs, *made->asFloats(), *expected->asFloats());
        checkEach("cpu", inputs, executed->values, *expected->asFloats());
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
