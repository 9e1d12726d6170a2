// Streams on the command line: made, written, measured again, compared, and refused where stages are needed.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft::test;

namespace tst_cli_streams {
namespace {

const QStringList kRules{"nimble", "opara", "by-depth", "list", "round-robin", "ios-relaxed"};

} // namespace

class TestCliStreams : public QObject {
    Q_OBJECT

private slots:
    void optimize_rule_isMeasuredAgainFromItsFile_data();
    void optimize_rule_isMeasuredAgainFromItsFile();
    void optimize_streams_areNeverSlower_data();
    void optimize_streams_areNeverSlower();
    void optimize_fewOperators_areProved();
    void optimize_text_hasStreamsAndStarts();
    void compare_names_countEventsAndBarriers();
    void timeline_hasAllStreams();
    void export_tablesAndReport_haveLaunches();
    void needsStages_isRefusedByName_data();
    void needsStages_isRefusedByName();
    void why_saysWhereTheTimeOfTheWholeGoes();
    void differences_haveSpansOfStagesAndLaunches();
    void maxMemory_isMetByTheArenaOrRefused();
    void keep_launches_searchesFromTheFile();
    void edit_changesStreamsAndMeasuresThem();
    void edit_illegal_isRefusedAndWritesNothing_data();
    void edit_illegal_isRefusedAndWritesNothing();
    void deviceWithoutStreams_isRefusedAtOnce();
    void cpu_runsThem();
    void cpu_search_namesItsStarts();
    void memory_countsLaunches();
    void event_costs_areTheDevices();
};

void TestCliStreams::optimize_rule_isMeasuredAgainFromItsFile_data()
{
    QTest::addColumn<QString>("device");
    for (const QString &rule : kRules) {
        QTest::addRow("%s, host", qPrintable(rule)) << "sim:v100";
        QTest::addRow("%s, graph", qPrintable(rule)) << "sim:a100";
    }
}

void TestCliStreams::optimize_rule_isMeasuredAgainFromItsFile()
{
    QFETCH(const QString, device);
    const QString rule = QString::fromUtf8(QTest::currentDataTag()).section(',', 0, 0);
    const QTemporaryDir folder;
    const QString file = folder.filePath("streams.schedule.json");
    const Answer made = cli({"optimize", "googlenet", "-d", device, "--strategy", rule, "-o", file, "--json"});
    QVERIFY2(made.status == 0, made.err);
    const QJsonObject json = made.json();
    QCOMPARE(json["provenance"].toString(), QString("simulated"));
    QCOMPARE(json["barriers"].toInt(-1), 0);
    QVERIFY(json["streams"].toInt() > 1 && json["events"].toInt() > 0);
    const QJsonObject schedule = QJsonDocument::fromJson(contentOf(file)).object();
    QCOMPARE(schedule["kind"].toString(), QString("streams"));
    QCOMPARE(schedule["streams"].toArray().size(), json["streams"].toInt());
    QCOMPARE(schedule["events"].toArray().size(), json["events"].toInt());
    QVERIFY(!schedule.contains("stages"));
    const double boundUs = json["search"]["bound_without_barriers_us"].toDouble();
    const double gap = json["search"]["gap"].toDouble(-1);
    if (rule != "ios-relaxed") // it merges, and then no bound holds
        QVERIFY(qAbs(json["latency_us"].toDouble() / boundUs - 1 - gap) < 1e-9 && gap > 0);
    const Answer again = cli({"measure", "googlenet", "-d", device, "--schedule", file, "--json"});
    QVERIFY2(again.status == 0, again.err);
    QCOMPARE(again.json()["latency_us"].toDouble(), json["latency_us"].toDouble());
    for (const char *count : {"streams", "events", "barriers"})
        QCOMPARE(again.json()[count].toInt(), json[count].toInt());
    QVERIFY(again.json()["between_stages_us"].isNull());
}

void TestCliStreams::optimize_streams_areNeverSlower_data()
{
    QTest::addColumn<QString>("device");
    for (const char *network : {"squeezenet", "googlenet", "shufflenet_v2"}) {
        QTest::addRow("%s, host", network) << "sim:v100";
        QTest::addRow("%s, graph", network) << "sim:h100";
    }
}

void TestCliStreams::optimize_streams_areNeverSlower()
{
    QFETCH(const QString, device);
    const QString network = QString::fromUtf8(QTest::currentDataTag()).section(',', 0, 0);
    const Answer answer =
        cli({"optimize", network, "-d", device, "--strategy", "streams", "--max-seconds", "2", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    const QJsonArray starts = json["stream_search"]["starts"].toArray();
    QCOMPARE(starts.size(), 10);
    QStringList names;
    for (const QJsonValue &start : starts) {
        names << start["strategy"].toString();
        QVERIFY2(json["latency_us"].toDouble() <= start["latency_us"].toDouble(), qPrintable(names.last()));
    }
    for (const QString &name : kRules + QStringList{"one stream", "sequential", "greedy", "ios-both"})
        QVERIFY2(names.contains(name), qPrintable(name));
    const QString ended = json["stream_search"]["ended"].toString();
    QVERIFY2(ended == "converged" || ended == "time", qPrintable(ended));
    QVERIFY(json["stream_search"]["schedules_timed"].toInt() > starts.size());
}

void TestCliStreams::optimize_fewOperators_areProved()
{
    const Answer answer = cli({"optimize", "sample", "-d", "sim:v100", "--strategy", "streams", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["stream_search"]["ended"].toString(), QString("proved"));
}

void TestCliStreams::optimize_text_hasStreamsAndStarts()
{
    const Answer answer = cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "streams"});
    QVERIFY2(answer.status == 0, answer.err);
    for (const char *words : {"stream 1  conv1, maxpool1", " streams, ", " events, no barriers", "began with",
                              "ios-relaxed", "one stream", " schedules timed; "})
        QVERIFY2(answer.out.contains(words), answer.out);
}

void TestCliStreams::compare_names_countEventsAndBarriers()
{
    const QStringList compare{"compare",    "googlenet",  "-d",         "sim:v100",
                              "--schedule", "sequential", "--schedule", "opara"};
    const Answer text = cli(compare);
    QVERIFY2(text.status == 0, text.err);
    for (const char *words : {"streams  events  barriers", "1       0        80", "28      54         0"})
        QVERIFY2(text.out.contains(words), text.out);
    const QJsonObject schedules = cli(compare + QStringList{"--json"}).json()["schedules"].toObject();
    QCOMPARE(schedules["opara"]["streams"].toInt(), 28);
    QCOMPARE(schedules["opara"]["barriers"].toInt(-1), 0);
    QCOMPARE(schedules["sequential"]["barriers"].toInt(), 80);
    const Answer staged = cli({"compare", "squeezenet", "-d", "sim:v100", "--schedule", "greedy"});
    QVERIFY2(!staged.out.contains("events"), staged.out); // only where there are some
}

void TestCliStreams::timeline_hasAllStreams()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("streams.schedule.json");
    const QString trace = folder.filePath("trace.json");
    QCOMPARE(cli({"optimize", "googlenet", "-d", "sim:v100", "--strategy", "nimble", "-o", file}).status, 0);
    const QJsonObject timeline = cli({"timeline", "googlenet", "-d", "sim:v100", "--schedule", file, "--json"}).json();
    QCOMPARE(timeline["streams"].toInt(), 4);
    const Answer written =
        cli({"export", "googlenet", file, "-d", "sim:v100", "--format", "chrome-trace", "-o", trace});
    QVERIFY2(written.status == 0, written.err);
    const QJsonObject profile = cli({"profile", "googlenet", trace, "--json"}).json();
    QCOMPARE(profile["provenance"].toString(), QString("simulated"));
    QCOMPARE(profile["streams"].toInt(), 4);
    QCOMPARE(profile["unmapped_us"].toDouble(-1), 0.0);
}

void TestCliStreams::export_tablesAndReport_haveLaunches()
{
    const QTemporaryDir folder;
    const auto exported = [&](const QString &arguments, const char *file) {
        const Answer answer =
            cli(("export googlenet nimble -d sim:v100 -o " + QString(file) + arguments).split(' '), folder.path());
        return answer.status == 0 ? contentOf(folder.filePath(file)) : answer.err;
    };
    const QByteArray table = exported({}, "x.csv");
    QVERIFY2(table.startsWith("launch,stream,operators,waits_for\r\n1,1,conv1,\r\n"), table);
    QCOMPARE(table.count("\r\n"), 82); // a line for each launch
    const QByteArray readable = exported({}, "x.md");
    QVERIFY2(readable.contains("4 streams, 58 events, no barriers"), readable);
    const QByteArray page = exported({}, "x.html");
    QVERIFY2(page.contains("4 streams, 58 events, no barriers") && page.contains("stream 4  "), page);
    const QByteArray picture = exported({}, "x.svg");
    QCOMPARE(picture.count("<rect "), 82); // and the background
    QVERIFY2(picture.contains("Stream 4</text>"), picture);
    const QByteArray compared = exported(" --view comparison", "y.md");
    QVERIFY2(compared.contains("| 4 streams |"), compared);
}

void TestCliStreams::needsStages_isRefusedByName_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("what");
    const auto row = [](const char *name, const char *arguments, const char *what) {
        QTest::newRow(name) << QString::fromUtf8(arguments).split(' ') << QString::fromUtf8(what);
    };
    row("edit of stages", "edit googlenet --schedule FILE --split 1:conv1 -o other.json",
        "--split 1:conv1: it takes a schedule with stages");
    row("edit of streams", "edit googlenet --schedule greedy --swap maxpool2,maxpool3 -o other.json",
        "--swap maxpool2,maxpool3: it takes a schedule with streams");
    row("keep", "optimize googlenet -d sim:v100 --keep FILE:1", "--keep takes a schedule with stages");
    row("keep no launch", "optimize googlenet -d sim:v100 --strategy streams --keep FILE:block2",
        "block2 is not the number of a launch");
    row("keep by a rule", "optimize googlenet -d sim:v100 --strategy opara --keep FILE:1",
        "only --strategy streams searches for them");
    row("export", "export googlenet FILE --format ios-json -o net.json",
        "--format ios-json takes a schedule with stages");
    row("export by name", "export googlenet opara -d sim:v100 --format dot -o x.dot",
        "--format dot takes schedules with stages");
    row("launch order", "optimize googlenet -d sim:v100 --strategy streams --launch-order",
        "--launch-order goes with stages, and --strategy streams makes streams: streams have a launch order of their "
        "own");
    row("optimize --why", "optimize googlenet -d sim:v100 --strategy opara --why", "--why goes with stages");
    row("measure by name", "measure googlenet -d sim:v100 --schedule opara", "opara is made for a device first");
    row("misspelt", "optimize googlenet -d sim:v100 --strategy oparra", "Did you mean opara?");
}

