// The devices of PyTorch: outputs, latencies and timelines of the worker in Python, on a CPU and on a GPU that is made
// up (fake_torch_cuda.py), and what set-ups that cannot work are told. Needs a Python with torch; what does not is
// tested without.

#include "core/device/device_conformance.h"
#include "device/npy.h"
#include "device/worker/transports/pytorch.h"
#include "operators/parameter_values.h"
#include "support/cli_process.h"
#include "support/opened_model.h"
#include "support/peer_python.h"
#include "support/suite.h"
#include "wiring/pytorch_worker.h"

#include <QDir>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <cstring>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pytorch_device {

namespace {

using Promise = void (*)(const DeviceUnderTest &);

constexpr double kSameWithin = 1e-4;

void writeProgram(const QString &path, const QByteArray &text)
{
    write(path, text);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

// Of a process: whether it has loaded PyTorch.
bool hasTorch(const QByteArray &process)
{
    return contentOf("/proc/" + process + "/maps").contains("libtorch_cpu");
}

bool eventually(const std::function<bool()> &holds)
{
    return QTest::qWaitFor(holds, 60'000);
}

} // namespace

class TestPytorchDevice : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();

    void worker_itsParts_work();
    void worker_startedByHand_saysWhatItIs();
    void worker_seededConstants_areTheProgramsToTheLastBit();
    void devices_wrongSetUp_saysWhatToDo_data();
    void devices_wrongSetUp_saysWhatToDo();
    void devices_listed_doNotLoadPyTorch();
    void devices_one_saysItsVersions();
    void run_anySchedule_computesWhatCpuDoes_data();
    void run_anySchedule_computesWhatCpuDoes();
    void device_keepsWhatEveryDevicePromises_data();
    void device_keepsWhatEveryDevicePromises();
    void optimize_onCpu_measuresAndStores();
    void compare_withStreams_measuresWholes();
    void timeline_onCpu_namesOperatorsAndThreads();
    void measure_operatorWithoutCode_isRefusedByName();
    void measure_otherOutputs_areRefused();
    void measure_workerKilled_isReplaced();
    void optimize_interrupted_endsTheWorker();
    void gpu_groupsAndStreams_waitAsTheyMust_data();
    void gpu_groupsAndStreams_waitAsTheyMust();
    void gpu_withoutCaptures_isTimedAllTheSame();

private:
    [[nodiscard]] Answer asked(const QStringList &arguments, const QStringList &environment = {}) const
    {
        return cli(arguments, m_folder.path(),
                   QStringList{"STAGECRAFT_PYTHON=" + m_python, "XDG_DATA_HOME=" + m_folder.path()} + environment);
    }
    // A program for STAGECRAFT_PYTHON that is the real one, and writes its process to `pids`.
    [[nodiscard]] QString notingPython(const QString &pids) const
    {
        const QString path = m_folder.filePath("noting");
        writeProgram(path, "#!/bin/sh\necho $$ >> '" + pids.toUtf8() + "'\nexec '" + m_python.toUtf8() + "' \"$@\"\n");
        return path;
    }
    [[nodiscard]] QString pythonWithFakeGpu() const
    {
        const QString path = m_folder.filePath("with_gpu");
        writeProgram(path, "#!/bin/sh\nexec '" + m_python.toUtf8() + "' '" +
                               sourcePath("tests/app/pytorch_worker_on_fake_gpu.py").toUtf8() + "' \"$@\"\n");
        return path;
    }

    QTemporaryDir m_folder;
    QString m_python;
};

#define NEED_TORCH()                                                                                                   \
    if (m_python.isEmpty())                                                                                            \
    QSKIP("there is no Python with torch; install python3-torch")

void TestPytorchDevice::initTestCase()
{
    m_python = pythonWithTorch();
    write(m_folder.filePath("worker.py"), QByteArray::fromStdString(pytorchWorkerText()));
}

void TestPytorchDevice::worker_itsParts_work()
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("python3", {sourcePath("tests/app/pytorch_worker_parts.py"), m_folder.filePath("worker.py")});
    QVERIFY(process.waitForFinished(60'000));
    QVERIFY2(process.exitCode() == 0, process.readAll());
}

void TestPytorchDevice::worker_startedByHand_saysWhatItIs()
{
    QProcess process;
    process.start("python3", {m_folder.filePath("worker.py"), "--help"});
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 2);
    QVERIFY(process.readAllStandardError().contains("stagecraft and stagecraft-cli start it"));
}

void TestPytorchDevice::worker_seededConstants_areTheProgramsToTheLastBit()
{
    NEED_TORCH();
    for (const std::vector<std::int64_t> &dims : {std::vector<std::int64_t>{8, 3, 3, 5}, {17}, {4, 0}}) {
        const Parameter parameter = seededParameter("weight", "c\xc3\xb6nv", dims);
        const auto values = parameterValues(parameter);
        QByteArray wanted(reinterpret_cast<const char *>(values->data()),
                          static_cast<qsizetype>(values->size() * sizeof(float)));
        QStringList sizes;
        for (const std::int64_t size : dims)
            sizes << QString::number(size);
        QProcess process;
        process.start(m_python, {"-c",
                                 QString("import sys\nw = {'__name__': 'worker'}\nexec(open(sys.argv[1]).read(), "
                                         "w)\nw['load_torch']()\nprint(w['bytes_of'](w['seeded_values']("
                                         "bytes.fromhex(sys.argv[2]), [%1])).hex())")
                                     .arg(sizes.join(", ")),
                                 m_folder.filePath("worker.py"), QByteArray::fromStdString(parameter.name).toHex()});
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.readAllStandardOutput().trimmed(), wanted.toHex());
    }
}

