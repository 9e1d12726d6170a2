// compare: which schedules are compared, and the verdict for scripts.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_compare {

class TestCliCompare : public QObject {
    Q_OBJECT

private slots:
    void compare_namedSchedules_keepTheirOrder();
    void compare_failBelow_decidesTheStatus_data();
    void compare_failBelow_decidesTheStatus();
    void compare_failBelowOnAMeasuredDevice_saysTheInterval();
    void compare_differences_partsAddUpToTheWhole();
    void compare_why_addsUpToTheLatencies_data();
    void compare_why_addsUpToTheLatencies();
    void compare_whyText_hasPartsBlocksAndSpans();
    void compare_whyOfARecording_explainsNothing();
    void compare_simulatedLaunches_sayWhatSpeedupsAreAgainst();
    void compare_wrongSchedules_areRefused_data();
    void compare_wrongSchedules_areRefused();
};

void TestCliCompare::compare_namedSchedules_keepTheirOrder()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"optimize", "sample", "-d", "sim:v100", "-o", "best.json"}, folder.path()).status, 0);
    const Answer answer = cli({"compare", "sample", "-d", "sim:v100", "--schedule", "greedy", "--schedule", "best.json",
                               "--schedule", "sequential", "--schedule=ios-both", "--json"},
                              folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject compared = answer.json();
    QCOMPARE(compared["order"].toArray(), QJsonArray({"greedy", "best.json", "sequential", "ios-both"}));
    const QJsonObject schedules = compared["schedules"].toObject();
    QCOMPARE(schedules.size(), qsizetype{4});
    QCOMPARE(schedules["greedy"]["speedup"].toDouble(), 1.0);
    QCOMPARE(schedules["best.json"]["latency_us"].toDouble(), schedules["ios-both"]["latency_us"].toDouble());
    QVERIFY(schedules["sequential"]["speedup"].toDouble() < 1);
    QVERIFY(!schedules["best.json"].toObject().contains("search") &&
            schedules["ios-both"].toObject().contains("search"));
    const Answer text = cli({"compare", "sample", "--schedule", "best.json", "--schedule", "greedy"}, folder.path());
    QVERIFY2(text.out.indexOf("best.json  ") > 0 && text.out.indexOf("best.json  ") < text.out.indexOf("Greedy  "),
             text.out);
}

void TestCliCompare::compare_failBelow_decidesTheStatus_data()
{
    QTest::addColumn<QString>("ratio");
    QTest::addColumn<int>("status");
    QTest::newRow("faster") << "1.05" << 0;
    QTest::newRow("not that much") << "5" << 1;
    QTest::newRow("no ratio") << "0" << 2;
    QTest::newRow("no number") << "fast" << 2;
}

void TestCliCompare::compare_failBelow_decidesTheStatus()
{
    QFETCH(const QString, ratio);
    QFETCH(const int, status);
    const Answer answer = cli({"compare", "sample", "-d", "sim:v100", "--schedule", "sequential", "--schedule",
                               "ios-both", "--fail-below", ratio, "--json"});
    QCOMPARE(answer.status, status);
    if (status == 2) {
        QVERIFY2(answer.err.contains("--fail-below: " + ratio.toUtf8() + " is not a number above 0"), answer.err);
        return;
    }
    const QJsonObject compared = answer.json();
    const QJsonObject verdict = compared["fail_below"].toObject();
    QCOMPARE(verdict["passed"].toBool(), status == 0);
    QCOMPARE(verdict["wanted_speedup"].toDouble(), ratio.toDouble());
    QCOMPARE(verdict["speedup"], compared["schedules"]["ios-both"]["speedup"]);
    QCOMPARE(answer.err.contains("IOS-Both is "), status == 1);
    QVERIFY2(status == 0 || answer.err.contains("x as fast as Sequential, less than the 5x of --fail-below"),
             answer.err);
}

void TestCliCompare::compare_failBelowOnAMeasuredDevice_saysTheInterval()
{
    const QTemporaryDir folder;
    const Answer answer =
        cli({"compare", "sample", "-d", "cpu", "--schedule", "sequential", "--schedule", "greedy", "--fail-below",
             "1000", "--rounds", "3"},
            {}, {"STAGECRAFT_WORKER=" + testProgramPath("faulty-worker"), "XDG_DATA_HOME=" + folder.path()});
    QCOMPARE(answer.status, 1);
    QVERIFY2(answer.err.contains("x as fast as Sequential (95 % interval "), answer.err);
}

