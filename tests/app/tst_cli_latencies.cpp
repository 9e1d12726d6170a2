// latencies: what was measured and kept, from the command line.

#include "support/cli_process.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

class TestCliLatencies : public QObject {
    Q_OBJECT

private slots:
    void latencies_exportedWithClocks_areListedAndExportedAgain();
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
    QCOMPARE(cli({"latencies", "export", "m", "-o", "out.latencies.jsonl"}, folder.path(), environment).status, 0);
    QFile out(folder.filePath("out.latencies.jsonl"));
    QVERIFY(out.open(QIODevice::ReadOnly));
    const QByteArray exported = out.readAll();
    QCOMPARE(exported.count("\"memory_clock_mhz\":2619"), 2);
    QCOMPARE(exported.count("\"clock_mhz\":1980"), 1);
    write(folder.filePath("bad.latencies.jsonl"), QByteArray(recording).replace("5.5,", "5.5,\"runs\":-1,"));
    const Answer bad = cli({"latencies", "import", "bad.latencies.jsonl"}, folder.path(), environment);
    QVERIFY2(bad.status == 3 && bad.err.contains("bad.latencies.jsonl: line 2: the stage's runs are -1."), bad.err);
    const Answer typo = cli({"latencies", "clear", "-d", "gpu:7"}, folder.path(), environment);
    QVERIFY2(typo.status == 2 && typo.err.contains("no latencies of the device gpu:7. It has those of gpu:0."),
             typo.err);
    const Answer cleared = cli({"latencies", "clear", "-d", "gpu:0"}, folder.path(), environment);
    QVERIFY2(cleared.status == 0 && cleared.out == "3 latencies forgotten\n", cleared.out);
}

QTEST_GUILESS_MAIN(TestCliLatencies)
#include "tst_cli_latencies.moc"