void TestPytorchDevice::devices_wrongSetUp_saysWhatToDo_data()
{
    QTest::addColumn<QByteArray>("python");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const QByteArray &python, const char *reason) {
        QTest::newRow(name) << python << reason;
    };
    const QByteArray real = "#!/bin/sh\nPYTHONPATH=$PWD/NAME exec python3 -S \"$@\"\n"; // without its packages
    row("no Python", "", "cannot be started: No such file or directory; set STAGECRAFT_PYTHON to a Python");
    row("not a program", "\x01", "cannot be started: Exec format error; set STAGECRAFT_PYTHON to a Python");
    row("no torch", QByteArray(real).replace("NAME", "none"),
        "has no PyTorch; install PyTorch 1.13 or newer (python3-torch, or pip install torch), or set "
        "STAGECRAFT_PYTHON");
    row("old torch", QByteArray(real).replace("NAME", "old"), "has PyTorch 1.9.0, which is too old; install PyTorch");
    row("broken torch", QByteArray(real).replace("NAME", "broken"),
        "does not load: libcudnn.so.9: cannot open shared object file; install PyTorch");
    row("incomplete torch", QByteArray(real).replace("NAME", "incomplete"),
        "does not load: No module named 'numbers2'");
    row("garbage", "#!/bin/sh\necho 'hello from your start-up file, which prints'; exec python3 -S \"$@\"\n",
        "wrote something else than messages to its standard output; see that nothing else prints there");
    row("it ends", "#!/bin/sh\nexit 7\n", "ended with status 7");
    row("it is killed", "#!/bin/sh\nkill -9 $$\n", "was killed by signal 9");
    row("another version",
        "#!/bin/sh\nshift\nworker=$(printf %s \"$1\" | sed 's/^PROTOCOL = .*/PROTOCOL = 6/')\nexec python3 -c "
        "\"$worker\"\n",
        "speaks version 6 of the protocol");
}

