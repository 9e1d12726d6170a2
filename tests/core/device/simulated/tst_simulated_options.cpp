#include "device/simulated/option_choices.h"
#include "device/simulated/simulated_device.h"
#include "device/simulated/simulated_options.h"
#include "model/built_in.h"
#include "search/stages/search.h"
#include "support/suite.h"
#include "timing/simulator_version.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <fstream>

using namespace stagecraft;

namespace tst_simulated_options {

namespace {

struct Network {
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
};

Network network(std::string_view name)
{
    SourceGraph source = *builtInNetwork(name);
    return {std::make_shared<const Graph>(std::move(source.graph)), source.blocks};
}

std::string idOf(const std::string &name)
{
    return (*openSimulatedDevice(name))->info().id;
}

double sequentialUs(const Network &network, const std::string &device)
{
    const auto session = *(*openSimulatedDevice(device))->open(network.graph);
    return session->measureWhole(sequentialSchedule(*network.graph, network.blocks), {})->timing.latencyUs;
}

// A description as written before there were options.
std::string olderFile(const QTemporaryDir &folder)
{
    std::string text;
    std::istringstream lines(toJson(*findDeviceDescription("a100")));
    for (std::string line; std::getline(lines, line);) {
        const bool isLater = std::ranges::any_of(std::array{"tf32", "graph", "event_us"}, [&](const char *later) {
            return line.find(later) != std::string::npos;
        });
        if (!isLater)
            text += line + '\n';
        else if (line.find("sources") != std::string::npos)
            text += "  \"sources\": \"data sheet\",\n";
    }
    const std::size_t last = text.rfind(',');
    text.erase(last, 1);
    const std::size_t name = text.find("\"a100\"");
    text.replace(name, 6, "\"older\"");
    const std::string path = folder.filePath("older.json").toStdString();
    std::ofstream(path) << text;
    return path;
}

} // namespace

class TestSimulatedOptions : public QObject {
    Q_OBJECT

private slots:
    void id_options_isTheShortest_data()
    {
        QTest::addColumn<QByteArray>("id");
        const auto row = [](const char *name, const char *id) { QTest::newRow(name) << QByteArray(id); };
        row("a100", "sim:a100");
        row("a100:graph", "sim:a100");
        row("a100:host:fp16", "sim:a100:fp16:host");
        row("a100:tf32", "sim:a100:tf32");
        row("v100:host", "sim:v100");
        row("v100:graph", "sim:v100:graph");
        row("v100:fp32:fp32", "sim:v100:fp32");
        row("a100:fp16:graph*launch_us=1", "sim:a100:fp16*launch_us=1");
        row("v100*sm_count=40", "sim:v100*sm_count=40");
    }

    void id_options_isTheShortest()
    {
        QFETCH(const QByteArray, id);
        QCOMPARE(QByteArray::fromStdString(idOf(QTest::currentDataTag())), id);
        QCOMPARE(QByteArray::fromStdString(idOf(id.mid(4).toStdString())), id);
    }

    void wrongOptions_areRefused_data()
    {
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<QByteArray>("remedy");
        const auto row = [](const char *name, const char *message, const char *remedy) {
            QTest::newRow(name) << QByteArray(message) << QByteArray(remedy);
        };
        row("a100:fp17", "it has no option fp17",
            "Did you mean fp16? Use sim:NAME, then any of fp32, tf32, fp16, graph");
        row("a100:", "it has no option", "any of fp32, tf32, fp16, graph, host");
        row("a100:fp16:tf32", "fp16 and tf32 are two choices of its precision", "any of fp32, tf32, fp16");
        row("a100:host:graph", "host and graph are two choices of its launches", "any of fp32, tf32, fp16");
        row("v100:tf32", "has no TF32: its description has no tf32_fma_per_clock_per_sm", "Leave the option out");
        row("v100*graph_kernel_us=0", "", "");
        row("a100*graph_kernel_us=0", "has no CUDA graphs", "Leave the option out");
        row("v200:fp16", "there is no simulated device v200", "Did you mean v100?");
        row("a100*launch_us=1:fp16", "changes no number of a device", "Write changes like");
    }

    void wrongOptions_areRefused()
    {
        QFETCH(const QByteArray, message);
        QFETCH(const QByteArray, remedy);
        const auto device = openSimulatedDevice(QTest::currentDataTag());
        QCOMPARE(device.has_value(), message.isEmpty());
        if (device)
            return;
        QCOMPARE(device.error().code, ErrorCode::WrongUse);
        QVERIFY2(QByteArray::fromStdString(device.error().message).contains(message), device.error().message.c_str());
        QVERIFY2(QByteArray::fromStdString(device.error().remedy).contains(remedy), device.error().remedy.c_str());
    }

