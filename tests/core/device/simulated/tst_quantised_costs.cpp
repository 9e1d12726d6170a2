// Quantised operators are costed as what they are: faster than their twin of real numbers on a device with a rate for
// integers, the same on one without. Models without integers are not touched by that rate.

#include "device/simulated/simulated_device.h"
#include "graph/cost_basis.h"
#include "graph/quantised.h"
#include "model/built_in.h"
#include "model/onnx_import.h"
#include "schedule/stage_signature.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/formed_units.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <onnx/onnx_pb.h>

using namespace stagecraft;

namespace tst_quantised_costs {

namespace {

using Dims = std::vector<std::int64_t>;
using T = onnx::TensorProto;

const Dims kImage{1, 256, 56, 56};
const Dims kFilters{256, 256, 3, 3};
const Dims kRows{64, 4096};
const Dims kMatrix{4096, 2048};

// A model file, node by node.
class File {
public:
    File()
    {
        m_model.set_ir_version(8);
        m_model.add_opset_import()->set_version(13);
        graph().set_name("made");
        scalar("scale", T::FLOAT);
        scalar("zero", T::UINT8);
        scalar("zero_weight", T::INT8);
    }

    void input(const std::string &name, int type, const Dims &dims)
    {
        auto &value = *graph().add_input();
        value.set_name(name);
        auto &tensor = *value.mutable_type()->mutable_tensor_type();
        tensor.set_elem_type(type);
        for (const std::int64_t dim : dims)
            tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    }

    void weight(const std::string &name, int type, const Dims &dims)
    {
        auto &tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(type);
        std::size_t count = type == T::FLOAT ? sizeof(float) : 1;
        for (const std::int64_t dim : dims) {
            tensor.add_dims(dim);
            count *= static_cast<std::size_t>(dim);
        }
        tensor.set_raw_data(std::string(count, '\0'));
    }

    onnx::NodeProto &node(const std::string &type, const std::vector<std::string> &reads, const std::string &makes)
    {
        auto &node = *graph().add_node();
        node.set_op_type(type);
        node.set_name(makes);
        for (const std::string &name : reads)
            node.add_input(name);
        node.add_output(makes);
        return node;
    }

    void padded(onnx::NodeProto &node)
    {
        auto &pads = *node.add_attribute();
        pads.set_name("pads");
        pads.set_type(onnx::AttributeProto::INTS);
        for (int i = 0; i < 4; ++i)
            pads.add_ints(1);
    }

    std::shared_ptr<const Graph> opened(const std::vector<std::string> &outputs = {"y"}, Units units = Units::Ios)
    {
        for (const std::string &output : outputs)
            graph().add_output()->set_name(output);
        auto source = importOnnxBytes(m_model.SerializeAsString(), "made", {});
        if (!source)
            qFatal("%s", source.error().message.c_str());
        auto formed = test::formedUnits(std::move(source->graph), source->keptApart, {.units = units, .without = {}});
        return std::make_shared<const Graph>(std::move(*formed));
    }

private:
    onnx::GraphProto &graph() { return *m_model.mutable_graph(); }
    void scalar(const std::string &name, int type)
    {
        auto &tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(type);
        if (type == T::FLOAT)
            tensor.add_float_data(0.5F);
        else
            tensor.add_int32_data(1);
    }