void TestPytorchDevice::devices_wrongSetUp_saysWhatToDo()
{
    QFETCH(const QByteArray, python);
    QFETCH(const QString, reason);
    const QTemporaryDir folder;
    const auto module = [&](const QString &name, const QByteArray &version, const QByteArray &text) {
        QDir(folder.path()).mkpath(name + "/torch/nn");
        write(folder.filePath(name + "/torch/version.py"), "__version__ = '" + version + "'\n");
        write(folder.filePath(name + "/torch/__init__.py"), "__version__ = '" + version + "'\n" + text);
        write(folder.filePath(name + "/torch/nn/__init__.py"), "");
        write(folder.filePath(name + "/torch/nn/functional.py"), "");
    };
    module("old", "1.9.0", "");
    module("broken", "2.0.0", "raise ImportError('libcudnn.so.9: cannot open shared object file')\n");
    module("incomplete", "2.0.0", "import numbers2\n");
    const QString path = folder.filePath("python");
    if (!python.isEmpty())
        writeProgram(path, python);
    const Answer refused = cli({"measure", "sample", "-d", "pytorch:cpu"}, folder.path(),
                               {"STAGECRAFT_PYTHON=" + path, "XDG_DATA_HOME=" + folder.path()});
    QCOMPARE(refused.status, 4);
    QVERIFY2(refused.err.contains(reason.toUtf8()), refused.err);
}

// Ids that can be used at once: what is missing is found out when a device is asked for.
void TestPytorchDevice::devices_listed_doNotLoadPyTorch()
{
    const QTemporaryDir folder;
    QDir(folder.path()).mkpath("torch");
    write(folder.filePath("torch/version.py"), "__version__ = '2.4.1'\ncuda = None\n");
    write(folder.filePath("torch/__init__.py"), "open('loaded', 'w')\n");
    const QString path = folder.filePath("python");
    writeProgram(path, "#!/bin/sh\nPYTHONPATH=$PWD exec python3 -S \"$@\"\n");
    const Answer listed = cli({"devices", "--json"}, folder.path(), {"STAGECRAFT_PYTHON=" + path});
    QVERIFY2(listed.status == 0, listed.err);
    QMap<QString, QJsonObject> devices;
    for (const QJsonValue &device : listed.json()["devices"].toArray())
        devices[device["id"].toString()] = device.toObject();
    QVERIFY2(devices.contains("pytorch:cpu") && devices.contains("pytorch:cuda:0"), listed.out);
    QCOMPARE(devices["pytorch:cpu"]["available"], true);
    QCOMPARE(devices["pytorch:cpu"]["provenance"], "measured");
    QVERIFY(devices["pytorch:cpu"]["title"].toString().startsWith("PyTorch 2.4.1 on "));
    QCOMPARE(devices["pytorch:cuda:0"]["available"], false);
    QVERIFY2(devices["pytorch:cuda:0"]["reason"].toString().contains("was built without CUDA"), listed.out);
    QVERIFY(!QFile::exists(folder.filePath("loaded")));
}

void TestPytorchDevice::devices_one_saysItsVersions()
{
    NEED_TORCH();
    const Answer shown = asked({"devices", "pytorch:cpu:1:channels-last", "--json"});
    QVERIFY2(shown.status == 0, shown.err);
    const QJsonObject facts = shown.json()["facts"].toObject();
    QCOMPARE(facts["threads"], "1");
    QCOMPARE(facts["layout of images"], "channels last");
    QVERIFY(!facts["PyTorch"].toString().isEmpty() && !facts["oneDNN"].toString().isEmpty());
    const Answer gpu =
        asked({"devices", "pytorch:cuda:0:tf32", "--json"}, {"STAGECRAFT_PYTHON=" + pythonWithFakeGpu()});
    QCOMPARE(gpu.json()["facts"].toObject()["GPU"], "Fake GPU");
    QCOMPARE(gpu.json()["precision"], "tf32");
    QVERIFY(gpu.json()["facts"].toObject().contains("cuDNN"));
    const Answer none = asked({"devices", "pytorch:cuda:1", "--json"}, {"STAGECRAFT_PYTHON=" + pythonWithFakeGpu()});
    QCOMPARE(none.json()["reason"], "PyTorch finds 1 GPU, counted from 0, and no number 1");
}

