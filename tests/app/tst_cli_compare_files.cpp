// compare with several files: results and profiles, judged by their own repeats, and what changed between them.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/profile_making.h"
#include "support/repeats_making.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include <cmath>

using namespace stagecraft::test;

namespace tst_cli_compare_files {

namespace {

struct Kernel {
    QByteArray name;
    double us = 0;
    int stream = 7;
};

const std::vector<Kernel> kUsual{{"conv1", 100}, {"conv2", 120}, {"conv3", 130}, {"conv4", 140}};

QByteArray number(double value)
{
    return QByteArray::number(value, 'f', 3);
}

// A trace of the PyTorch profiler: runs of these kernels one after the other, with noise of 5 %.
QByteArray traceOf(const std::vector<Kernel> &kernels, std::uint32_t seed, int runs = 20)
{
    constexpr int kApartUs = 5000;
    RepeatsMaker maker(seed);
    const std::vector<double> noise = maker.runsUs(static_cast<std::size_t>(runs), 1, {});
    std::vector<QByteArray> events;
    for (int run = 0; run < runs; ++run) {
        const int beginUs = run * kApartUs;
        events.push_back(pytorchSpan("user_annotation", "ProfilerStep#" + QByteArray::number(run), beginUs, 4000));
        double atUs = beginUs + 10;
        for (const Kernel &kernel : kernels) {
            const double us = kernel.us * noise[static_cast<std::size_t>(run)];
            events.push_back(pytorchKernel(kernel.name, number(atUs), number(us), kernel.stream));
            atUs += us + 1;
        }
    }
    return pytorchTrace(events);
}

std::vector<Kernel> slower(double by)
{
    std::vector<Kernel> kernels = kUsual;
    for (Kernel &kernel : kernels)
        kernel.us *= by;
    return kernels;
}

QJsonValue at(const QJsonValue &value, const QString &key)
{
    return value[key];
}

QJsonObject changesOf(const Answer &answer)
{
    return answer.json()["files"][1]["against_first"].toObject();
}

QStringList aspectsOf(const QJsonObject &changes, const QString &op)
{
    QStringList aspects;
    for (const auto &listed : changes["operators"]["changed"].toArray()) {
        const QJsonObject change = listed.toObject();
        for (const QJsonValue &aspect : change["name"] == op ? change["changed"].toArray() : QJsonArray())
            aspects << QString("%1: %2 -> %3")
                           .arg(aspect["aspect"].toString(), aspect["before"].toString(), aspect["after"].toString());
    }
    return aspects;
}

} // namespace

class TestCliCompareFiles : public QObject {
    Q_OBJECT

private slots:
    void compareFiles_profiles_areJudgedByTheirRuns_data();
    void compareFiles_profiles_areJudgedByTheirRuns();
    void compareFiles_fewRuns_areNumbersAndNoVerdict();
    void compareFiles_kernelFusionAndStream_areToldByOperator();
    void compareFiles_schedules_ofTheSimulatorAreExact();
    void compareFiles_otherDevices_areNotCompared();
    void compareFiles_junit_isValidAndSaysWhatFailed();
    void compareFiles_markdown_isReplacedByItself();
    void compareFiles_filesOfTensorRt_areNamedTogether();
    void compareFiles_wrongUse_isRefused_data();
    void compareFiles_wrongUse_isRefused();
};

void TestCliCompareFiles::compareFiles_profiles_areJudgedByTheirRuns_data()
{
    QTest::addColumn<double>("factor");
    QTest::addColumn<QString>("ratio");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("verdict");
    QTest::newRow("the same") << 1.0 << "1" << 0 << "no difference shown";
    QTest::newRow("10 % slower") << 1.1 << "1" << 1 << "slower";
    QTest::newRow("10 % slower, which is allowed") << 1.1 << "0.9" << 0 << "slower";
    QTest::newRow("20 % faster") << 0.8 << "1" << 0 << "faster";
    QTest::newRow("20 % faster, which is not enough") << 0.8 << "1.5" << 1 << "faster";
}

void TestCliCompareFiles::compareFiles_profiles_areJudgedByTheirRuns()
{
    QFETCH(const double, factor);
    QFETCH(const QString, ratio);
    QFETCH(const int, status);
    QFETCH(const QString, verdict);
    const QTemporaryDir folder;
    write(folder.filePath("a.json"), traceOf(kUsual, 1));
    write(folder.filePath("b.json"), traceOf(slower(factor), 2));
    const QStringList arguments{"compare", "a.json", "b.json", "--model", "sample", "--fail-below", ratio};
    const Answer answer = cli(arguments + QStringList{"--json"}, folder.path());
    QCOMPARE(answer.status, status);
    const QJsonObject changes = changesOf(answer);
    QCOMPARE(changes["verdict"].toString(), verdict);
    QCOMPARE(changes["judged_by"].toString(), QString("runs"));
    QVERIFY(std::abs(changes["speedup"].toDouble() * factor - 1) < 0.05);
    const QJsonArray interval = changes["speedup_interval"].toArray();
    QVERIFY(interval[0].toDouble() < changes["speedup"].toDouble() &&
            changes["speedup"].toDouble() < interval[1].toDouble());
    QCOMPARE(interval[1].toDouble() < ratio.toDouble(), status == 1);
    const QJsonObject file = answer.json()["files"][1].toObject();
    QCOMPARE(file["passed"].toBool(), status == 0);
    QCOMPARE(file["runs"].toInt(), 20);
    QCOMPARE(file["provenance"].toString(), QString("recorded"));
    QCOMPARE(answer.err.contains("b.json is less than the "), status == 1);
    const Answer text = cli(arguments, folder.path());
    QCOMPARE(text.status, status);
    QVERIFY2(text.out.contains("b.json against a.json: ") && text.out.contains(": " + verdict.toUtf8()), text.out);
    QVERIFY2(text.out.contains("recorded by PyTorch profiler, 20 runs, on GPU of a test (profile)"), text.out);
}

void TestCliCompareFiles::compareFiles_fewRuns_areNumbersAndNoVerdict()
{
    const QTemporaryDir folder;
    write(folder.filePath("a.json"), traceOf(kUsual, 1));
    write(folder.filePath("b.json"), traceOf(slower(2), 2, 3));
    const Answer answer = cli({"compare", "a.json", "b.json", "-m", "sample", "--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject changes = changesOf(answer);
    QCOMPARE(changes["judged_by"].toString(), QString("single"));
    QVERIFY(changes["verdict"].isNull() && !changes.contains("speedup_interval"));
    QVERIFY(std::abs(changes["speedup"].toDouble() - 0.5) < 0.05);
    const Answer judged =
        cli({"compare", "a.json", "b.json", "-m", "sample", "--fail-below", "1", "--format", "junit", "-o", "x.xml"},
            folder.path());
    QCOMPARE(judged.status, 3);
    QVERIFY2(judged.err.contains("b.json: --fail-below: it or a.json has fewer than 8 runs") &&
                 judged.err.contains("Record more runs"),
             judged.err);
    QVERIFY(!QFile::exists(folder.filePath("x.xml")));
}

void TestCliCompareFiles::compareFiles_kernelFusionAndStream_areToldByOperator()
{
    const QTemporaryDir folder;
    // By names that a trace gives operators: conv1 and conv2 are one kernel in b, conv3 takes a third more there, and
    // conv4 runs on another stream than the rest.
    write(folder.filePath("a.json"), traceOf(kUsual, 1));
    write(folder.filePath("b.json"), traceOf({{"conv1 + conv2", 215, 20}, {"conv3", 175, 20}, {"conv4", 140, 21}}, 2));
    const Answer answer = cli({"compare", "a.json", "b.json", "-m", "sample", "--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject changes = changesOf(answer);
    QCOMPARE(aspectsOf(changes, "conv1"),
             QStringList({"kernel: conv1 -> conv1 + conv2", "fusion: alone -> with conv2"}));
    QCOMPARE(aspectsOf(changes, "conv2"),
             QStringList({"kernel: conv2 -> conv1 + conv2", "fusion: alone -> with conv1"}));
    QCOMPARE(aspectsOf(changes, "conv3"), QStringList());
    QCOMPARE(aspectsOf(changes, "conv4"), QStringList({"stream: stream 7 -> stream 21"}));
    double lostUs = INFINITY;
    for (const auto &listed : changes["operators"]["changed"].toArray()) {
        const QJsonObject change = listed.toObject();
        const double us = change["after_us"].isNull() || change["before_us"].isNull()
                              ? 0
                              : change["after_us"].toDouble() - change["before_us"].toDouble();
        QVERIFY(us <= lostUs);
        lostUs = us;
        if (change["name"] == "conv3")
            QCOMPARE(change["verdict"].toString(), QString("slower"));
    }
    QCOMPARE(changes["operators"]["not_shown"].toArray(), (QJsonArray{"precision", "layout"}));
    const Answer text = cli({"compare", "a.json", "b.json", "-m", "sample"}, folder.path());
    QVERIFY2(text.out.contains("operators changed: kernel of 2, fusion of 2, stream of 1, time alone of 1"), text.out);
    QVERIFY2(text.out.contains("not in both files: precision, layout"), text.out);
}

void TestCliCompareFiles::compareFiles_schedules_ofTheSimulatorAreExact()
{
    const QTemporaryDir folder;
    for (const auto &[device, file] : {std::pair("sim:v100", "a.json"), std::pair("sim:v100*sm_count=40", "b.json"),
                                       std::pair("sim:v100:fp16", "c.json")})
        QCOMPARE(cli({"optimize", "squeezenet", "-d", device, "-o", file}, folder.path()).status, 0);
    QCOMPARE(
        cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "nimble", "-o", "d.json"}, folder.path()).status,
        0);
    const Answer same = cli({"compare", "a.json", "a.json", "--fail-below", "1", "--json"}, folder.path());
    QVERIFY2(same.status == 0, same.err);
    QCOMPARE(changesOf(same)["judged_by"].toString(), QString("exact"));
    QCOMPARE(changesOf(same)["speedup"].toDouble(), 1.0);
    QVERIFY(at(changesOf(same)["operators"], "changed").toArray().isEmpty());
    QCOMPARE(same.json()["model"].toString(), QString("squeezenet"));
    const Answer half = cli({"compare", "c.json", "a.json", "--fail-below", "1", "--json"}, folder.path());
    QCOMPARE(half.status, 1);
    const QJsonObject changes = changesOf(half);
    QCOMPARE(changes["operators"]["of_all"][0]["before"].toString(), QString("fp16"));
    QCOMPARE(changes["context"][0]["what"].toString(), QString("options of the device"));
    const Answer streams = cli({"compare", "a.json", "d.json", "--json"}, folder.path());
    const QJsonObject first = at(changesOf(streams)["operators"], "changed")[0].toObject();
    QCOMPARE(first["changed"][0]["aspect"].toString(), QString("stream"));
}

void TestCliCompareFiles::compareFiles_otherDevices_areNotCompared()
{
    const QTemporaryDir folder;
    QCOMPARE(cli({"optimize", "sample", "-d", "sim:v100", "-o", "a.json"}, folder.path()).status, 0);
    QCOMPARE(cli({"optimize", "sample", "-d", "sim:k80", "-o", "b.json"}, folder.path()).status, 0);
    write(folder.filePath("c.json"), traceOf(kUsual, 1));
    const Answer answer = cli({"compare", "a.json", "b.json", "c.json", "--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY(changesOf(answer)["speedup"].isNull() && changesOf(answer)["judged_by"].isNull());
    const QJsonObject device = changesOf(answer)["context"][0].toObject();
    QCOMPARE(device["what"].toString(), QString("device"));
    QCOMPARE(device["after"].toString(), QString("sim:k80"));
    QVERIFY(device["forbids"].toBool());
    const Answer text = cli({"compare", "a.json", "c.json"}, folder.path());
    QVERIFY2(text.out.contains("not compared: other device, other provenance") &&
                 text.out.contains("other provenance: simulated -> recorded, so latencies are not compared"),
             text.out);
    QVERIFY2(!text.out.contains(" us -> ") && !text.out.contains("largest loss") && !text.out.contains("time alone"),
             text.out);
    const QJsonArray operators = at(answer.json()["files"][2]["against_first"]["operators"], "changed").toArray();
    QVERIFY(!operators.isEmpty());
    for (const auto &listed : operators) {
        const QJsonObject change = listed.toObject();
        QVERIFY(change["before_us"].isNull() && change["after_us"].isNull() && change["verdict"].isNull());
    }
    const Answer judged = cli({"compare", "a.json", "b.json", "--fail-below", "1"}, folder.path());
    QCOMPARE(judged.status, 3);
    QVERIFY2(judged.err.contains("b.json: --fail-below: it is not compared: other device"), judged.err);
    const Answer junit = cli({"compare", "a.json", "b.json", "--format", "junit"}, folder.path());
    QVERIFY2(junit.out.contains("<skipped message=\"not compared: other device\"/>"), junit.out);
}

// Elements and attributes as in Jenkins' schema of JUnit's XML (junit-10.xsd).
void TestCliCompareFiles::compareFiles_junit_isValidAndSaysWhatFailed()
{
    const QTemporaryDir folder;
    write(folder.filePath("a.json"), traceOf(kUsual, 1));
    write(folder.filePath("b<&>\"\x01.json"), traceOf(slower(1.2), 2));
    write(folder.filePath("c.json"), traceOf(kUsual, 3));
    const Answer answer = cli({"compare", "a.json", "b<&>\"\x01.json", "c.json", "-m", "sample", "--fail-below", "1",
                               "--format", "junit", "-o", "x.xml"},
                              folder.path());
    QCOMPARE(answer.status, 1);
    const QHash<QString, QStringList> children{{"", {"testsuites"}},
                                               {"testsuites", {"testsuite"}},
                                               {"testsuite", {"properties", "testcase"}},
                                               {"properties", {"property"}},
                                               {"testcase", {"failure", "skipped", "system-out"}}};
    const QHash<QString, QStringList> needed{{"testsuites", {"name", "tests", "failures", "errors"}},
                                             {"testsuite", {"name", "tests", "failures", "errors", "skipped"}},
                                             {"property", {"name", "value"}},
                                             {"testcase", {"name", "classname", "time"}},
                                             {"failure", {"message", "type"}},
                                             {"skipped", {"message"}}};
    QXmlStreamReader xml(contentOf(folder.filePath("x.xml")));
    QStringList path{""};
    QStringList failed;
    QList<double> seconds;
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isEndElement())
            path.removeLast();
        if (!xml.isStartElement())
            continue;
        const QString name = xml.name().toString();
        QVERIFY2(children.value(path.last()).contains(name), qPrintable(path.last() + " / " + name));
        QStringList attributes;
        for (const QXmlStreamAttribute &attribute : xml.attributes())
            attributes << attribute.name().toString();
        QCOMPARE(attributes, needed.value(name));
        if (name.startsWith("testsuite")) {
            QCOMPARE(xml.attributes().value("tests"), QString("2"));
            QCOMPARE(xml.attributes().value("failures"), QString("1"));
        }
        if (name == "testcase")
            seconds << xml.attributes().value("time").toDouble();
        if (name == "failure")
            failed << xml.attributes().value("message").toString();
        path << name;
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QCOMPARE(failed.size(), qsizetype{1});
    QVERIFY2(failed.first().startsWith("b<&>\"\\x01.json is less than the 1x as fast as a.json"),
             qPrintable(failed.first()));
    QCOMPARE(seconds.size(), qsizetype{2});
    QVERIFY(std::abs(seconds.first() - 1.2 * 493e-6) < 40e-6 && std::abs(seconds.last() - 493e-6) < 30e-6);
}

void TestCliCompareFiles::compareFiles_markdown_isReplacedByItself()
{
    const QTemporaryDir folder;
    write(folder.filePath("a.json"), traceOf(kUsual, 1));
    write(folder.filePath("b.json"), traceOf({{"conv1", 100}, {"conv2", 190}, {"conv3", 130}, {"conv4", 140, 9}}, 2));
    const QStringList arguments{"compare",      "a.json", "b.json",   "-m",      "sample",
                                "--fail-below", "1",      "--format", "markdown"};
    const Answer printed = cli(arguments, folder.path());
    QCOMPARE(printed.status, 1);
    QVERIFY2(printed.out.startsWith("## sample: latency against a.json\n\nfailed: shown to be less than 1x as fast\n"),
             printed.out);
    QVERIFY2(printed.out.contains("| b.json | failed: slower | recorded by PyTorch profiler, 20 runs, GPU of a test "
                                  "(profile) | "),
             printed.out);
    QVERIFY2(printed.out.contains("\n## What changed in b.json\n") &&
                 printed.out.contains("| conv4 | stream: stream 7 -\\> stream 9 |"),
             printed.out);
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(cli(arguments + QStringList{"-o", "x.md"}, folder.path()).status, 1);
        QCOMPARE(contentOf(folder.filePath("x.md")), printed.out);
    }
    write(folder.filePath("x.md"), "# My own\n\ntext\n");
    const Answer refused = cli(arguments + QStringList{"-o", "x.md"}, folder.path());
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.err.contains("x.md: the file is not replaced"), refused.err);
}

void TestCliCompareFiles::compareFiles_filesOfTensorRt_areNamedTogether()
{
    const QTemporaryDir folder;
    const QString layers = sourcePath("tests/data/profiles/sample.layers.json");
    const auto runsOf = [](double ms) {
        RepeatsMaker maker(4);
        QByteArray text = "[";
        for (const double us : maker.runsUs(30, ms * 1000, {}))
            text += (text.size() > 1 ? QByteArray(", ") : QByteArray()) + R"({"computeMs": )" + number(us / 1000) + "}";
        return text + "]";
    };
    write(folder.filePath("a.json"), runsOf(0.55));
    write(folder.filePath("b.json"), runsOf(0.7));
    const Answer answer =
        cli({"compare", layers + ",a.json", layers + ",b.json", "-m", "sample", "--fail-below", "1", "--json"},
            folder.path());
    QVERIFY2(answer.status == 1, answer.err);
    QCOMPARE(changesOf(answer)["judged_by"].toString(), QString("runs"));
    QCOMPARE(answer.json()["files"][0]["runs"].toInt(), 30);
    QCOMPARE(answer.json()["files"][0]["program"].toString(), QString("TensorRT"));
    const Answer mixed = cli({"compare", "a.json", layers + ",a.json,b.json", "-m", "sample"}, folder.path());
    QCOMPARE(mixed.status, 3);
    QVERIFY2(mixed.err.contains("a.json: these files have no times of layers"), mixed.err);
}

void TestCliCompareFiles::compareFiles_wrongUse_isRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("a model first") << QStringList{"sample", "a.json"} << 2
                                   << QByteArray("sample is a model, and files are compared with each other");
    QTest::newRow("one file") << QStringList{"a.json"} << 2 << QByteArray("a.json: it is a Chrome trace, and no model");
    QTest::newRow("no model") << QStringList{"a.json", "a.json"} << 2 << QByteArray("Name it with --model");
    QTest::newRow("a device") << QStringList{"a.json", "a.json", "-m", "sample", "-d", "cpu"} << 2
                              << QByteArray("--device is of no use where files are compared");
    QTest::newRow("a format of models") << QStringList{"sample", "--format", "junit"} << 2
                                        << QByteArray("--format is about files that are compared");
    QTest::newRow("unknown format") << QStringList{"a.json", "a.json", "-m", "sample", "--format", "xml"} << 2
                                    << QByteArray("Use text, markdown or junit");
    QTest::newRow("text in a file") << QStringList{"a.json", "a.json", "-m", "sample", "-o", "x.txt"} << 2
                                    << QByteArray("Use --format markdown or --format junit");
    QTest::newRow("two documents") << QStringList{"a.json", "a.json", "-m", "sample", "--json", "--format", "junit"}
                                   << 2 << QByteArray("both ask for standard output");
    QTest::newRow("into an input") << QStringList{"a.json", "a.json", "-m",     "sample", "--format",
                                                  "junit",  "-o",     "a.json", "--force"}
                                   << 2 << QByteArray("this is the input file");
    QTest::newRow("not there") << QStringList{"a.json", "none.json", "-m", "sample"} << 3
                               << QByteArray("none.json: there is no such file");
    QTest::newRow("neither") << QStringList{"a.json", sourcePath("tests/data/onnx/residual.onnx"), "-m", "sample"} << 3
                             << QByteArray("it is neither a schedule file nor a profile");
    QTest::newRow("no latency") << QStringList{"a.json", "unmeasured.json", "-m", "sample"} << 3
                                << QByteArray("unmeasured.json: it has no latency of the whole");
    QTest::newRow("another model") << QStringList{"a.json", "unmeasured.json", "-m", "squeezenet"} << 3
                                   << QByteArray("the schedule is for another model, sample");
    QTest::newRow("schedules together") << QStringList{"a.json,unmeasured.json", "a.json", "-m", "sample"} << 3
                                        << QByteArray("only the files of one profile are named together");
}

void TestCliCompareFiles::compareFiles_wrongUse_isRefused()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    write(folder.filePath("a.json"), traceOf(kUsual, 1));
    QCOMPARE(cli({"edit", "sample", "--join", "1,2", "-o", "unmeasured.json"}, folder.path()).status, 0);
    const Answer answer = cli(QStringList{"compare"} + arguments, folder.path());
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.err.contains(says), answer.err);
    QVERIFY(answer.out.isEmpty());
}

STAGECRAFT_SUITE(TestCliCompareFiles)

} // namespace tst_cli_compare_files
#include "tst_cli_compare_files.moc"
