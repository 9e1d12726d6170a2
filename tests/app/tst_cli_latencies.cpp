// latencies: stored latencies on the command line.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_latencies {

class TestCliLatencies : public QObject {
    Q_OBJECT

private slots:
    void latencies_exportedWithClocks_areListedAndExportedAgain();
    void latencies_noStore_noneIsMade();
    void clear_oneModel_leavesTheOthers();
    void export_afterACompare_replaysIt();
};

void TestCliLatencies::latencies_exportedWithClocks_areListedAndExportedAgain()
{
    QTemporaryDir folder;
    const QStringList environment{"XDG_DATA_HOME=" + folder.path()};
    const QByteArray recording =
        R"({"format":"stagecraft-latencies","version":1,"device":"H100","batch":1,"precision":"fp32","model":"m","fingerprint":"gpu;x;","engine":"gpu:0"}
{"strategy":"concurrent","groups":[["a"]],"latency_us":5.5,"clock_mhz":1755,"memory_clock_mhz":2619,"signature":"000000000000000000000000000000aa"}
{"strategy":"concurrent","groups":[["b"]],"latency_us":6.5,"clock_mhz":1980,"memory_clock_mhz":2619,"signature":"000000000000000000000000000000bb"}
{"strategy":"concurrent","groups":[["c"]],"latency_us":7.5,"signature":"000000000000000000000000000000cc"}
)";
    write(folder.filePath("in.latencies.jsonl"), recording);
    QCOMPARE(cli({"latencies", "import", "in.latencies.jsonl"}, folder.path(), environment).status, 0);
    const Answer list = cli({"latencies", "list"}, folder.path(), environment);
    QVERIFY2(list.out.contains("1755 to 1980 MHz, memory 2619 MHz"), list.out);
    const QJsonObject set =
        cli({"latencies", "list", "--json"}, folder.path(), environment).json()["sets"].toArray().first().toObject();
    QCOMPARE(set["lowest_clock_mhz"].toInt(), 1755);
    QCOMPARE(set["highest_clock_mhz"].toInt(), 1980);
    const QStringList exporting{"latencies", "export", "m", "-o", "out.latencies.jsonl"};
    write(folder.filePath("out.latencies.jsonl"), "my notes");
    const Answer refused = cli(exporting, folder.path(), environment);
    QVERIFY2(refused.status == 2 && refused.err.contains("it is something else, not recorded latencies"), refused.err);
    QCOMPARE(cli(exporting + QStringList{"--force"}, folder.path(), environment).status, 0);
    QCOMPARE(cli(exporting, folder.path(), environment).status, 0); // over its own file
    QFile out(folder.filePath("out.latencies.jsonl"));
    QVERIFY(out.open(QIODevice::ReadOnly));
    const QByteArray exported = out.readAll();
    QCOMPARE(exported.count("\"memory_clock_mhz\":2619"), 2);
    QCOMPARE(exported.count("\"clock_mhz\":1980"), 1);
    write(folder.filePath("bad.latencies.jsonl"), QByteArray(recording).replace("5.5,", "5.5,\"runs\":-1,"));
    const Answer bad = cli({"latencies", "import", "bad.latencies.jsonl"}, folder.path(), environment);
    QVERIFY2(bad.status == 3 &&
                 bad.err.contains("bad.latencies.jsonl: line 2: the stage's \"runs\" is -1, not a whole number"),
             bad.err);
    write(folder.filePath("bad.latencies.jsonl"), QByteArray(recording).replace("bb\"}", "bg\"}"));
    const Answer badSignature = cli({"latencies", "import", "bad.latencies.jsonl"}, folder.path(), environment);
    QVERIFY2(badSignature.status == 3 && badSignature.err.contains("bad.latencies.jsonl: line 3: the signature"),
             badSignature.err);
    write(folder.filePath("bad.latencies.jsonl"), QByteArray(recording).replace("7.5", "-7.5"));
    const Answer negative = cli({"latencies", "import", "bad.latencies.jsonl"}, folder.path(), environment);
    QVERIFY2(negative.status == 3 && negative.err.contains("bad.latencies.jsonl: line 4: the stage's latency_us"),
             negative.err);
    const Answer typo = cli({"latencies", "clear", "-d", "gpu:7"}, folder.path(), environment);
    QVERIFY2(typo.status == 2 && typo.err.contains("no latencies of the device gpu:7. It has those of gpu:0."),
             typo.err);
    const Answer asked = cli({"latencies", "clear", "-d", "gpu:0"}, folder.path(), environment);
    QVERIFY2(asked.status == 2 && asked.err.contains("3 latencies on gpu:0 would be deleted. Confirm with --yes."),
             asked.err);
    const Answer cleared = cli({"latencies", "clear", "-d", "gpu:0", "--yes"}, folder.path(), environment);
    QVERIFY2(cleared.status == 0 && cleared.out == "3 latencies deleted\n", cleared.out);
}