void TestPytorchDevice::run_anySchedule_computesWhatCpuDoes_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<QString>("device");
    const auto row = [](const char *name, const char *model, const char *strategy, const char *device) {
        QTest::newRow(name) << model << strategy << device;
    };
    row("one after another", "squeezenet", "sequential", "pytorch:cpu");
    row("groups", "sample", "parallel", "pytorch:cpu");
    row("merged", "sample", "merge", "pytorch:cpu:1");
    row("streams", "squeezenet", "nimble", "pytorch:cpu");
    row("merged, in streams", "squeezenet", "ios-relaxed", "pytorch:cpu:2:channels-last");
    row("units of several operators", "shufflenet_v2", "greedy", "pytorch:cpu");
    row("on a GPU, merged", "sample", "both", "pytorch:cuda:0");
}

void TestPytorchDevice::run_anySchedule_computesWhatCpuDoes()
{
    NEED_TORCH();
    QFETCH(const QString, model);
    QFETCH(const QString, strategy);
    QFETCH(const QString, device);
    QString schedule = strategy;
    if (strategy != "sequential" && strategy != "greedy") {
        schedule = m_folder.filePath("s.json");
        const Answer found = asked({"optimize", model, "-d", "sim:v100", "--strategy", strategy, "--r", "2", "--s", "4",
                                    "-o", schedule, "--force"});
        QVERIFY2(found.status == 0, found.err);
    }
    const auto opened = openedModel(model.toStdString());
    QVERIFY(opened);
    const Graph &graph = *opened->graph;
    QStringList inputs;
    for (const TensorId id : graph.inputs()) {
        HostTensor input{"", graph.tensor(id).shape, {}};
        for (std::int64_t i = 0; i < input.shape.elements(); ++i)
            input.values.push_back(std::sin(static_cast<float>(i)));
        const QString file = m_folder.filePath(QString("in%1.npy").arg(inputs.size()));
        QVERIFY(writeNpy(file.toStdString(), input));
        inputs << "-i" << QString::fromStdString(graph.tensor(id).name) + "=" + file;
    }
    std::vector<HostTensor> outputs;
    for (const QString &on : {QString("cpu"), device}) {
        const QString file = m_folder.filePath("out.npy");
        const QStringList environment =
            on.contains("cuda") ? QStringList{"STAGECRAFT_PYTHON=" + pythonWithFakeGpu()} : QStringList();
        const Answer run = asked(
            QStringList{"run", model, "-d", on, "--schedule", schedule, "-o", file, "--force"} + inputs, environment);
        QVERIFY2(run.status == 0, run.err);
        const auto output = readNpy(file.toStdString());
        QVERIFY(output);
        outputs.push_back(*output);
    }
    QCOMPARE(outputs[1].shape.dims, outputs[0].shape.dims);
    float most = 0;
    for (std::size_t i = 0; i < outputs[0].values.size(); ++i)
        most = std::max(most, std::abs(outputs[0].values[i] - outputs[1].values[i]));
    QVERIFY2(most <= kSameWithin, qPrintable(QString::number(most)));
}

void TestPytorchDevice::device_keepsWhatEveryDevicePromises_data()
{
    QTest::addColumn<Promise>("promise");
    QTest::newRow("describesItself") << Promise(&test::describesItself);
    QTest::newRow("stagesHaveLatencies") << Promise(&test::stagesHaveLatencies);
    QTest::newRow("schedulesHaveLatencies") << Promise(&test::schedulesHaveLatencies);
    QTest::newRow("stopsWhenAsked") << Promise(&test::stopsWhenAsked);
    QTest::newRow("timelinesFitTheSchedule") << Promise(&test::timelinesFitTheSchedule);
    QTest::newRow("refusesIllegalStages") << Promise(&test::refusesIllegalStages);
    QTest::newRow("refusesIllegalSchedules") << Promise(&test::refusesIllegalSchedules);
    QTest::newRow("runsRightOrRefuses") << Promise(&test::runsRightOrRefuses);
}

