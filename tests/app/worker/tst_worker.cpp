#include "device/worker_device.h"

#include "device/device_turn.h"
#include "device/worker_protocol/messages.h"
#include "graph/graph.h"
#include "search/search.h"
#include "support/graph_making.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <csignal>
#include <future>
#include <thread>

using namespace stagecraft;
using std::chrono::milliseconds;

namespace {

WorkerOptions faulty()
{
    WorkerOptions options;
    options.command = {STAGECRAFT_FAULTY_WORKER};
    options.stageDeadline = milliseconds(1500);
    options.silence = milliseconds(1200);
    return options;
}

WorkerOptions real()
{
    WorkerOptions options;
    options.command = {STAGECRAFT_BIN_DIR "/stagecraft-worker"};
    return options;
}

// Activations on one input, one per way the faulty device can behave.
std::shared_ptr<const Graph> behaviours()
{
    GraphBuilder builder("behaviours");
    const TensorId x = test::take(builder.addInput("x", Shape{{1, 8, 4, 4}}));
    for (const char *name : {"fine", "crash", "exit", "hang", "stop", "slow", "print", "break", "refuse"}) {
        Operator op;
        op.name = name;
        op.kind = OperatorKind::Activation;
        op.attributes = Activation{ActivationKind::Relu};
        op.inputs = {{x}};
        test::take(builder.add(std::move(op)));
    }
    return std::make_shared<Graph>(test::take(builder.build()));
}

Stage stageOf(const Graph &graph, const char *name)
{
    return {0, Strategy::Concurrent, {{*graph.find(name)}}};
}

std::unique_ptr<DeviceSession> openFaulty(const std::shared_ptr<const Graph> &graph)
{
    return test::take(makeWorkerDevice("faulty", faulty())->open(graph));
}

} // namespace

class TestWorker : public QObject {
    Q_OBJECT

private slots:
    void info_ofAWorker_comesThrough();
    void info_missingProgram_isUnavailableWithReason();
    void info_unknownDevice_isUnavailableWithReason();
    void listWorkerDevices_realWorker_listsCpuAndGpu();
    void realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven_data();
    void realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven();
    void measureStage_fineStage_comesThroughExactly();
    void measureStage_refusedStage_keepsErrorAndWorker();
    void measureStage_lostWorker_namesTheStageAndGoesOn_data();
    void measureStage_lostWorker_namesTheStageAndGoesOn();
    void measureStage_printingLibrary_doesNotDisturb();
    void measureStage_workerKilledBetweenRequests_isReplaced();
    void measureStage_deviceBackAfterAMoment_goesOn();
    void measureStage_deviceGone_saysSoAtOnce();
    void measureStage_stopRequested_isCancelledAndTheWorkerLives();
    void measureStage_stuckWorkerAndStop_isCancelled();
    void measureStage_deviceInUseElsewhere_waitsBeyondTheDeadline();
    void timeline_fromAWorker_comesThrough();
    void measureStage_afterATimeline_isDoneByAnotherWorker();
    void run_tensors_comeThrough();
    void graphMessage_everyAttribute_readsBack();
    void graphMessage_wrongIndices_areRefused();
    void worker_standardOutput_isMessagesAlone();
    void worker_inputEnds_exits();
    void worker_startedByHand_saysHow();
    void cpu_throughTheWorker_measuresAndRuns();
    void cpu_libraryThatPrints_doesNotDisturb();
    void roundTrip_fineStage_isShort();
};

void TestWorker::info_ofAWorker_comesThrough()
{
    const DeviceInfo info = makeWorkerDevice("faulty", faulty())->info();
    QVERIFY(info.available);
    QCOMPARE(info.id, std::string("faulty"));
    QCOMPARE(info.fingerprint, std::string("f"));
    QVERIFY(info.facts == (std::vector<std::pair<std::string, std::string>>{{"a", "b"}}));
}

