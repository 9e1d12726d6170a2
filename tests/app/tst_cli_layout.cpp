// stagecraft-cli layout: what it answers for latencies from a file, and what it refuses.

#include "support/cli_process.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>

using namespace stagecraft::test;

namespace {

const QString kCosts = QStringLiteral(STAGECRAFT_SOURCE_DIR "/tests/data/layout/sample.layout-costs.json");

Answer layout(const QStringList &more)
{
    return cli(QStringList{"layout", "sample", "--json"} + more);
}

} // namespace

class TestCliLayout : public QObject {
    Q_OBJECT

private slots:
    void costs_sample_areAnsweredInFull();
    void layouts_nchwAlone_isTheFirstAlternative();
    void prune_everyRule_isAccepted_data();
    void prune_everyRule_isAccepted();
    void output_costs_areReadAgain();
    void joint_costs_areNeverWorseThanEitherOrder();
    void joint_simulated_isProvedAndAssumed();
    void optimize_cap_keepsToItAndNamesTheSmallest();
    void optimize_capWithABudget_isRefused();
    void sim_v100_isAssumed();
    void sim_deviceWithoutFigures_isRefused();
    void cpu_secondRun_asksTheStore();
    void refusal_everyOne_isClear_data();
    void refusal_everyOne_isClear();
};

// By hand: conv2, conv4 and their input in NHWC (250 + 450 + 450, conv3 290, one conversion of the input for 20), then
// concat in NHWC (60) and one conversion of its output (50).
void TestCliLayout::costs_sample_areAnsweredInFull()
{
    const QJsonObject answer = layout({"--costs", kCosts}).json();
    QCOMPARE(answer["latency_us"].toDouble(), 1570.0);
    QCOMPARE(answer["provenance"].toString(), QString("recorded"));
    QCOMPARE(answer["proved"].toBool(), true);
    QCOMPARE(answer["layouts"].toObject()["conv4"].toString(), QString("NHWC"));
    QCOMPARE(answer["layouts"].toObject()["input"].toString(), QString("NCHW"));
    const QJsonArray conversions = answer["conversions"].toArray();
    QCOMPARE(conversions.size(), 2);
    QCOMPARE(conversions[0].toObject()["tensor"].toString(), QString("input"));
    QCOMPARE(conversions[0].toObject()["latency_us"].toDouble(), 20.0);
    QCOMPARE(conversions[1].toObject()["tensor"].toString(), QString("concat"));
    QVERIFY(conversions[1].toObject()["before"].isNull());
    const QJsonObject alternatives = answer["alternatives"].toObject();
    QCOMPARE(alternatives["all_nchw"].toDouble(), 1840.0);
    QCOMPARE(alternatives["all_nhwc"].toDouble(), 1570.0);
    QCOMPARE(alternatives["per_operator_fastest"].toDouble(), 1650.0); // concat in NCHW: three conversions
    QVERIFY(alternatives["library"].isNull());
}

void TestCliLayout::layouts_nchwAlone_isTheFirstAlternative()
{
    const QJsonObject answer = layout({"--costs", kCosts, "--layouts", "nchw"}).json();
    QCOMPARE(answer["latency_us"].toDouble(), 1840.0);
    QVERIFY(answer["conversions"].toArray().isEmpty());
}

void TestCliLayout::prune_everyRule_isAccepted_data()
{
    QTest::addColumn<QString>("rule");
    QTest::addColumn<bool>("proved");
    QTest::newRow("none") << "none" << true;
    QTest::newRow("dominance") << "dominance" << true;
    QTest::newRow("threshold") << "threshold=1.5" << false;
}

void TestCliLayout::prune_everyRule_isAccepted()
{
    QFETCH(QString, rule);
    QFETCH(bool, proved);
    const QJsonObject answer = layout({"--costs", kCosts, "--prune", rule}).json();
    QCOMPARE(answer["latency_us"].toDouble(), 1570.0);
    QCOMPARE(answer["proved"].toBool(), proved);
    const Answer text = cli({"layout", "sample", "--costs", kCosts, "--prune", rule});
    QCOMPARE(text.out.contains("not proved"), !proved);
}

void TestCliLayout::output_costs_areReadAgain()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("again.json");
    QCOMPARE(layout({"--costs", kCosts, "-o", file}).status, 0);
    const QJsonObject answer = layout({"--costs", file}).json();
    QCOMPARE(answer["latency_us"].toDouble(), 1570.0);
}