void TestCliCompare::compare_differences_partsAddUpToTheWhole()
{
    const Answer answer = cli({"compare", "inception_v3", "-d", "sim:v100", "--schedule", "sequential", "--schedule",
                               "greedy", "--schedule", "ios-both", "--differences", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject compared = answer.json();
    const QJsonObject found = compared["differences"].toObject();
    const QJsonArray names = compared["order"].toArray();
    QCOMPARE(names.size(), qsizetype{3});
    qsizetype different = 0;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const QJsonObject schedule = compared["schedules"].toObject()[names[i].toString()].toObject();
        QCOMPARE(found["latency_us"].toArray()[i], schedule["latency_us"]);
        double sumUs = found["between_stages_us"].toArray()[i].toDouble();
        int stages = 0;
        for (const auto &block : found["blocks"].toArray()) {
            double blockUs = 0;
            for (const auto &span : block.toObject()["spans"].toArray()) {
                const QJsonArray side = span.toObject()["stage_numbers"].toArray()[i].toArray();
                QCOMPARE(side[0].toInt(), stages + 1);
                stages = side[1].toInt();
                blockUs += span.toObject()["latency_us"].toArray()[i].toDouble();
                different += span.toObject()["equal"].toBool() ? 0 : 1;
            }
            QVERIFY(qAbs(blockUs - block.toObject()["latency_us"].toArray()[i].toDouble()) < 1e-6);
            sumUs += blockUs;
        }
        QCOMPARE(stages, schedule["stages"].toInt());
        QVERIFY(qAbs(sumUs - schedule["latency_us"].toDouble()) < 1e-6);
    }
    QVERIFY(different > 0);

    const Answer text = cli(
        {"compare", "sample", "-d", "sim:v100", "--schedule", "sequential", "--schedule", "ios-both", "--differences"});
    for (const char *part : {"per cent against Sequential", "whole schedule", "between stages", "block 1", "differs"})
        QVERIFY2(text.out.contains(part), text.out);
}

void TestCliCompare::compare_why_addsUpToTheLatencies_data()
{
    QTest::addColumn<QString>("network");
    for (const char *network : {"sample", "squeezenet", "inception_v3"})
        QTest::newRow(network) << network;
}

namespace {

double partsSum(const QJsonObject &parts)
{
    double sum = 0;
    for (const auto &part : parts)
        sum += part.toDouble();
    return sum;
}

} // namespace

void TestCliCompare::compare_why_addsUpToTheLatencies()
{
    QFETCH(const QString, network);
    const Answer answer = cli({"compare", network, "-d", "sim:v100", "--schedule", "sequential", "--schedule", "greedy",
                               "--schedule", "ios-both", "--why", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject compared = answer.json();
    const QJsonObject why = compared["why"].toObject();
    const QJsonArray names = compared["order"].toArray();
    for (qsizetype i = 0; i < names.size(); ++i) {
        const QString name = names[i].toString();
        const QJsonObject whole = why["schedules"].toObject()[name].toObject();
        const double latencyUs = compared["schedules"].toObject()[name].toObject()["latency_us"].toDouble();
        const QJsonObject parts = whole["parts"].toObject();
        QCOMPARE(whole["latency_us"].toDouble(), latencyUs);
        QCOMPARE(whole["provenance"].toString(), "simulated");
        QVERIFY(qAbs(partsSum(parts) - latencyUs) < 1e-9);
        QCOMPARE(parts["not_explained_us"].toDouble(), 0.0);
        for (const auto &part : parts)
            QVERIFY(part.toDouble() >= 0);
        double blocksUs = 0;
        for (const auto &block : why["blocks"].toArray()) {
            const double blockUs = partsSum(block.toObject()["parts"].toArray()[i].toObject());
            double spansUs = 0;
            for (const auto &span : block.toObject()["spans"].toArray())
                spansUs += partsSum(span.toObject()["parts"].toArray()[i].toObject());
            QVERIFY(spansUs <= blockUs + 1e-6); // without the barriers between them
            blocksUs += blockUs;
        }
        QVERIFY(blocksUs <= latencyUs + 1e-6);
    }
    const QJsonArray waterfalls = why["waterfalls"].toArray();
    QCOMPARE(waterfalls.size(), names.size() - 1);
    for (qsizetype i = 0; i < waterfalls.size(); ++i) {
        const QJsonObject waterfall = waterfalls[i].toObject();
        QCOMPARE(waterfall["from"].toString(), names[0].toString());
        QCOMPARE(waterfall["to"].toString(), names[i + 1].toString());
        double reachedUs = compared["schedules"].toObject()[names[0].toString()].toObject()["latency_us"].toDouble();
        for (const auto &step : waterfall["steps"].toArray()) {
            reachedUs += step.toObject()["change_us"].toDouble();
            QVERIFY(qAbs(reachedUs - step.toObject()["reached_us"].toDouble()) < 1e-6);
        }
        const QJsonArray steps = waterfall["steps"].toArray();
        QCOMPARE(steps.last()["reached_us"].toDouble(),
                 compared["schedules"].toObject()[names[i + 1].toString()].toObject()["latency_us"].toDouble());
    }
}

void TestCliCompare::compare_whyText_hasPartsBlocksAndSpans()
{
    const Answer answer =
        cli({"compare", "squeezenet", "-d", "sim:v100", "--schedule", "sequential", "--schedule", "greedy", "--why"});
    QVERIFY2(answer.status == 0, answer.err);
    for (const char *line :
         {"where the time goes (simulated), change against Sequential\n",
          "\npart            Sequential    Greedy     change\n", "\nbetween stages      0.0 us  241.4 us  +241.4 us\n",
          "\nblock 2, Greedy: +19.2 us: between stages +24.1 us, launch -5.0 us\n",
          "\n  stages 3-5, Greedy: +19.2 us: ", "\n  stage 8, Greedy: "})
        QVERIFY2(answer.out.contains(line), answer.out);
    QVERIFY(!answer.out.contains("block 1, Greedy")); // it is the same
}

void TestCliCompare::compare_whyOfARecording_explainsNothing()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath("v100.latencies.jsonl"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"format":"stagecraft-latencies","version":1,"device":"V100","batch":1,"precision":"fp32","model":"sample"}
{"strategy":"concurrent","groups":[["conv1"]],"latency_us":110.7}
{"strategy":"concurrent","groups":[["conv2"]],"latency_us":126.1}
{"strategy":"concurrent","groups":[["conv3"]],"latency_us":106.0}
{"strategy":"concurrent","groups":[["conv4"]],"latency_us":125.5}
{"strategy":"concurrent","groups":[["concat"]],"latency_us":17.3}
)");
    file.close();
    const Answer answer =
        cli({"compare", "sample", "-d", "rec:v100.latencies.jsonl", "--schedule", "sequential", "--why", "--json"},
            folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject why = answer.json()["why"].toObject();
    const QJsonObject whole = why["schedules"].toObject()["sequential"].toObject();
    QCOMPARE(whole["provenance"].toString(), "recorded");
    QVERIFY(qAbs(whole["latency_us"].toDouble() - 485.6) < 1e-9);
    QCOMPARE(whole["parts"].toObject()["not_explained_us"].toDouble(), whole["latency_us"].toDouble());
    QVERIFY(!whole["parts"].toObject().contains("arithmetic_us"));
    QVERIFY(why["waterfalls"].toArray().isEmpty());
}

void TestCliCompare::compare_simulatedLaunches_sayWhatSpeedupsAreAgainst()
{
    const auto compared = [](const QString &device, bool json) {
        QStringList arguments{"compare",    "squeezenet", "-d",         device,
                              "--schedule", "sequential", "--schedule", "greedy"};
        return cli(json ? arguments << "--json" : arguments);
    };
    const QJsonObject host = compared("sim:v100", true).json();
    QCOMPARE(host["launches"].toString(), QString("from the host"));
    QCOMPARE(host["sequential_in_one_cuda_graph"]["device"].toString(), QString("sim:v100:graph"));
    const double graphUs = host["sequential_in_one_cuda_graph"]["latency_us"].toDouble();
    const QJsonObject greedy = host["schedules"]["greedy"].toObject();
    QCOMPARE(greedy["speedup_over_one_cuda_graph"].toDouble(), graphUs / greedy["latency_us"].toDouble());
    const Answer text = compared("sim:v100", false);
    for (const char *part :
         {"launches from the host", "speedup  over one graph  ",
          "speed-ups are over Sequential, from the host; \"over one graph\": over Sequential, one CUDA graph\n",
          "\nSequential, one CUDA graph  "})
        QVERIFY2(text.out.contains(part), text.out);

    const QJsonObject graph = compared("sim:v100:graph", true).json();
    QCOMPARE(graph["schedules"]["sequential"]["latency_us"].toDouble(), graphUs);
    QVERIFY(!graph.contains("sequential_in_one_cuda_graph"));
    const Answer one = compared("sim:a100:fp16", false);
    QVERIFY2(one.out.contains("fp16, latencies simulated, launches from one CUDA graph") &&
                 one.out.contains("speed-ups are over Sequential, one CUDA graph\n") &&
                 !one.out.contains("from the host"),
             one.out);
}

void TestCliCompare::compare_wrongSchedules_areRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("misspelt") << QStringList{"--schedule", "sequental"} << 2
                              << QByteArray(
                                     "there is no schedule and no file named sequental. Did you mean sequential?");
    QTest::newRow("twice") << QStringList{"--schedule", "greedy", "--schedule", "greedy"} << 2
                           << QByteArray("greedy is given twice");
    QTest::newRow("missing file") << QStringList{"--schedule", "none.json"} << 3
                                  << QByteArray("none.json: there is no such file");
    QTest::newRow("one, and a verdict") << QStringList{"--schedule", "greedy", "--fail-below", "1.1"} << 2
                                        << QByteArray("there is only one");
}

void TestCliCompare::compare_wrongSchedules_areRefused()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    const Answer answer = cli(QStringList{"compare", "sample"} + arguments);
    QVERIFY2(answer.status == status && answer.err.contains(says), answer.err);
    QVERIFY2(answer.out.isEmpty(), answer.out);
}

STAGECRAFT_SUITE(TestCliCompare)

} // namespace tst_cli_compare
#include "tst_cli_compare.moc"