    onnx::ModelProto m_model;
};

// QuantizeLinear and DequantizeLinear around a convolution, whose result something else may read.
std::shared_ptr<const Graph> wrapped(bool hasOtherReader = false, Units units = Units::Ios)
{
    File file;
    file.input("x", T::UINT8, kImage);
    file.weight("w", T::INT8, kFilters);
    file.node("DequantizeLinear", {"x", "scale", "zero"}, "real");
    file.node("DequantizeLinear", {"w", "scale", "zero_weight"}, "filters");
    file.padded(file.node("Conv", {"real", "filters"}, "conv"));
    file.node("QuantizeLinear", {"conv", "scale", "zero"}, "y");
    if (hasOtherReader)
        file.node("Sigmoid", {"conv"}, "z");
    return file.opened(hasOtherReader ? std::vector<std::string>{"y", "z"} : std::vector<std::string>{"y"}, units);
}

// Two of them one behind the other, a residual sum with an activation, and a real number at the end.
std::shared_ptr<const Graph> chain(Units units)
{
    File file;
    file.input("x", T::UINT8, kImage);
    file.weight("w", T::INT8, kFilters);
    file.node("DequantizeLinear", {"x", "scale", "zero"}, "real");
    file.node("DequantizeLinear", {"w", "scale", "zero_weight"}, "filters");
    file.padded(file.node("Conv", {"real", "filters"}, "first"));
    file.node("Relu", {"first"}, "active");
    file.node("QuantizeLinear", {"active", "scale", "zero"}, "q1");
    file.node("DequantizeLinear", {"q1", "scale", "zero"}, "r1");
    file.padded(file.node("Conv", {"r1", "filters"}, "second"));
    file.node("QuantizeLinear", {"second", "scale", "zero"}, "q2");
    file.node("DequantizeLinear", {"q2", "scale", "zero"}, "r2");
    file.node("Add", {"r2", "real"}, "sum");
    file.node("Relu", {"sum"}, "sum_active");
    file.node("QuantizeLinear", {"sum_active", "scale", "zero"}, "q3");
    file.node("DequantizeLinear", {"q3", "scale", "zero"}, "r3");
    file.node("Exp", {"r3"}, "y");
    return file.opened({"y"}, units);
}

std::shared_ptr<const Graph> graphOf(const std::string &type)
{
    if (type == "wrapped")
        return wrapped();
    File file;
    const bool isConvolution = type.find("Conv") != std::string::npos;
    const bool isReal = type == "Conv" || type == "MatMul" || type == "vector";
    Dims dims = isConvolution ? kImage : kRows;
    if (type == "vector" || type == "vector of integers")
        dims.front() = 1;
    file.input("x", isReal ? T::FLOAT : T::UINT8, dims);
    file.weight("w", isReal ? T::FLOAT : T::INT8, isConvolution ? kFilters : kMatrix);
    if (type.starts_with("QLinear")) {
        auto &node = file.node(type, {"x", "scale", "zero", "w", "scale", "zero_weight", "scale", "zero"}, "y");
        if (isConvolution)
            file.padded(node);
    } else if (isReal || type == "vector of integers") {
        auto &node = file.node(type == "vector" ? "MatMul" : isReal ? type : "MatMulInteger", {"x", "w"}, "y");
        if (isConvolution)
            file.padded(node);
    } else {
        auto &node = file.node(type, {"x", "w", "zero", "zero_weight"}, "y");
        if (isConvolution)
            file.padded(node);
    }
    return file.opened();
}

double latencyUs(const std::string &device, const std::shared_ptr<const Graph> &graph)
{
    const auto session = *(*openSimulatedDevice(device))->open(graph);
    return session->measureSchedule(sequentialSchedule(*graph, test::oneBlock(*graph)), {})->whole.timing.meanUs;
}

// Of the operator alone.
double latencyUs(const std::string &device, const std::shared_ptr<const Graph> &graph, const char *name)
{
    const auto session = *(*openSimulatedDevice(device))->open(graph);
    const Stage stage{.groups = {{*graph->find(name)}}};
    return session->stageLatency(stage, {})->timing.latencyUs;
}

} // namespace

class TestQuantisedCosts : public QObject {
    Q_OBJECT

private slots:
    void latency_ofIntegers_isThatOfTheDevice_data();
    void latency_ofIntegers_isThatOfTheDevice();
    void latency_wrapped_isOneOperatorOfIntegers();
    void units_ofQuantised_beginWithTheirIntegers();
    void latency_unitsOfQuantised_isThatOfIntegers();
    void weights_dequantised_haveTheBytesOfTheFile();
    void roles_wrapped_needEveryReaderToQuantise();
    void roles_sumWithAnActivation_isOfIntegers();
    void signature_sameConvolution_differsByItsRole();
    void latency_ofRealNumbers_doesNotDependOnTheRate();
    void description_withoutTheRate_computesAsReal();
};

void TestQuantisedCosts::latency_ofIntegers_isThatOfTheDevice_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("twin");
    QTest::addColumn<QString>("device");
    for (const char *device : {"v100", "2080ti", "a100", "h100", "h200", "k80"}) {
        const auto row = [&](const char *type, const char *twin) {
            QTest::addRow("%s, %s", device, type) << QString(type) << QString(twin) << QString(device);
        };
        row("QLinearConv", "Conv");
        row("ConvInteger", "Conv");
        row("QLinearMatMul", "MatMul");
        row("MatMulInteger", "MatMul");
        row("vector of integers", "vector");
    }
}