    void optionChoices_ofAChangedDevice_keepTheRest()
    {
        const auto choices = *optionChoices("a100:fp16:host*sm_count=54");
        QCOMPARE(choices.told, std::string("fp16, host"));
        const auto ids = [](const OptionGroup &group) {
            QStringList texts;
            for (const OptionChoice &choice : group.choices)
                texts << QString::fromStdString(choice.id) + (choice.isChosen ? QStringLiteral(" *") : QString());
            return texts;
        };
        QCOMPARE(ids(choices.precision),
                 (QStringList{"sim:a100:host*sm_count=54", "sim:a100:fp32:host*sm_count=54",
                              "sim:a100:tf32:host*sm_count=54", "sim:a100:fp16:host*sm_count=54 *"}));
        QCOMPARE(ids(choices.launches), (QStringList{"sim:a100:fp16*sm_count=54", "sim:a100:fp16:host*sm_count=54 *"}));
        for (const OptionGroup &group : {choices.precision, choices.launches}) {
            for (const OptionChoice &choice : group.choices) {
                QVERIFY(choice.whyNot.empty());
                QCOMPARE(idOf(choice.id.substr(4)), choice.id); // the device has the same name for it
            }
        }
    }

    void optionChoices_whatADeviceLacks_saysWhy()
    {
        const auto choices = *optionChoices("k80");
        QCOMPARE(choices.told, std::string());
        QCOMPARE(choices.precision.choices[0].title, std::string("that of the file"));
        QVERIFY(choices.precision.choices[0].isChosen && choices.launches.choices[1].isChosen);
        for (const OptionChoice &choice : choices.precision.choices)
            QCOMPARE(choice.whyNot.empty(), choice.title != "tf32");
        QVERIFY(choices.precision.choices[2].whyNot.ends_with("has no TF32"));
        const auto without = *optionChoices("a100*graph_kernel_us=0");
        QVERIFY(without.launches.choices[0].whyNot.ends_with("has no CUDA graphs"));
        QVERIFY(without.launches.choices[1].whyNot.empty());
        QVERIFY(!optionChoices("abacus"));
        QVERIFY(!optionChoices("v100,sim:v100"));
    }

    void whatIfName_options_readBack()
    {
        const WhatIf whatIf = *readWhatIfName("a100:fp16*launch_us=1,sm_count=54");
        QCOMPARE(whatIf.original, std::string("a100:fp16"));
        QCOMPARE(whatIfName(whatIf), std::string("a100:fp16*launch_us=1,sm_count=54"));
        QCOMPARE(findDeviceDescription(whatIfName(whatIf))->smCount, 54.0);
        QVERIFY(*findDeviceDescription("a100:fp16") == *findDeviceDescription("a100"));
    }

    void file_withOptions_opens()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("mine:fp16.json").toStdString(); // paths may have colons
        std::ofstream(path) << deviceFileText(*findDeviceDescription("a100"), path);
        QCOMPARE(idOf(path), "sim:" + path);
        QCOMPARE(idOf(path + ":fp16:host*sm_count=54"), "sim:" + path + ":fp16:host*sm_count=54");
        QCOMPARE((*openSimulatedDevice(path + ":fp16"))->info().precision, std::string("fp16"));
        QCOMPARE((*openSimulatedDevice(path))->info().launches, std::string("from one CUDA graph"));
    }

    void file_ofOlderVersion_hasNeitherTf32NorGraphs()
    {
        const QTemporaryDir folder;
        const std::string path = olderFile(folder);
        const auto device = openSimulatedDevice(path);
        QVERIFY2(device.has_value(), device ? "" : device.error().message.c_str());
        QCOMPARE((*device)->info().precision, std::string("that of the file"));
        QCOMPARE((*device)->info().launches, std::string("from the host"));
        QVERIFY(!openSimulatedDevice(path + ":graph"));
        QVERIFY(!openSimulatedDevice(path + ":tf32"));
        QVERIFY(openSimulatedDevice(path + ":fp16").has_value());
    }

    void launches_ofAFile_areChecked()
    {
        const std::string text = toJson(*findDeviceDescription("a100"));
        QVERIFY(deviceDescriptionFromJson(text)->launches == Launches::Graph);
        const auto with = [&](const char *from, const char *to) {
            return QString::fromStdString(text).replace(QLatin1String(from), QLatin1String(to)).toStdString();
        };
        QCOMPARE(deviceDescriptionFromJson(with("\"launches\": \"graph\"", "\"launches\": \"both\"")).error().message,
                 std::string("launches is \"both\""));
        const auto without = deviceDescriptionFromJson(with("\"graph_kernel_us\": 4.3", "\"graph_kernel_us\": 0"));
        QVERIFY(without.error().message.find("graph_kernel_us is missing") != std::string::npos);
    }