// By hand: all convolutions beside each other, conv1 and conv4 in NHWC with a conversion of the input (20 + 250 + 450),
// one of conv4 (50), and concat in NCHW (40). In NCHW conv1 and conv4 take 900 and concat 40.
void TestCliLayout::joint_costs_areNeverWorseThanEitherOrder()
{
    const QJsonObject answer = layout({"--costs", kCosts, "--joint"}).json();
    QCOMPARE(answer["latency_us"].toDouble(), 810.0);
    QCOMPARE(answer["lower_bound_us"].toDouble(), 810.0);
    QCOMPARE(answer["proved"].toBool(), true);
    QCOMPARE(answer["provenance"].toString(), QString("assumed"));
    const QJsonObject joint = answer["joint"].toObject();
    QCOMPARE(joint["layouts_then_stages_us"].toDouble(), 830.0);
    QCOMPARE(joint["stages_then_layouts_us"].toDouble(), 810.0);
    QCOMPARE(joint["stages"].toArray().size(), 2);
    const Answer text = cli({"layout", "sample", "--costs", kCosts, "--joint"});
    QVERIFY(text.out.contains("proved: nothing takes less"));
}

void TestCliLayout::joint_simulated_isProvedAndAssumed()
{
    for (const QString model : {"squeezenet", "inception_v3"}) {
        const QJsonObject answer = cli({"layout", model, "-d", "sim:v100", "--joint", "--json"}).json();
        QCOMPARE(answer["provenance"].toString(), QString("assumed"));
        QCOMPARE(answer["proved"].toBool(), true);
        const QJsonObject joint = answer["joint"].toObject();
        const double us = answer["latency_us"].toDouble();
        QVERIFY(us <= joint["layouts_then_stages_us"].toDouble());
        QVERIFY(us <= joint["stages_then_layouts_us"].toDouble());
        QCOMPARE(joint["gap"].toDouble(), 0.0);
        QVERIFY(joint["stage_measurements"].toInt() < joint["stages_of_space"].toInt());
        // In NCHW alone it is what optimize finds.
        const QJsonObject plain = cli({"optimize", model, "-d", "sim:v100", "--json"}).json();
        const QJsonObject nchw =
            cli({"layout", model, "-d", "sim:v100", "--joint", "--layouts", "nchw", "--json"}).json();
        QVERIFY(std::abs(nchw["latency_us"].toDouble() - plain["latency_us"].toDouble()) < 1e-6);
        QVERIFY(us < nchw["latency_us"].toDouble());
    }
}

void TestCliLayout::optimize_cap_keepsToItAndNamesTheSmallest()
{
    const QStringList call{"optimize", "squeezenet", "-d", "sim:v100", "--json"};
    const QJsonObject free = cli(call).json();
    QVERIFY(!free.contains("memory"));
    const Answer none = cli(call + QStringList{"--max-memory", "1MiB"});
    QCOMPARE(none.status, 3);
    const QRegularExpression smallest("smallest cap that one meets is (\\d+) bytes");
    const QString cap = smallest.match(QString::fromUtf8(none.err)).captured(1);
    QVERIFY2(!cap.isEmpty(), none.err.constData());
    const QJsonObject tight = cli(call + QStringList{"--max-memory", cap}).json();
    QCOMPARE(tight["memory"].toObject()["live_peak_bytes"].toDouble(), cap.toDouble());
    QVERIFY(tight["latency_us"].toDouble() >= free["latency_us"].toDouble());
    // A cap that binds nothing changes nothing.
    const QJsonObject wide = cli(call + QStringList{"--max-memory", "1GiB"}).json();
    QCOMPARE(wide["schedule"].toObject()["stages"], free["schedule"].toObject()["stages"]);
    QCOMPARE(cli(call + QStringList{"--max-memory", QString::number(cap.toLongLong() - 1)}).status, 3);
}

void TestCliLayout::optimize_capWithABudget_isRefused()
{
    for (const QStringList &more : {QStringList{"--max-memory", "much"}, QStringList{"--max-memory", "0"},
                                    QStringList{"--max-memory", "9MiB", "--max-seconds", "1"}}) {
        const Answer answer = cli(QStringList{"optimize", "squeezenet"} + more);
        QCOMPARE(answer.status, 2);
        QVERIFY(answer.err.contains("--max-memory"));
    }
}