void TestWorker::info_missingProgram_isUnavailableWithReason()
{
    WorkerOptions options;
    options.command = {"/nowhere/stagecraft-worker"};
    const auto device = makeWorkerDevice("cpu", options);
    QVERIFY(!device->info().available);
    QVERIFY(device->info().unavailableReason.find("/nowhere/stagecraft-worker") != std::string::npos);
    const auto session = device->open(behaviours());
    QVERIFY(!session && session.error().code == ErrorCode::DeviceFailed);
}

void TestWorker::info_unknownDevice_isUnavailableWithReason()
{
    const auto device = makeWorkerDevice("gpu:7", faulty());
    QVERIFY(!device->info().available);
    QVERIFY(device->info().unavailableReason.find("gpu:7") != std::string::npos);
}

// With or without a module, a driver and a GPU: an entry that is available or says why not.
void TestWorker::listWorkerDevices_realWorker_listsCpuAndGpu()
{
    const auto devices = test::take(listWorkerDevices(real()));
    QVERIFY(devices.size() >= 2);
    QCOMPARE(devices[0].id, std::string("cpu"));
    QVERIFY(devices[0].available);
    QCOMPARE(devices[1].id, std::string("gpu:0"));
    QVERIFY(devices[1].available == devices[1].unavailableReason.empty());
}

void TestWorker::realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven_data()
{
    QTest::addColumn<QByteArray>("given");
    QTest::addColumn<QByteArray>("kept");
    QTest::newRow("nothing") << QByteArray() << QByteArray("32");
    QTest::newRow("by a person") << QByteArray("4") << QByteArray("4");
}

// The worker begins anew once, with the environment its libraries will find: the system tells which that was.
void TestWorker::realWorker_queuesOfTheGpu_areThirtyTwoOrAsGiven()
{
    QFETCH(const QByteArray, given);
    QFETCH(const QByteArray, kept);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"CUDA_DEVICE_MAX_CONNECTIONS", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY"})
        environment.remove(name);
    if (!given.isEmpty())
        environment.insert("CUDA_DEVICE_MAX_CONNECTIONS", given);
    QProcess worker;
    worker.setProcessEnvironment(environment);
    worker.start(STAGECRAFT_BIN_DIR "/stagecraft-worker", QStringList());
    QVERIFY(worker.waitForStarted());
    const auto variables = [&] {
        QFile file(QString("/proc/%1/environ").arg(worker.processId()));
        return file.open(QIODevice::ReadOnly) ? file.readAll().split('\0') : QByteArrayList();
    };
    QTRY_VERIFY(variables().contains("GOMP_SPINCOUNT=2000"));
    QVERIFY(variables().contains("CUDA_DEVICE_MAX_CONNECTIONS=" + kept));
    worker.closeWriteChannel();
    QVERIFY(worker.waitForFinished());
}

void TestWorker::measureStage_fineStage_comesThroughExactly()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const auto sample = session->measureStage(stageOf(*graph, "fine"), {});
    QVERIFY(sample && sample->meanUs == 1.5 && sample->medianUs == 1.25 && sample->stddevUs == 0.5);
    QVERIFY(sample->clocks == (ClockRates{1980, 2619, "power limit"}));
    QCOMPARE(session->boundaryCost().barrierUs, 3.0);
    QCOMPARE(session->boundaryCost().chainUs, 4.0);
    Schedule schedule;
    schedule.stages = {stageOf(*graph, "fine"), stageOf(*graph, "fine")};
    const auto measurement = session->measureSchedule(schedule, {});
    QVERIFY(measurement && measurement->whole.meanUs == 2 && measurement->stages.size() == 2);
    QVERIFY(!measurement->whole.clocks.isKnown()); // the device did not say
}

void TestWorker::measureStage_refusedStage_keepsErrorAndWorker()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->measureStage(stageOf(*graph, "fine"), {})->runs;
    const auto sample = session->measureStage(stageOf(*graph, "refuse"), {});
    QVERIFY(!sample && sample.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(sample.error().context.front(), std::string("operator refuse"));
    QCOMPARE(sample.error().remedy, std::string("use another"));
    QCOMPARE(session->measureStage(stageOf(*graph, "fine"), {})->runs, worker);
}