void TestCliStreams::needsStages_isRefusedByName()
{
    QFETCH(QStringList, arguments);
    QFETCH(const QString, what);
    const QTemporaryDir folder;
    QCOMPARE(
        cli({"optimize", "googlenet", "-d", "sim:v100", "--strategy", "nimble", "-o", "FILE"}, folder.path()).status,
        0);
    const Answer answer = cli(arguments.replaceInStrings("FILE", "./FILE"), folder.path());
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains(what.toUtf8()), answer.err);
    QVERIFY(answer.out.isEmpty());
}

void TestCliStreams::why_saysWhereTheTimeOfTheWholeGoes()
{
    const QStringList command{"compare", "squeezenet", "-d",     "sim:v100", "--schedule",
                              "greedy",  "--schedule", "nimble", "--why"};
    const Answer words = cli(command);
    QVERIFY2(words.status == 0 && words.out.contains("where the time goes (simulated), change against Greedy"),
             words.err + words.out);
    const QJsonObject why = cli(command + QStringList{"--json"}).json()["why"].toObject();
    QVERIFY(!why["blocks"].toArray().isEmpty());
    const auto partOf = [&](const char *schedule, const char *part) {
        return why["schedules"].toObject()[schedule].toObject()["parts"].toObject()[part].toDouble(-1);
    };
    QCOMPARE(partOf("nimble", "between_stages_us"), 0.0); // there are no barriers
    QVERIFY(partOf("nimble", "waiting_us") > 0 && partOf("greedy", "between_stages_us") > 0);
}