void TestCliLatencies::clear_oneModel_leavesTheOthers()
{
    QTemporaryDir folder;
    const QStringList environment{"XDG_DATA_HOME=" + folder.path()};
    for (const QByteArray model : {"m", "n"}) {
        const QByteArray digit = model == "m" ? "a" : "b";
        write(folder.filePath("in.latencies.jsonl"),
              R"({"format":"stagecraft-latencies","version":1,"device":"H100","batch":1,"precision":"fp32","model":")" +
                  model + R"(","fingerprint":"gpu;x;","engine":"gpu:0"})" + "\n" +
                  R"({"strategy":"concurrent","groups":[["a"]],"latency_us":5.5,"signature":")" + digit.repeated(32) +
                  "\"}\n");
        QCOMPARE(cli({"latencies", "import", "in.latencies.jsonl"}, folder.path(), environment).status, 0);
    }
    const Answer typo = cli({"latencies", "clear", "--model", "x", "--yes"}, folder.path(), environment);
    QVERIFY2(typo.status == 2 && typo.err.contains("no latencies of x. It has those of ") &&
                 typo.err.contains("m at batch 1"),
             typo.err);
    const Answer cleared = cli({"latencies", "clear", "--model", "m", "--yes"}, folder.path(), environment);
    QVERIFY2(cleared.status == 0 && cleared.out == "1 latency deleted\n", cleared.out);
    const QJsonArray sets = cli({"latencies", "list", "--json"}, folder.path(), environment).json()["sets"].toArray();
    QCOMPARE(sets.size(), 1);
    QCOMPARE(sets.first().toObject()["model"].toString(), "n");
}

void TestCliLatencies::latencies_noStore_noneIsMade()
{
    QTemporaryDir folder;
    const QStringList environment{"XDG_DATA_HOME=" + folder.filePath("data")};
    const Answer list = cli({"latencies", "list"}, folder.path(), environment);
    QVERIFY2(list.status == 0 && list.out.endsWith("has no latencies\n"), list.out);
    QVERIFY(cli({"latencies", "list", "--json"}, folder.path(), environment).json()["sets"].toArray().isEmpty());
    const Answer exported = cli({"latencies", "export", "sample", "-o", "x.jsonl"}, folder.path(), environment);
    QVERIFY2(exported.status == 2 && exported.err.contains("Measure something first"), exported.err);
    const Answer cleared = cli({"latencies", "clear"}, folder.path(), environment);
    QVERIFY2(cleared.status == 0 && cleared.out == "0 latencies deleted\n", cleared.out);
    QVERIFY(!QFile::exists(folder.filePath("data")));
}

// An export of schedules timed as a whole can be compared again, with the same whole latencies.
void TestCliLatencies::export_afterACompare_replaysIt()
{
    QTemporaryDir folder;
    const QStringList environment{"XDG_DATA_HOME=" + folder.path(),
                                  "STAGECRAFT_WORKER=" + testProgramPath("faulty-worker")};
    QCOMPARE(cli({"optimize", "sample", "-d", "cpu", "--rounds", "0", "-o", "found.json"}, folder.path(), environment)
                 .status,
             0);
    const Answer exported =
        cli({"latencies", "export", "sample", "-o", "sample.latencies.jsonl", "--json"}, folder.path(), environment);
    QVERIFY2(exported.status == 0 && exported.json()["schedules"].toInt() == 1, exported.err);
    const QStringList recorded{"sample", "-d", "rec:sample.latencies.jsonl"};
    const QJsonObject found =
        cli(QStringList{"measure", "--schedule", "found.json", "--json"} + recorded, folder.path()).json();
    QVERIFY(!found["sum_of_stages"].toBool(true));
    QCOMPARE(found["latency_us"].toDouble(), 2.0);
    // Sequential was never timed as a whole: its latency is a sum and is not compared with whole latencies.
    const QStringList compare = QStringList{"compare"} + recorded;
    const QJsonObject schedules = cli(compare + QStringList{"--json"}, folder.path()).json()["schedules"].toObject();
    QVERIFY(schedules["sequential"].toObject()["sum_of_stages"].toBool());
    QCOMPARE(schedules["sequential"].toObject()["speedup"].toDouble(), 1.0);
    QVERIFY(schedules.contains("ios-both"));
    for (const QJsonValue &schedule : schedules)
        QCOMPARE(schedule.toObject()["speedup"].isNull(), !schedule.toObject()["sum_of_stages"].toBool());
    const Answer again = cli(QStringList{"optimize", "--json"} + recorded, folder.path());
    QCOMPARE(again.json()["schedule"].toObject()["sum_of_stages"].toBool(), again.json()["sum_of_stages"].toBool());
    const Answer text = cli(compare, folder.path());
    QVERIFY2(text.out.contains("us (sum of stages)") && text.out.contains("omits what happens between stages"),
             text.out);
    const Answer measure = cli({"measure", "sample", "-d", "rec:sample.latencies.jsonl"}, folder.path());
    QVERIFY2(measure.out.contains("(sum of stages, recorded, fp32)") && !measure.out.contains("in one go"),
             measure.out);
}

STAGECRAFT_SUITE(TestCliLatencies)

} // namespace tst_cli_latencies
#include "tst_cli_latencies.moc"