void TestWorker::measureStage_lostWorker_namesTheStageAndGoesOn_data()
{
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("reason");
    QTest::newRow("crash") << "crash"
                           << "signal 11";
    QTest::newRow("exit") << "exit"
                          << "ended with status 3";
    QTest::newRow("hang") << "hang"
                          << "longer than 1.5";
    QTest::newRow("broken device") << "break"
                                   << "an illegal memory access";
    QTest::newRow("stopped") << "stop"
                             << "fell silent";
}

void TestWorker::measureStage_lostWorker_namesTheStageAndGoesOn()
{
    QFETCH(QString, stage);
    QFETCH(QString, reason);
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->measureStage(stageOf(*graph, "fine"), {})->runs;
    const Stage fatal = stageOf(*graph, qPrintable(stage));
    const auto sample = session->measureStage(fatal, {});
    QVERIFY(!sample && sample.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(sample.error().context.front(), "stage {" + stage.toStdString() + "}");
    QVERIFY2(QString::fromStdString(sample.error().message).contains(reason), sample.error().message.c_str());
    const auto next = session->measureStage(stageOf(*graph, "fine"), {});
    QVERIFY(next && next->runs != worker);
    // The stage is not tried again.
    const auto start = std::chrono::steady_clock::now();
    QVERIFY(!session->measureStage(fatal, {}));
    QVERIFY(std::chrono::steady_clock::now() - start < milliseconds(100));
    QCOMPARE(session->measureStage(stageOf(*graph, "fine"), {})->runs, next->runs);
}

void TestWorker::measureStage_printingLibrary_doesNotDisturb()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    QVERIFY(session->measureStage(stageOf(*graph, "print"), {}));
    QVERIFY(session->measureStage(stageOf(*graph, "fine"), {}));
}

void TestWorker::measureStage_workerKilledBetweenRequests_isReplaced()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->measureStage(stageOf(*graph, "fine"), {})->runs;
    kill(worker, SIGKILL);
    std::this_thread::sleep_for(milliseconds(50));
    const auto next = session->measureStage(stageOf(*graph, "fine"), {}); // no stage is to blame
    QVERIFY(next && next->runs != worker);
}

void TestWorker::measureStage_deviceBackAfterAMoment_goesOn()
{
    const QTemporaryDir folder;
    WorkerOptions options = faulty();
    options.command.insert(options.command.end(), {"", folder.filePath("opened").toStdString(), "1"});
    const auto graph = behaviours();
    const auto session = test::take(makeWorkerDevice("faulty", options)->open(graph));
    QVERIFY(!session->measureStage(stageOf(*graph, "crash"), {}));
    QVERIFY(session->measureStage(stageOf(*graph, "fine"), {}));
}

void TestWorker::measureStage_deviceGone_saysSoAtOnce()
{
    const QTemporaryDir folder;
    const QString opened = folder.filePath("opened");
    WorkerOptions options = faulty();
    options.command.insert(options.command.end(), {"", opened.toStdString(), "100"});
    const auto graph = behaviours();
    const auto session = test::take(makeWorkerDevice("faulty", options)->open(graph));
    QVERIFY(!session->measureStage(stageOf(*graph, "crash"), {}));
    for (const char *stage : {"fine", "print"}) { // neither is to blame
        const auto sample = session->measureStage(stageOf(*graph, stage), {});
        QVERIFY(!sample && sample.error().code == ErrorCode::DeviceFailed);
        QCOMPARE(sample.error().message, std::string("the GPU has fallen off the bus"));
        QCOMPARE(sample.error().context, std::vector<std::string>{"starting faulty again"});
    }
    QCOMPARE(QFileInfo(opened).size(), 1 + 3); // nobody waits for it a second time
}

void TestWorker::measureStage_stopRequested_isCancelledAndTheWorkerLives()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const int worker = session->measureStage(stageOf(*graph, "fine"), {})->runs;
    std::stop_source stop;
    std::jthread later([&] {
        std::this_thread::sleep_for(milliseconds(200));
        stop.request_stop();
    });
    const auto sample = session->measureStage(stageOf(*graph, "slow"), stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
    QCOMPARE(session->measureStage(stageOf(*graph, "fine"), {})->runs, worker);
}