// Launches run side by side, so what counts is the arena.
void TestCliStreams::differences_haveSpansOfStagesAndLaunches()
{
    const QStringList command{"compare",    "googlenet", "-d",         "sim:v100",    "--schedule",    "sequential",
                              "--schedule", "ios-both",  "--schedule", "ios-relaxed", "--differences", "--why"};
    const Answer text = cli(command);
    QVERIFY2(text.status == 0, text.err);
    QVERIFY2(text.out.contains("launches"), text.out);
    QVERIFY(text.out.contains("; its streams wait ") && text.out.contains("; its longest path takes "));
    const QJsonObject json = cli(command + QStringList{"--json"}).json();
    const QJsonObject differences = json["differences"].toObject();
    const double wholeUs = differences["latency_us"].toArray()[2].toDouble();
    double sumUs = 0;
    int spans = 0;
    for (const QJsonValue &block : differences["blocks"].toArray()) {
        for (const QJsonValue &span : block["spans"].toArray()) {
            ++spans;
            sumUs += span["latency_us"][2].toDouble();
            QVERIFY(span["event_us"][0].isNull() && span["event_us"][1].isNull() && span["event_us"][2].isDouble());
            QVERIFY(span["longest_path_us"].toDouble() > 0);
            QVERIFY(span["longest_path_us"].toDouble() <= span["latency_us"][0].toDouble() + 1e-6);
        }
    }
    QVERIFY(spans > 9); // a cut at each join, at least
    QVERIFY(std::abs(sumUs + differences["between_stages_us"][2].toDouble() - wholeUs) < 1e-6);
    const QJsonObject part = json["why"].toObject()["blocks"][1]["spans"][0].toObject();
    QVERIFY(part["parts"][2].isObject() && part["event_us"].isArray());
    // Two stream schedules, and none with stages: the blocks are the model's.
    const QJsonObject two = cli({"compare", "googlenet", "-d", "sim:v100", "--schedule", "opara", "--schedule",
                                 "nimble", "--differences", "--json"})
                                .json();
    QVERIFY(two["differences"].toObject()["blocks"].toArray().size() > 5);
    QVERIFY(!two["differences"].toObject()["blocks"][0]["spans"][0].toObject().contains("longest_path_us"));
}

