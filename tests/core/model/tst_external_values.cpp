// Weights in a file beside the model: large ones are read when something needs them, and a file that changed in the
// meantime is an error, never other values.

#include "device/cpu/cpu_device.h"
#include "graph_compare.h"
#include "model/built_in.h"
#include "model/onnx_export.h"
#include "model/onnx_import.h"
#include "operators/parameter_values.h"
#include "support/formed_units.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;

namespace tst_external_values {

namespace {

constexpr auto kChanged = "the data file net.onnx.data has changed since the model was opened";

std::vector<const Parameter *> storedOf(const Graph &graph)
{
    std::vector<const Parameter *> stored;
    for (const Operator &op : graph.operators()) {
        for (const Parameter &parameter : op.parameters) {
            if (parameter.values.areStored())
                stored.push_back(&parameter);
        }
    }
    return stored;
}

} // namespace

class ExternalValuesTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void import_largeExternalData_isReadWhenNeeded();
    void import_smallExternalData_isReadAtOnce();
    void faultOf_fileChanged_namesTensorAndFile();
    void fault_readBeforeTheChange_staysWithoutFault();
    void run_fileChanged_isRefused();
    void exportOnnx_fileChanged_isRefusedAndLeavesNothing();
    void formUnits_fileChanged_refusesWhatPassesRead();

private:
    [[nodiscard]] std::string path(const char *name) const { return m_folder->filePath(name).toStdString(); }
    [[nodiscard]] Graph opened() const { return importOnnx({path("net.onnx")})->graph; }

    void changeData() const
    {
        QFile data(m_folder->filePath("net.onnx.data"));
        QVERIFY(data.open(QIODevice::Append));
        QVERIFY(data.write("more") == 4);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void ExternalValuesTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    const auto network = builtInNetwork("sample", {.sampleChannels = 64});
    QVERIFY(network);
    QVERIFY(exportOnnx(network->graph, path("net.onnx"), {.externalAboveBytes = 1000}));
}

void ExternalValuesTest::import_largeExternalData_isReadWhenNeeded()
{
    const auto network = builtInNetwork("sample", {.sampleChannels = 64});
    const Graph graph = opened();
    const auto stored = storedOf(graph);
    QVERIFY(!stored.empty());
    for (const Parameter *parameter : stored) {
        QCOMPARE(parameter->values.count(), static_cast<std::size_t>(parameter->shape.elements()));
        QVERIFY(parameter->values.areReal());
    }
    const auto formed = test::formedUnits(graph);
    QVERIFY(formed);
    for (std::size_t i = 0; i < formed->size(); ++i) {
        const auto &parameters = formed->operators()[i].parameters;
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            QVERIFY(!faultOf(parameters[k]));
            QVERIFY(*parameters[k].values == *typedValues(network->graph.operators()[i].parameters[k]));
        }
    }
}

void ExternalValuesTest::import_smallExternalData_isReadAtOnce()
{
    const auto network = builtInNetwork("sample", {.sampleChannels = 4});
    QVERIFY(exportOnnx(network->graph, path("small.onnx"), {.externalAboveBytes = 1000}));
    const auto read = importOnnx({path("small.onnx")});
    QVERIFY(read);
    QVERIFY(storedOf(read->graph).empty());
}

void ExternalValuesTest::faultOf_fileChanged_namesTensorAndFile()
{
    const Graph graph = opened();
    changeData();
    const Parameter &parameter = *storedOf(graph).front();
    const auto fault = faultOf(parameter);
    QVERIFY(fault);
    QVERIFY2(test::describe(*fault).contains(kChanged), qPrintable(test::describe(*fault)));
    QVERIFY(test::describe(*fault).contains(parameter.name.c_str()));
    QCOMPARE(fault->remedy, std::string("Open the model again"));
}

void ExternalValuesTest::fault_readBeforeTheChange_staysWithoutFault()
{
    const Graph graph = opened();
    const Parameter &parameter = *storedOf(graph).front();
    const std::vector<float> before = *parameterValues(parameter);
    changeData();
    QVERIFY(!faultOf(parameter));
    QCOMPARE(*parameterValues(parameter), before);
}

void ExternalValuesTest::run_fileChanged_isRefused()
{
    const auto graph = std::make_shared<const Graph>(opened());
    changeData();
    const auto session = makeCpuDevice()->open(graph);
    QVERIFY(session);
    const std::string weight = storedOf(*graph).front()->name;
    const auto reader = std::ranges::find_if(graph->operators(), [&](const Operator &op) {
        return !op.parameters.empty() && op.parameters.front().name == weight;
    });
    const auto id = OperatorId::fromIndex(static_cast<std::size_t>(reader - graph->operators().begin()));
    const auto latency = (*session)->measureStage({0, Strategy::Concurrent, {{id}}}, {});
    QVERIFY(!latency);
    QVERIFY2(test::describe(latency.error()).contains(kChanged), qPrintable(test::describe(latency.error())));
}

void ExternalValuesTest::exportOnnx_fileChanged_isRefusedAndLeavesNothing()
{
    const Graph graph = opened();
    changeData();
    const auto written = exportOnnx(graph, path("again.onnx"));
    QVERIFY(!written);
    QVERIFY2(test::describe(written.error()).contains(kChanged), qPrintable(test::describe(written.error())));
    QVERIFY(!QFile::exists(m_folder->filePath("again.onnx")));
}

void ExternalValuesTest::formUnits_fileChanged_refusesWhatPassesRead()
{
    const Graph graph = opened();
    changeData();
    (void)storedOf(graph).front()->values.read(); // as a pass that folds does
    const auto formed = test::formedUnits(graph);
    QVERIFY(!formed);
    QVERIFY(test::describe(formed.error()).contains(kChanged));
}

STAGECRAFT_SUITE(ExternalValuesTest)

} // namespace tst_external_values
#include "tst_external_values.moc"