void TestCliLayout::sim_v100_isAssumed()
{
    const QJsonObject answer = layout({"-d", "sim:v100"}).json();
    QCOMPARE(answer["provenance"].toString(), QString("assumed"));
    QVERIFY(answer["in_turn"].isNull());
    // 375 channels in: NHWC takes 0.045 / 0.091 of NCHW.
    const QJsonObject conv = answer["operators"].toObject()["conv3"].toObject();
    QCOMPARE(conv["fastest_in"].toString(), QString("NHWC"));
    const QJsonObject nchw = layout({"-d", "sim:v100", "--layouts", "nchw"}).json();
    const double nchwUs = nchw["operators"].toObject()["conv3"].toObject()["latency_us"].toDouble();
    QCOMPARE(conv["fastest_us"].toDouble(), nchwUs * (0.045 / 0.091));
}

void TestCliLayout::sim_deviceWithoutFigures_isRefused()
{
    const Answer answer = layout({"-d", "sim:k80"});
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("no published figures say what layouts take on sim:k80"), answer.err.constData());
}

// Disturbed latencies are measured again by the store's own rule; on an idle machine there are none.
void TestCliLayout::cpu_secondRun_asksTheStore()
{
    const QTemporaryDir folder;
    const QStringList store{"XDG_DATA_HOME=" + folder.path()};
    const QStringList call{
        "layout", STAGECRAFT_SOURCE_DIR "/tests/data/onnx/residual.onnx", "-d", "cpu", "--layouts", "nchw,nhwc",
        "--json"};
    const QJsonObject first = cli(call + QStringList{"--rounds", "1"}, {}, store).json();
    const QJsonObject profiles = first["profiles"].toObject();
    QVERIFY(profiles["distinct"].toInt() > 0 && profiles["distinct"].toInt() <= profiles["asked"].toInt());
    QCOMPARE(profiles["kept"].toInt(), 0);
    QCOMPARE(first["provenance"].toString(), QString("measured"));
    for (const QJsonValue &variant : first["in_turn"].toObject())
        QVERIFY(variant["largest_difference"].toDouble() < 1e-4);
    const QJsonObject second = cli(call + QStringList{"--rounds", "0"}, {}, store).json()["profiles"].toObject();
    QCOMPARE(second["distinct"].toInt(), profiles["distinct"].toInt());
    QVERIFY(second["kept"].toInt() > 0);
}

void TestCliLayout::refusal_everyOne_isClear_data()
{
    QTest::addColumn<QByteArray>("content"); // of the file; empty: the sample's
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("message");
    const QByteArray empty =
        R"({"format": "stagecraft-layout-costs", "version": 1, "layouts": ["NCHW"], "operators": {}})";
    QTest::newRow("missing file") << QByteArray() << QStringList{"--costs", "/nonexistent.json"} << 3
                                  << QByteArray("/nonexistent.json");
    QTest::newRow("no entries") << empty << QStringList{} << 3
                                << QByteArray("no layouts are possible: operator conv1 has no latency in any layout");
    QTest::newRow("prune") << QByteArray() << QStringList{"--prune", "fast"} << 2
                           << QByteArray("--prune: fast is not known");
    QTest::newRow("threshold") << QByteArray() << QStringList{"--prune", "threshold=0.5"} << 2
                               << QByteArray("--prune: 0.5 is not a factor of at least 1");
    QTest::newRow("layout") << QByteArray() << QStringList{"--layouts", "nchw,chwn"} << 2
                            << QByteArray("--layouts: chwn is not known");
    QTest::newRow("layouts") << QByteArray() << QStringList{"--layouts", "nhwc"} << 2
                             << QByteArray("--layouts lacks NCHW");
}

void TestCliLayout::refusal_everyOne_isClear()
{
    QFETCH(QByteArray, content);
    QFETCH(QStringList, options);
    QFETCH(int, status);
    QFETCH(QByteArray, message);
    const QTemporaryDir folder;
    QString file = kCosts;
    if (!content.isEmpty()) {
        file = folder.filePath("costs.json");
        write(file, content);
    }
    if (!options.contains("--costs"))
        options = QStringList{"--costs", file} + options;
    const Answer answer = layout(options);
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.err.contains(message), answer.err.constData());
    QVERIFY(answer.out.isEmpty());
}

QTEST_GUILESS_MAIN(TestCliLayout)
#include "tst_cli_layout.moc"
