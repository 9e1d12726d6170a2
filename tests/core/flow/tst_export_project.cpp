// What an exported project can run: refusals are in tst_export_cpp, which also builds projects.

#include "device/cpu/cpu_device.h"
#include "flow/export/export_project.h"
#include "operators/kernels/scalar_functions.h"
#include "search/stages/search.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export_project {

class TestExportProject : public QObject {
    Q_OBJECT

private slots:
    void exportCppProject_everyUnaryFunction_isTaken();
};

void TestExportProject::exportCppProject_everyUnaryFunction_isTaken()
{
    GraphBuilder builder("m");
    const TensorId x = builder.addInput("x", Shape{{1, 8, 4, 4}}).value();
    for (const auto &[type, function] : kernels::unaryFunctions<float>()) {
        Operator op;
        op.name = type;
        op.type = type;
        op.kind = OperatorKind::Unknown;
        op.attributes = GenericAttributes{};
        op.inputs = {{x}};
        const Tensor made{op.name, Shape{{1, 8, 4, 4}}, DataType::Float32, {}};
        QVERIFY2(builder.add(std::move(op), {made}), std::string(type).c_str());
    }
    Model model;
    model.graph = std::make_shared<const Graph>(builder.build().value());
    model.blocks = consecutiveBlocks(*model.graph, 1);
    model.name = "m";
    ExportRequest request;
    request.results.push_back(
        {"", std::make_shared<const TimedSchedule>(sequentialSchedule(*model.graph, model.blocks))});
    request.model = std::make_shared<const Model>(std::move(model));
    ExportTools tools;
    tools.findDevice = [](const std::string &) -> Result<std::unique_ptr<Device>> { return makeCpuDevice(); };
    const QTemporaryDir folder;
    const auto written = exportCppProject(request, folder.filePath("net").toStdString(), tools, {});
    QVERIFY2(written, written ? "" : written.error().message.c_str());
}

STAGECRAFT_SUITE(TestExportProject)

} // namespace tst_export_project
#include "tst_export_project.moc"