void TestQuantisedCosts::latency_ofIntegers_isThatOfTheDevice()
{
    QFETCH(const QString, type);
    QFETCH(const QString, twin);
    QFETCH(const QString, device);
    const auto graph = graphOf(type.toStdString());
    const double integersUs = latencyUs(device.toStdString(), graph);
    const double realUs = latencyUs(device.toStdString(), graphOf(twin.toStdString()));
    if (device == "k80")
        QCOMPARE(integersUs, realUs);
    else
        QVERIFY2(integersUs < realUs, qPrintable(QStringLiteral("%1 us, %2 us").arg(integersUs).arg(realUs)));
    QCOMPARE(costBasis(*graph).integerProducts, std::int64_t{1});
}

// On a device without a rate for integers, the conversions run, and the convolution is one of real numbers.
void TestQuantisedCosts::latency_wrapped_isOneOperatorOfIntegers()
{
    const auto graph = wrapped();
    const auto twin = graphOf("Conv");
    QVERIFY(latencyUs("a100", graph) < latencyUs("a100", twin));
    constexpr double kStagesWithoutKernels = 0.01; // us
    QVERIFY(std::abs(latencyUs("a100", graph) - latencyUs("a100", graphOf("QLinearConv"))) < kStagesWithoutKernels);
    QCOMPARE(latencyUs("k80", graph, "conv"), latencyUs("k80", twin, "y"));
    QVERIFY(latencyUs("k80", graph) > latencyUs("k80", twin));
    const CostBasis costs = costBasis(*graph);
    QCOMPARE(costs.integerProducts, std::int64_t{1});
    QCOMPARE(costs.conversions, std::int64_t{0});
    QVERIFY(conversionText(costs).starts_with("1 convolution or product computes on integers of 8 bits"));
}

// Between units are the integers, but for what two units read.
void TestQuantisedCosts::units_ofQuantised_beginWithTheirIntegers()
{
    QCOMPARE(test::listing(*chain(Units::Tvm)),
             QString("real:DequantizeLinear first:Conv-Relu-QuantizeLinear "
                     "second:DequantizeLinear-Conv-QuantizeLinear "
                     "q3:DequantizeLinear-Add-Relu-QuantizeLinear y:DequantizeLinear-Exp"));
}

void TestQuantisedCosts::latency_unitsOfQuantised_isThatOfIntegers()
{
    const auto graph = chain(Units::Tvm);
    using enum QuantisedRole;
    QVERIFY(quantisedRoles(*graph) == std::vector({Conversion, Integers, Integers, Integers, None}));
    const CostBasis costs = costBasis(*graph);
    QCOMPARE(costs.integerProducts, std::int64_t{2});
    QCOMPARE(costs.conversions, std::int64_t{1}); // that of the exponential
    const auto unit = wrapped(false, Units::Tvm);
    QCOMPARE(unit->size(), std::size_t{1});
    const double us = latencyUs("a100", unit);
    QVERIFY(us < latencyUs("a100*int8_fma_per_clock_per_sm=0", unit));
    constexpr double kStagesWithoutKernels = 0.01; // us
    QVERIFY(std::abs(us - latencyUs("a100", wrapped())) < kStagesWithoutKernels);
}

