// The real worker: start and end, output, and measuring the CPU through it.

#include "device/worker/protocol/messages.h"
#include "device/worker/worker_device.h"
#include "graph/graph.h"
#include "support/graph_making.h"
#include "support/places.h"
#include "support/suite.h"

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_worker_program {

namespace {

WorkerOptions real()
{
    WorkerOptions options;
    options.command = {programPath("stagecraft-worker").toStdString()};
    return options;
}

} // namespace

class TestWorkerProgram : public QObject {
    Q_OBJECT

private slots:
    void listWorkerDevices_realWorker_listsAllKinds();
    void realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven_data();
    void realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven();
    void worker_standardOutput_isMessagesAlone();
    void worker_inputEnds_exits();
    void worker_startedByHand_saysHow();
    void cpu_throughTheWorker_measuresAndRuns();
    void cpu_libraryThatPrints_doesNotDisturb();
};

// With or without a module, a driver and a GPU: an entry is available or says why not.
void TestWorkerProgram::listWorkerDevices_realWorker_listsAllKinds()
{
    const auto devices = take(listWorkerDevices(real()));
    QVERIFY(devices.size() >= 3);
    QCOMPARE(devices[0].id, std::string("cpu"));
    QVERIFY(devices[0].available);
    QCOMPARE(devices[1].id, std::string("gpu:0"));
    QCOMPARE(devices.back().id, std::string("onnxruntime"));
    for (const DeviceInfo &device : devices)
        QVERIFY(device.available == device.unavailableReason.empty());
}

void TestWorkerProgram::realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven_data()
{
    QTest::addColumn<QByteArray>("given");
    QTest::addColumn<QByteArray>("kept");
    QTest::newRow("nothing") << QByteArray() << QByteArray("32");
    QTest::newRow("by a person") << QByteArray("4") << QByteArray("4");
}

// The worker restarts itself once with the environment for its libraries; the system reports that environment.
void TestWorkerProgram::realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven()
{
    QFETCH(const QByteArray, given);
    QFETCH(const QByteArray, kept);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"CUDA_DEVICE_MAX_CONNECTIONS", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY"})
        environment.remove(name);
    if (!given.isEmpty())
        environment.insert("CUDA_DEVICE_MAX_CONNECTIONS", given);
    QProcess worker;
    for (const char *name : {"OMP_PROC_BIND", "OMP_THREAD_LIMIT"}) // set by a shell for other programs
        environment.insert(name, "1");
    worker.setProcessEnvironment(environment);
    worker.start(programPath("stagecraft-worker"), QStringList());
    QVERIFY(worker.waitForStarted());
    const auto variables = [&] {
        QFile file(QString("/proc/%1/environ").arg(worker.processId()));
        return file.open(QIODevice::ReadOnly) ? file.readAll().split('\0') : QByteArrayList();
    };
    QTRY_VERIFY(variables().contains("GOMP_SPINCOUNT=2000"));
    QVERIFY(variables().contains("CUDA_DEVICE_MAX_CONNECTIONS=" + kept));
    QVERIFY(!variables().contains("OMP_PROC_BIND=1") && !variables().contains("OMP_THREAD_LIMIT=1"));
    QFile name(QString("/proc/%1/comm").arg(worker.processId()));
    QVERIFY(name.open(QIODevice::ReadOnly) && name.readAll().startsWith("stagecraft-work"));
    worker.closeWriteChannel();
    QVERIFY(worker.waitForFinished());
}

void TestWorkerProgram::worker_standardOutput_isMessagesAlone()
{
    QProcess process;
    process.start(programPath("stagecraft-worker"), QStringList());
    QVERIFY(process.waitForStarted());
    worker::Request request;
    request.set_version(worker::kVersion);
    request.set_id(7);
    request.mutable_describe()->set_device("cpu");
    const std::string bytes = request.SerializeAsString();
    process.write(QByteArray(1, static_cast<char>(bytes.size())) + QByteArray::fromStdString(bytes));
    QVERIFY(process.waitForReadyRead(20000));
    QTRY_VERIFY(process.bytesAvailable() > 2);
    // A varint of two bytes, then the reply, then nothing.
    const QByteArray length = process.peek(2);
    const int size = (length[0] & 0x7F) | (length[1] << 7);
    QTRY_VERIFY(process.bytesAvailable() >= size + 2);
    const QByteArray answer = process.readAllStandardOutput();
    QCOMPARE(answer.size(), size + 2);
    worker::Reply reply;
    QVERIFY(reply.ParseFromArray(answer.constData() + 2, size));
    QCOMPARE(reply.id(), std::uint64_t{7});
    QCOMPARE(reply.info().id(), std::string("cpu"));
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished());
    QVERIFY(process.readAllStandardOutput().isEmpty());
}

void TestWorkerProgram::worker_inputEnds_exits()
{
    QProcess process;
    process.start(programPath("stagecraft-worker"), QStringList());
    QVERIFY(process.waitForStarted());
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 0);
}

void TestWorkerProgram::worker_startedByHand_saysHow()
{
    QProcess process;
    process.start(programPath("stagecraft-worker"), QStringList("--help"));
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 2);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().contains("started by stagecraft"));
}

void TestWorkerProgram::cpu_throughTheWorker_measuresAndRuns()
{
    GraphBuilder builder("g");
    const TensorId x = take(builder.addInput("x", Shape{{1, 16, 9, 9}}));
    Operator conv = test::conv("conv", {{x}}, 16, 3);
    conv.parameters = {{"weight", "w", Shape{{16, 16, 3, 3}}, DataType::Float32, nullptr}};
    take(builder.add(conv));
    const auto graph = std::make_shared<Graph>(take(builder.build()));
    const auto device = makeWorkerDevice("cpu", real());
    QVERIFY2(device->info().available, device->info().unavailableReason.c_str());
    QVERIFY(device->info().fingerprint.find("oneDNN") != std::string::npos);
    const auto session = take(device->open(graph));
    TimedSchedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{OperatorId{0}}}}};
    QVERIFY(session->stageLatency(schedule.stages[0], {})->timing.latencyUs > 0);
    const HostTensor zeros{"x", Shape{{1, 16, 9, 9}}, std::vector<float>(16 * 81, 0)};
    const auto outputs = runOn(*session, schedule, {zeros}, {});
    QVERIFY(outputs);
    QVERIFY(outputs->front().values == std::vector<float>(16 * 81, 0));
    QVERIFY(!runOn(*session, schedule, {}, {}));
    QVERIFY(session->timeline(schedule, {})->kernels.size() == 1);
    schedule.stages.front().strategy = Strategy::Fused;
    QVERIFY(session->stageLatency(schedule.stages[0], {})->timing.latencyUs > 0);
    QCOMPARE(session->timeline(schedule, {})->fused.size(), std::size_t{1});
}

// The real library, configured to print all operators to standard output.
void TestWorkerProgram::cpu_libraryThatPrints_doesNotDisturb()
{
    qputenv("DNNL_VERBOSE", "1");
    cpu_throughTheWorker_measuresAndRuns();
    qunsetenv("DNNL_VERBOSE");
}

STAGECRAFT_SUITE(TestWorkerProgram)

} // namespace tst_worker_program
#include "tst_worker_program.moc"