void TestWorker::measureStage_stuckWorkerAndStop_isCancelled()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    std::stop_source stop;
    stop.request_stop();
    const auto sample = session->measureStage(stageOf(*graph, "hang"), stop.get_token());
    QVERIFY(!sample && sample.error().code == ErrorCode::Cancelled);
    QVERIFY(session->measureStage(stageOf(*graph, "fine"), {}));
}

void TestWorker::measureStage_deviceInUseElsewhere_waitsBeyondTheDeadline()
{
    const std::string hardware = "test-worker-" + std::to_string(QCoreApplication::applicationPid());
    const auto graph = behaviours();
    WorkerOptions options = faulty();
    options.command.push_back(hardware);
    const auto session = test::take(makeWorkerDevice("faulty", options)->open(graph));
    QVERIFY(session->measureStage(stageOf(*graph, "fine"), {}));
    auto elsewhere = std::make_unique<DeviceTurn>(hardware, std::stop_token());
    const milliseconds held = options.stageDeadline + milliseconds(700);
    const auto release = std::async(std::launch::async, [&] {
        std::this_thread::sleep_for(held);
        elsewhere.reset();
    });
    const auto begin = std::chrono::steady_clock::now();
    QVERIFY(session->measureStage(stageOf(*graph, "fine"), {}));
    QVERIFY(std::chrono::steady_clock::now() - begin >= options.stageDeadline);
    release.wait();
    // Once it has its turn, the deadline holds.
    QVERIFY(!session->measureStage(stageOf(*graph, "hang"), {}));

    elsewhere = std::make_unique<DeviceTurn>(hardware, std::stop_token());
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = session->measureStage(stageOf(*graph, "fine"), stop.get_token());
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    std::filesystem::remove(DeviceTurn::turnFile(hardware));
    std::filesystem::remove(DeviceTurn::queueFile(hardware));
}

void TestWorker::timeline_fromAWorker_comesThrough()
{
    const auto graph = behaviours();
    const auto timeline = openFaulty(graph)->timeline({}, {});
    QVERIFY(timeline && timeline->durationNs == 77 && timeline->streams == 3);
    QVERIFY(timeline->provenance == Provenance::Measured);
    const KernelSpan &kernel = timeline->kernels.front();
    QVERIFY(kernel.operators == std::vector<OperatorId>{OperatorId{1}});
    QVERIFY((kernel.grid == std::array<std::int64_t, 3>{4, 5, 6}));
    QVERIFY(kernel.group == 1 && kernel.stream == 2 && kernel.endNs == 60 && kernel.bytes == 11);
    QCOMPARE(timeline->counter("active threads")->values.back(), 2.0);
    QVERIFY(timeline->notes == std::vector<std::string>{"a right is missing"});
}

void TestWorker::measureStage_afterATimeline_isDoneByAnotherWorker()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const Stage stage = stageOf(*graph, "fine");
    const int before = test::take(session->measureStage(stage, {})).runs; // the worker's process
    QVERIFY(session->timeline({}, {}));
    QVERIFY(session->timeline({}, {})); // a profiled worker still traces
    const int after = test::take(session->measureStage(stage, {})).runs;
    QVERIFY(before != after);
    QCOMPARE(test::take(session->measureStage(stage, {})).runs, after);
}

void TestWorker::run_tensors_comeThrough()
{
    const auto graph = behaviours();
    const HostTensor tensor{"t", Shape{{2, 3}}, {1, 2, 3, 4, 5, 6.5F}};
    const auto outputs = openFaulty(graph)->run({}, {tensor}, {});
    QVERIFY(outputs && outputs->size() == 1);
    QVERIFY(outputs->front().shape == tensor.shape && outputs->front().values == tensor.values);
}