void TestCliStreams::maxMemory_isMetByTheArenaOrRefused()
{
    const QTemporaryDir folder;
    const auto found = [&](const QStringList &cap) {
        const Answer answer = cli(QStringList{"optimize", "sample", "-d", "sim:v100", "--strategy", "streams", "-o",
                                              folder.filePath("s.json"), "--json"} +
                                  cap);
        const QJsonObject memory =
            cli({"memory", "sample", "--schedule", folder.filePath("s.json"), "-d", "sim:v100", "--json"}).json();
        return std::pair(answer.json(), memory["arena_bytes"].toDouble());
    };
    const double cap = 2.5 * 1024 * 1024;
    const auto [free, freeBytes] = found({});
    const auto [capped, cappedBytes] = found({"--max-memory", "2.5MiB"});
    QVERIFY(freeBytes > cap && cappedBytes <= cap);
    QVERIFY(capped["latency_us"].toDouble() >= free["latency_us"].toDouble());
    QCOMPARE(capped["memory"].toObject()["live_peak_bytes"].toDouble(), cappedBytes);
    const Answer refused =
        cli({"optimize", "sample", "-d", "sim:v100", "--strategy", "ios-relaxed", "--max-memory", "2.5MiB"});
    QCOMPARE(refused.status, 3);
    QVERIFY2(refused.err.contains("the streams of ios-relaxed need 2.90 MiB, more than 2.50 MiB"), refused.err);
    (void)found({}); // needs more, and is not to begin with
    const Answer kept = cli({"optimize", "sample", "-d", "sim:v100", "--strategy", "streams", "--keep",
                             folder.filePath("s.json") + ":1", "--max-memory", "2.5MiB"});
    QCOMPARE(kept.status, 3);
    QVERIFY2(kept.err.contains("the streams to begin with need 2.90 MiB, more than 2.50 MiB"), kept.err);
}

void TestCliStreams::keep_launches_searchesFromTheFile()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("nimble.json");
    QCOMPARE(cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "nimble", "-o", file}).status, 0);
    const Answer answer = cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "streams", "--keep",
                               file + ":5,7", "--max-seconds", "3", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonArray starts = answer.json()["stream_search"].toObject()["starts"].toArray();
    QCOMPARE(starts.size(), 1);
    QVERIFY(answer.json()["latency_us"].toDouble() <= starts[0]["latency_us"].toDouble());
    const Answer refused =
        cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "streams", "--keep", file + ":99"});
    QCOMPARE(refused.status, 3);
    QVERIFY2(refused.err.contains("there is no launch 99: the schedule has 50 launches"), refused.err);
}