    // What the paper's devices answer must not depend on options that nobody gave.
    void defaults_ofThePapersDevices_areOfTheHostAndTheFile()
    {
        const Network squeezenet = network("squeezenet");
        for (const char *name : {"v100", "k80", "2080ti"}) {
            const DeviceInfo info = (*openSimulatedDevice(name))->info();
            QCOMPARE(info.launches, std::string("from the host"));
            QCOMPARE(info.precision, std::string("that of the file"));
            QCOMPARE(sequentialUs(squeezenet, name), sequentialUs(squeezenet, std::string(name) + ":fp32:host"));
        }
        for (const char *name : {"a100", "h100", "h200"}) {
            const DeviceInfo info = (*openSimulatedDevice(name))->info();
            QCOMPARE(info.launches, std::string("from one CUDA graph"));
            QCOMPARE(info.precision, std::string("that of the file, float32 convolutions in tf32"));
        }
    }

    void latency_lessPrecisionOrHost_isShorter()
    {
        const Network inception = network("inception_v3");
        for (const char *name : {"a100", "h100", "h200"}) {
            const auto us = [&](const char *options) { return sequentialUs(inception, std::string(name) + options); };
            QVERIFY(us(":fp16") < us(":tf32"));
            QVERIFY(us(":tf32") <= us(""));
            QVERIFY(us("") < us(":fp32"));
            QVERIFY(us("") < us(":host"));
        }
        QVERIFY(sequentialUs(inception, "v100:graph") < sequentialUs(inception, "v100"));
        QVERIFY(sequentialUs(inception, "v100:fp16") < sequentialUs(inception, "v100"));
    }

    void precisionText_saysWhatIsComputedInWhat()
    {
        const Network squeezenet = network("squeezenet");
        const auto text = [&](SimulatedPrecision precision) {
            return precisionText(*squeezenet.graph, "fp32", precision);
        };
        QCOMPARE(text(SimulatedPrecision::OfFile), std::string("fp32"));
        QCOMPARE(text(SimulatedPrecision::Tf32Convolutions), std::string("fp32 with tf32 convolutions"));
        QCOMPARE(text(SimulatedPrecision::Tf32), std::string("tf32"));
        QCOMPARE(text(SimulatedPrecision::Fp16), std::string("fp16"));
    }

    void isOfOlderSimulator_earlierVersions_are()
    {
        RunContext context;
        context.device = "sim:v100";
        QVERIFY(isOfOlderSimulator(context)); // before versions were written
        context.deviceVersion = "0123456789abcdef";
        QVERIFY(isOfOlderSimulator(context)); // of a file, before versions were written
        context.deviceVersion = (*openSimulatedDevice("v100"))->info().version;
        QCOMPARE(context.deviceVersion, simulatorVersion());
        QVERIFY(!isOfOlderSimulator(context));
        context.deviceVersion += ", 0123456789abcdef";
        QVERIFY(!isOfOlderSimulator(context));
        context.deviceVersion = "simulator 1";
        QVERIFY(isOfOlderSimulator(context));
        context.device = "gpu:0";
        QVERIFY(!isOfOlderSimulator(context));
    }

    void boundWithoutBarriers_everySchedule_takesAsLong_data()
    {
        QTest::addColumn<QByteArray>("network");
        for (const char *name : {"sample", "squeezenet", "inception_v3"})
            QTest::newRow(name) << QByteArray(name);
    }

    void boundWithoutBarriers_everySchedule_takesAsLong()
    {
        QFETCH(const QByteArray, network);
        const Network opened = tst_simulated_options::network(network.toStdString());
        for (const char *name : {"v100", "v100:graph", "k80", "a100", "a100:fp16:host", "h100:fp32"}) {
            const double boundUs = *boundWithoutBarriersUs(name, opened.graph);
            const auto session = *(*openSimulatedDevice(name))->open(opened.graph);
            const double sequential =
                session->measureWhole(sequentialSchedule(*opened.graph, opened.blocks), {})->timing.latencyUs;
            const double greedy =
                session->measureWhole(greedySchedule(*opened.graph, opened.blocks), {})->timing.latencyUs;
            SearchOptions options;
            options.strategies = StrategySet::Parallel;
            options.r = 3;
            options.s = 8;
            const auto found = searchSchedule(*opened.graph, opened.blocks, *session, options);
            const double best = session->measureWhole(found->schedule, {})->timing.latencyUs;
            QVERIFY2(boundUs <= best && boundUs <= greedy && boundUs <= sequential,
                     qPrintable(QStringLiteral("%1: %2 %3").arg(name).arg(boundUs).arg(best)));
            QVERIFY2(boundUs > best / 4, qPrintable(QStringLiteral("%1: %2 %3").arg(name).arg(boundUs).arg(best)));
        }
    }
};

STAGECRAFT_SUITE(TestSimulatedOptions)

} // namespace tst_simulated_options
#include "tst_simulated_options.moc"