void TestWorker::graphMessage_everyAttribute_readsBack()
{
    GraphBuilder builder("g");
    const TensorId x = test::take(builder.addInput("x", Shape{{2, 8, 9, 9}}));
    Operator conv = test::conv("conv", {{x}}, 8, 3);
    conv.parameters = {{"weight", "w", Shape{{8, 8, 3, 3}}, DataType::Float32, nullptr},
                       {"bias", "b", Shape{{2}}, DataType::Float32, std::make_shared<std::vector<float>>(2, 0.5F)}};
    const TensorId a = test::take(builder.add(conv));
    Operator sep = test::join("sep", {{a, x}});
    sep.kind = OperatorKind::SepConv;
    sep.attributes = SepConvAttributes{16, {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, {ActivationKind::Relu}, {}, {}};
    const TensorId b = test::take(builder.add(sep));
    Operator pool = test::join("pool", {{b}, {a}});
    pool.kind = OperatorKind::Pool;
    pool.attributes = PoolAttributes{PoolAttributes::Mode::Average, false, true, true, {{2, 2}, {2, 2}, {1, 1}, {}}};
    test::take(builder.add(pool));
    Operator act = test::join("act", {{b}});
    act.kind = OperatorKind::Activation;
    act.attributes = Activation{ActivationKind::LeakyRelu, 0.25F, 0};
    test::take(builder.add(act));
    Operator split = test::join("split", {{b}});
    split.kind = OperatorKind::Split;
    split.attributes = GenericAttributes{{{"axis", "1"}, {"split", "[4, 12]"}}};
    test::take(builder.add(
        split, {{"s1", Shape{{2, 4, 9, 9}}, DataType::Float32, {}}, {"s2", Shape{{}, false}, DataType::Int64, {}}}));
    const Graph graph = test::take(builder.build());
    worker::Graph message;
    worker::write(graph, message);
    worker::Graph parsed;
    QVERIFY(parsed.ParseFromString(message.SerializeAsString()));
    const Graph read = test::take(worker::read(parsed));
    QCOMPARE(read.name(), graph.name());
    QCOMPARE(read.size(), graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &from = graph.operators()[i];
        const Operator &to = read.operators()[i];
        QCOMPARE(to.name, from.name);
        QVERIFY(to.kind == from.kind && to.attributes == from.attributes && to.type == from.type);
        QCOMPARE(to.outputs.size(), from.outputs.size());
        for (std::size_t k = 0; k < to.outputs.size(); ++k) {
            QVERIFY(read.tensor(to.outputs[k]).shape == graph.tensor(from.outputs[k]).shape);
            QVERIFY(read.tensor(to.outputs[k]).type == graph.tensor(from.outputs[k]).type);
        }
        QCOMPARE(to.inputs.size(), from.inputs.size());
        for (std::size_t part = 0; part < to.inputs.size(); ++part) {
            QCOMPARE(to.inputs[part].size(), from.inputs[part].size());
            for (std::size_t k = 0; k < to.inputs[part].size(); ++k)
                QCOMPARE(read.tensor(to.inputs[part][k]).name, graph.tensor(from.inputs[part][k]).name);
        }
    }
    QVERIFY(!read.operators()[0].parameters[0].values);
    QVERIFY(*read.operators()[0].parameters[1].values == std::vector<float>(2, 0.5F));
    QCOMPARE(read.outputs().size(), graph.outputs().size());
}

void TestWorker::graphMessage_wrongIndices_areRefused()
{
    worker::Graph message;
    message.add_inputs(5);
    QVERIFY(!worker::read(message));
    message.Clear();
    worker::write(*behaviours(), message);
    message.mutable_operators(1)->mutable_inputs(0)->set_tensors(0, 99);
    QVERIFY(!worker::read(message));
    worker::write(*behaviours(), *(message.Clear(), &message));
    message.mutable_operators(1)->set_kind(1000);
    QVERIFY(!worker::read(message));
    worker::Stage stage;
    stage.add_groups()->add_operators(100);
    QVERIFY(!worker::read(stage, *behaviours()));
}

void TestWorker::worker_standardOutput_isMessagesAlone()
{
    QProcess process;
    process.start(STAGECRAFT_BIN_DIR "/stagecraft-worker", QStringList());
    QVERIFY(process.waitForStarted());
    worker::Request request;
    request.set_version(worker::kVersion);
    request.set_id(7);
    request.mutable_describe()->set_device("cpu");
    const std::string bytes = request.SerializeAsString();
    process.write(QByteArray(1, static_cast<char>(bytes.size())) + QByteArray::fromStdString(bytes));
    QVERIFY(process.waitForReadyRead(20000));
    QTRY_VERIFY(process.bytesAvailable() > 2);
    const QByteArray answer = process.readAllStandardOutput();
    // A varint of two bytes, then the reply, then nothing.
    const int size = (answer[0] & 0x7F) | (answer[1] << 7);
    QCOMPARE(answer.size(), size + 2);
    worker::Reply reply;
    QVERIFY(reply.ParseFromArray(answer.constData() + 2, size));
    QCOMPARE(reply.id(), std::uint64_t{7});
    QCOMPARE(reply.info().id(), std::string("cpu"));
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished());
    QVERIFY(process.readAllStandardOutput().isEmpty());
}