void TestCliStreams::edit_changesStreamsAndMeasuresThem()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("nimble.json");
    const QString out = folder.filePath("edited.json");
    QCOMPARE(cli({"optimize", "googlenet", "-d", "sim:v100", "--strategy", "nimble", "-o", file}).status, 0);
    const Answer answer = cli({"edit", "googlenet", "--schedule", file, "--to-stream", "inception3a/branch1:5",
                               "--launch-after", "inception3a/branch1:inception3a/branch4/conv", "--add-event",
                               "inception3a/branch4/pool,inception3a/branch1", "--drop-event",
                               "inception3a/branch4/pool,inception3a/branch1", "-d", "sim:v100", "-o", out, "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    QCOMPARE(answer.json()["edits"].toArray().size(), 4);
    QCOMPARE(answer.json()["edits"][0]["words"].toString(), QString("Move inception3a/branch1 to a new stream"));
    QVERIFY(answer.json()["changed"].toArray().isEmpty());
    const QJsonObject made = QJsonDocument::fromJson(contentOf(out)).object();
    QCOMPARE(made["streams"].toArray().size(), 5);
    QCOMPARE(made["streams"][4].toArray(), QJsonArray{"inception3a/branch1"});
    const double us = made["latency_us"].toDouble();
    QVERIFY(us > 0);
    QCOMPARE(
        cli({"measure", "googlenet", "--schedule", out, "-d", "sim:v100", "--json"}).json()["latency_us"].toDouble(),
        us);
    const Answer words = cli(
        {"edit", "googlenet", "--schedule", file, "--swap", "inception3a/branch1,inception3a/branch4/pool", "-o", out});
    QVERIFY2(words.out.contains("Swap inception3a/branch1 and inception3a/branch4/pool") &&
                 words.out.contains("edited from nimble: 4 streams") && words.out.contains("not measured"),
             words.out);
}

void TestCliStreams::edit_illegal_isRefusedAndWritesNothing_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char *option, const char *value, const char *says) {
        QTest::addRow("%s %s", option, value) << QString(option) << QString(value) << QByteArray(says);
    };
    row("--to-stream", "maxpool2:7", "there is no stream 7. Streams go from 1 to 4; 5 is a new one");
    row("--to-stream", "maxpool2:0", "0 is not the number of a stream");
    row("--to-stream", "maxpool2", "a colon is missing");
    row("--to-stream", "maxpol2:1", "Did you mean maxpool2");
    row("--launch-before", "inception3a/concat:maxpool2", "runs before");
    row("--launch-after", "maxpool2:nothing", "the model has no operator nothing");
    row("--swap", "maxpool2", "two operators are needed");
    row("--swap", "maxpool2,inception3a/concat", "whose output it reads");
    row("--add-event", "inception3a/concat,maxpool2", "the wait never ends");
    row("--drop-event", "inception3a/branch1,inception3a/concat", "reads the output of inception3a/branch1");
}

void TestCliStreams::edit_illegal_isRefusedAndWritesNothing()
{
    QFETCH(const QString, option);
    QFETCH(const QString, value);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    const QString file = folder.filePath("nimble.json");
    QCOMPARE(cli({"optimize", "googlenet", "-d", "sim:v100", "--strategy", "nimble", "-o", file}).status, 0);
    const Answer answer =
        cli({"edit", "googlenet", "--schedule", file, option, value, "-o", folder.filePath("out.json")});
    QVERIFY2(answer.status == 2 || answer.status == 3, answer.err);
    QVERIFY2(answer.err.contains(option.toUtf8() + ' ' + value.toUtf8()) && answer.err.contains(says), answer.err);
    QVERIFY(!QFile::exists(folder.filePath("out.json")));
}

// Before it spends minutes on the stages that a search begins with.
void TestCliStreams::deviceWithoutStreams_isRefusedAtOnce()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("own.latencies.jsonl");
    write(file, R"({"format":"stagecraft-latencies","version":1,"model":"sample","device":"V100","batch":1,)"
                R"("precision":"fp32"}
{"latency_us":17.3,"groups":[["concat"]],"strategy":"concurrent"}
)");
    const Answer answer = cli({"optimize", "sample", "-d", "rec:" + file, "--strategy", "streams"});
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("takes a schedule with stages"), answer.err);
}