void TestPytorchDevice::device_keepsWhatEveryDevicePromises()
{
    NEED_TORCH();
    QFETCH(const Promise, promise);
    qputenv("STAGECRAFT_PYTHON", m_python.toUtf8());
    promise({.make = [] { return makeWorkerDevice("pytorch:cpu", withPytorchWorker({})); },
             .isDeterministic = false,
             .executes = true,
             .tolerance = kSameWithin});
}

void TestPytorchDevice::optimize_onCpu_measuresAndStores()
{
    NEED_TORCH();
    const Answer found = asked({"optimize", "sample", "-d", "pytorch:cpu", "--json"});
    QVERIFY2(found.status == 0, found.err);
    QCOMPARE(found.json()["provenance"], "measured");
    QVERIFY(found.json()["latency_us"].toDouble() > 0);
    QVERIFY2(!found.err.contains("were not compared"), found.err);
    const Answer stored = asked({"latencies", "list", "--json"});
    QVERIFY2(stored.status == 0 && stored.out.contains("pytorch:cpu"), stored.out);
}

void TestPytorchDevice::compare_withStreams_measuresWholes()
{
    NEED_TORCH();
    const Answer compared =
        asked({"compare", "sample", "-d", "pytorch:cpu", "--schedule", "greedy", "--schedule", "nimble", "--json"});
    QVERIFY2(compared.status == 0, compared.err);
    QCOMPARE(compared.json()["order"].toArray(), (QJsonArray{"greedy", "nimble"}));
    for (const QString &name : QStringList{"greedy", "nimble"})
        QVERIFY(compared.json()["schedules"].toObject()[name].toObject()["latency_us"].toDouble() > 0);
}

void TestPytorchDevice::timeline_onCpu_namesOperatorsAndThreads()
{
    NEED_TORCH();
    const Answer shown = asked({"timeline", "sample", "-d", "pytorch:cpu:3", "--schedule", "greedy", "--json"});
    QVERIFY2(shown.status == 0, shown.err);
    const QJsonArray kernels = shown.json()["kernels"].toArray();
    QCOMPARE(kernels.size(), 5);
    QSet<int> threads;
    for (const QJsonValue &kernel : kernels) {
        QCOMPARE(kernel["operators"].toArray().size(), 1);
        threads << kernel["first_thread"].toInt();
    }
    QVERIFY2(threads.size() == 3, shown.out); // the three groups of the first stage
    QVERIFY2(shown.out.contains("conv1 (aten::"), shown.out);
}

void TestPytorchDevice::measure_operatorWithoutCode_isRefusedByName()
{
    NEED_TORCH();
    const Answer refused = asked({"measure", sourcePath("tests/data/onnx/unknown_operator.onnx"), "-d", "pytorch:cpu"});
    QVERIFY2(refused.status == 3 && refused.err.contains("operator "), refused.err);
}

void TestPytorchDevice::measure_otherOutputs_areRefused()
{
    NEED_TORCH();
    const Answer refused = asked({"measure", "sample", "-d", "pytorch:cuda:0"},
                                 {"STAGECRAFT_PYTHON=" + pythonWithFakeGpu(), "FAKE_GPU_OUTPUTS=wrong"});
    QCOMPARE(refused.status, 4);
    QVERIFY2(refused.err.contains("output concat of pytorch:cuda:0 differs from that of cpu by 1 "), refused.err);
}