void TestQuantisedCosts::weights_dequantised_haveTheBytesOfTheFile()
{
    const std::int64_t count = Shape{kFilters}.elements();
    for (const auto &graph : {wrapped(), wrapped(false, Units::Tvm), graphOf("QLinearConv")}) {
        QCOMPARE(weightTotals(*graph).parameters, count);
        QCOMPARE(weightTotals(*graph).bytes, count);
    }
    QCOMPARE(weightTotals(*graphOf("Conv")).bytes, 4 * count);
}

void TestQuantisedCosts::roles_wrapped_needEveryReaderToQuantise()
{
    const auto graph = wrapped();
    const auto roles = quantisedRoles(*graph);
    QCOMPARE(roles.size(), graph->size());
    for (std::size_t i = 0; i < graph->size(); ++i)
        QVERIFY(roles[i] == (graph->operators()[i].conv() ? QuantisedRole::Integers : QuantisedRole::Conversion));
    QVERIFY(quantisedRoles(*wrapped(true)).empty());
    QVERIFY(quantisedRoles(*graphOf("Conv")).empty());
}

// A residual sum and its activation, a pool: none of the conversions between them is left.
void TestQuantisedCosts::roles_sumWithAnActivation_isOfIntegers()
{
    File file;
    file.input("x", T::UINT8, kImage);
    file.input("other", T::UINT8, kImage);
    file.node("DequantizeLinear", {"x", "scale", "zero"}, "real");
    file.node("DequantizeLinear", {"other", "scale", "zero"}, "other_real");
    file.node("Add", {"real", "other_real"}, "sum");
    file.node("Sigmoid", {"sum"}, "active");
    file.node("QuantizeLinear", {"active", "scale", "zero"}, "q");
    file.node("DequantizeLinear", {"q", "scale", "zero"}, "again");
    file.node("GlobalAveragePool", {"again"}, "pool");
    file.node("QuantizeLinear", {"pool", "scale", "zero"}, "y");
    const auto graph = file.opened();
    const CostBasis costs = costBasis(*graph);
    QCOMPARE(costs.conversions, std::int64_t{0});
    QCOMPARE(costs.integerProducts, std::int64_t{0});
    QCOMPARE(std::ranges::count(quantisedRoles(*graph), QuantisedRole::Integers), std::ptrdiff_t{3});
}

void TestQuantisedCosts::signature_sameConvolution_differsByItsRole()
{
    const auto signature = [](const std::shared_ptr<const Graph> &graph) {
        return StageSigner(*graph).sign({.groups = {{*graph->find("conv")}}});
    };
    QVERIFY(signature(wrapped()) == signature(wrapped()));
    QVERIFY(signature(wrapped()) != signature(wrapped(true)));
}

void TestQuantisedCosts::latency_ofRealNumbers_doesNotDependOnTheRate()
{
    SourceGraph source = *builtInNetwork("squeezenet");
    const auto graph = std::make_shared<const Graph>(std::move(source.graph));
    QCOMPARE(latencyUs("a100", graph), latencyUs("a100*int8_fma_per_clock_per_sm=0", graph));
}

void TestQuantisedCosts::description_withoutTheRate_computesAsReal()
{
    std::string text = toJson(*findDeviceDescription("a100"));
    const std::size_t at = text.find("  \"int8_fma_per_clock_per_sm\"");
    QVERIFY(at != std::string::npos);
    text.erase(at, text.find('\n', at) + 1 - at);
    const auto read = deviceDescriptionFromJson(text); // as written by an earlier version
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->int8FmaPerClockPerSm, 0.0);
}

STAGECRAFT_SUITE(TestQuantisedCosts)

} // namespace tst_quantised_costs
#include "tst_quantised_costs.moc"