void TestCliStreams::cpu_runsThem()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("streams.schedule.json");
    const Answer made =
        cli({"optimize", "squeezenet", "-d", "cpu", "--strategy", "opara", "-o", file, "--rounds", "0", "--json"});
    QVERIFY2(made.status == 0, made.err);
    QCOMPARE(made.json()["provenance"].toString(), QString("measured"));
    const Answer measured = cli({"measure", "squeezenet", "-d", "cpu", "--schedule", file, "--json"});
    QVERIFY2(measured.status == 0 && measured.json()["latency_us"].toDouble() > 0, measured.err);
    const QJsonObject timeline = cli({"timeline", "squeezenet", "-d", "cpu", "--schedule", file, "--json"}).json();
    QCOMPARE(timeline["kernels"].toArray().size(), 50);
    QVERIFY(timeline["stages"].toArray().isEmpty());
    const stagecraft::Shape shape{{1, 3, 224, 224}};
    const stagecraft::HostTensor image{"", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)};
    QVERIFY(stagecraft::writeNpy(folder.filePath("x.npy").toStdString(), image));
    const QStringList run{"run", "squeezenet", "-i", "x.npy", "-o"};
    QCOMPARE(cli(run + QStringList{"sequential.npy"}, folder.path()).status, 0);
    const Answer answer = cli(run + QStringList{"streams.npy", "--schedule", file}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const auto expected = stagecraft::readNpy(folder.filePath("sequential.npy").toStdString());
    const auto found = stagecraft::readNpy(folder.filePath("streams.npy").toStdString());
    QVERIFY(expected && found && expected->values.size() == found->values.size());
    double largest = 0;
    double difference = 0;
    for (std::size_t i = 0; i < found->values.size(); ++i) {
        largest = std::max(largest, std::abs(double{expected->values[i]}));
        difference = std::max(difference, std::abs(double{expected->values[i]} - double{found->values[i]}));
    }
    QVERIFY(difference <= 1e-5 * largest);
}

void TestCliStreams::cpu_search_namesItsStarts()
{
    const Answer answer = cli({"optimize", "sample", "-d", "cpu", "--strategy", "streams", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject search = answer.json()["stream_search"].toObject();
    QCOMPARE(search["starts"].toArray().size(), 10);
    QVERIFY(search["schedules_timed"].toInt() > 9); // those that it found, too
    QCOMPARE(answer.json()["provenance"].toString(), QString("measured"));
}

void TestCliStreams::memory_countsLaunches()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("streams.schedule.json");
    QCOMPARE(cli({"optimize", "googlenet", "-d", "sim:v100", "--strategy", "nimble", "-o", file}).status, 0);
    const Answer text = cli({"memory", "googlenet", "-d", "sim:v100", "--schedule", file});
    QVERIFY2(text.out.contains("launch  ") && text.out.contains("stream 4  "), text.out);
    const QJsonObject memory = cli({"memory", "googlenet", "-d", "sim:v100", "--schedule", file, "--json"}).json();
    QCOMPARE(memory["stages"].toArray().size(), 81);
    QVERIFY(memory["arena_bytes"].toDouble() >= memory["live_peak_bytes"].toDouble());
}

void TestCliStreams::event_costs_areTheDevices()
{
    const auto latencyOn = [](const QString &device) {
        return cli({"optimize", "googlenet", "-d", device, "--strategy", "nimble", "--json"})
            .json()["latency_us"]
            .toDouble();
    };
    const double assumed = latencyOn("sim:v100");
    QVERIFY(assumed > 0);
    QCOMPARE(latencyOn("sim:v100*event_us=1"), assumed);
    QVERIFY(latencyOn("sim:v100*event_us=5") > assumed);
    QCOMPARE(latencyOn("sim:a100*event_us=5"), latencyOn("sim:a100")); // one CUDA graph
    QVERIFY(cli({"devices", "--json"}).out.contains("1 us (assumed)"));
}

STAGECRAFT_SUITE(TestCliStreams)

} // namespace tst_cli_streams
#include "tst_cli_streams.moc"