void TestWorker::worker_inputEnds_exits()
{
    QProcess process;
    process.start(STAGECRAFT_BIN_DIR "/stagecraft-worker", QStringList());
    QVERIFY(process.waitForStarted());
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 0);
}

void TestWorker::worker_startedByHand_saysHow()
{
    QProcess process;
    process.start(STAGECRAFT_BIN_DIR "/stagecraft-worker", QStringList("--help"));
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 2);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().contains("started by stagecraft"));
}

void TestWorker::cpu_throughTheWorker_measuresAndRuns()
{
    GraphBuilder builder("g");
    const TensorId x = test::take(builder.addInput("x", Shape{{1, 16, 9, 9}}));
    Operator conv = test::conv("conv", {{x}}, 16, 3);
    conv.parameters = {{"weight", "w", Shape{{16, 16, 3, 3}}, DataType::Float32, nullptr}};
    test::take(builder.add(conv));
    const auto graph = std::make_shared<Graph>(test::take(builder.build()));
    const auto device = makeWorkerDevice("cpu", real());
    QVERIFY2(device->info().available, device->info().unavailableReason.c_str());
    QVERIFY(device->info().fingerprint.find("oneDNN") != std::string::npos);
    const auto session = test::take(device->open(graph));
    Schedule schedule;
    schedule.stages = {{0, Strategy::Concurrent, {{OperatorId{0}}}}};
    QVERIFY(session->measureStage(schedule.stages[0], {})->medianUs > 0);
    const HostTensor zeros{"x", Shape{{1, 16, 9, 9}}, std::vector<float>(16 * 81, 0)};
    const auto outputs = session->run(schedule, {zeros}, {});
    QVERIFY(outputs);
    QVERIFY(outputs->front().values == std::vector<float>(16 * 81, 0));
    QVERIFY(!session->run(schedule, {}, {}));
    QVERIFY(session->timeline(schedule, {})->kernels.size() == 1);
}

// The real library, told to print every operator to standard output.
void TestWorker::cpu_libraryThatPrints_doesNotDisturb()
{
    qputenv("DNNL_VERBOSE", "1");
    cpu_throughTheWorker_measuresAndRuns();
    qunsetenv("DNNL_VERBOSE");
}

void TestWorker::roundTrip_fineStage_isShort()
{
    const auto graph = behaviours();
    const auto session = openFaulty(graph);
    const Stage stage = stageOf(*graph, "fine");
    std::vector<double> timesUs;
    for (int i = 0; i < 300; ++i) {
        const auto start = std::chrono::steady_clock::now();
        QVERIFY(session->measureStage(stage, {}));
        timesUs.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::ranges::sort(timesUs);
    // The least of many: the machine may be busy with other things.
    qInfo("round trip: least %.1f us, median %.1f us", timesUs.front(), timesUs[timesUs.size() / 2]);
    QVERIFY(timesUs.front() < 200);
}

QTEST_GUILESS_MAIN(TestWorker)
#include "tst_worker.moc"