void TestPytorchDevice::measure_workerKilled_isReplaced()
{
    NEED_TORCH();
    const QString pids = m_folder.filePath("pids_killed");
    QProcess process;
    process.setEnvironment(QProcess::systemEnvironment() +
                           QStringList{"STAGECRAFT_PYTHON=" + notingPython(pids), "XDG_DATA_HOME=" + m_folder.path()});
    process.start(programPath("stagecraft-cli"), {"measure", "squeezenet", "-d", "pytorch:cpu", "--json"});
    // The first says what the device is, the second measures.
    QVERIFY(eventually([&] {
        const QByteArrayList started = contentOf(pids).trimmed().split('\n');
        return started.size() == 2 && hasTorch(started[1]);
    }));
    QCOMPARE(::kill(contentOf(pids).trimmed().split('\n')[1].toInt(), SIGKILL), 0);
    QVERIFY(process.waitForFinished(120'000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
    QVERIFY(contentOf(pids).trimmed().split('\n').size() >= 3);
}

void TestPytorchDevice::optimize_interrupted_endsTheWorker()
{
    NEED_TORCH();
    const QString pids = m_folder.filePath("pids_interrupted");
    QProcess process;
    process.setEnvironment(QProcess::systemEnvironment() +
                           QStringList{"STAGECRAFT_PYTHON=" + notingPython(pids), "XDG_DATA_HOME=" + m_folder.path()});
    process.start(programPath("stagecraft-cli"), {"optimize", "nasnet", "-d", "pytorch:cpu", "--json"});
    QVERIFY(eventually([&] {
        const QByteArrayList started = contentOf(pids).trimmed().split('\n');
        return started.size() == 2 && hasTorch(started[1]);
    }));
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 130);
    for (const QByteArray &started : contentOf(pids).trimmed().split('\n'))
        QVERIFY(eventually([&] { return !hasTorch(started); }));
}

void TestPytorchDevice::gpu_groupsAndStreams_waitAsTheyMust_data()
{
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<int>("streams");
    QTest::newRow("groups of stages") << "greedy" << 3;
    QTest::newRow("streams") << "nimble" << 3;
}

// What the CUDA graph has launched, and on which streams, is safe as `verify` judges it.
void TestPytorchDevice::gpu_groupsAndStreams_waitAsTheyMust()
{
    NEED_TORCH();
    QFETCH(const QString, strategy);
    QFETCH(const int, streams);
    QString schedule = strategy;
    if (strategy != "greedy") {
        schedule = m_folder.filePath("streams.json");
        QCOMPARE(
            asked({"optimize", "sample", "-d", "sim:v100", "--strategy", strategy, "-o", schedule, "--force"}).status,
            0);
    }
    const QString plan = m_folder.filePath("plan.json");
    const Answer measured = asked({"measure", "sample", "-d", "pytorch:cuda:0", "--schedule", schedule, "--json"},
                                  {"STAGECRAFT_PYTHON=" + pythonWithFakeGpu(), "FAKE_GPU_PLAN=" + plan});
    QVERIFY2(measured.status == 0, measured.err);
    QCOMPARE(measured.json()["provenance"], "measured");
    QVERIFY2(!measured.err.contains("without a CUDA graph"), measured.err);
    const Answer verified = asked({"verify", plan});
    QVERIFY2(verified.status == 0, verified.out);
    QVERIFY2(verified.out.contains(QString("%1 streams").arg(streams).toUtf8()), verified.out);
}

void TestPytorchDevice::gpu_withoutCaptures_isTimedAllTheSame()
{
    NEED_TORCH();
    const Answer measured = asked({"measure", "sample", "-d", "pytorch:cuda:0", "--schedule", "greedy", "--json"},
                                  {"STAGECRAFT_PYTHON=" + pythonWithFakeGpu(), "FAKE_GPU_CAPTURES=no"});
    QVERIFY2(measured.status == 0, measured.err);
    QVERIFY(measured.json()["latency_us"].toDouble() > 0);
    QVERIFY2(measured.err.contains("timed without a CUDA graph, since PyTorch captures none"), measured.err);
}

STAGECRAFT_SUITE(TestPytorchDevice)

} // namespace tst_pytorch_device
#include "tst_pytorch_device.moc"
