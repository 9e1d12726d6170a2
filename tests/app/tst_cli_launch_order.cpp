// Launch orders of stages on the command line: chosen, written, executed, exported, and refused where there are none.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace stagecraft::test;

namespace tst_cli_launch_order {
namespace {

int orderedStages(const QJsonObject &schedule)
{
    int ordered = 0;
    for (const QJsonValue &stage : schedule["stages"].toArray())
        ordered += stage.toObject().contains("launch_order") ? 1 : 0;
    return ordered;
}

} // namespace

class TestCliLaunchOrder : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void optimize_isFasterAndSaysSo();
    void optimize_without_hasNone();
    void optimize_oneGroupEach_saysThereIsNothingToChoose();
    void optimize_kept_staysAsItIs();
    void measure_file_isAsFast();
    void edit_changedStage_losesItsOrder();
    void run_cpu_computesTheSame();
    void recording_refusesIt();
    void iosJson_refusesIt();
    void cpu_choosesInRounds();

private:
    [[nodiscard]] QJsonObject fileIn(const QString &name) const
    {
        return QJsonDocument::fromJson(contentOf(m_folder.filePath(name))).object();
    }

    QTemporaryDir m_folder;
    QString m_file;
};

void TestCliLaunchOrder::initTestCase()
{
    m_file = m_folder.filePath("ordered.json");
    const Answer made = cli({"optimize", "googlenet", "-d", "sim:v100", "--launch-order", "-o", m_file});
    QVERIFY2(made.status == 0, made.err);
    QVERIFY(made.out.contains("\n    launched: inception"));
    QVERIFY2(made.out.contains(" stages of several groups have a launch order: "), made.out);
}

void TestCliLaunchOrder::optimize_isFasterAndSaysSo()
{
    const Answer plain = cli({"optimize", "googlenet", "-d", "sim:v100", "--json"});
    const Answer ordered = cli({"optimize", "googlenet", "-d", "sim:v100", "--launch-order", "--json"});
    QVERIFY(plain.status == 0 && ordered.status == 0);
    const QJsonObject orders = ordered.json()["search"].toObject()["launch_orders"].toObject();
    QVERIFY(orders["stages"].toInt() > 0);
    QCOMPARE(orders["stages"].toInt(), orderedStages(ordered.json()["schedule"].toObject()));
    QCOMPARE(orders["without_us"].toDouble(), plain.json()["latency_us"].toDouble());
    QCOMPARE(orders["with_us"].toDouble(), ordered.json()["latency_us"].toDouble());
    QVERIFY(orders["with_us"].toDouble() < 0.98 * orders["without_us"].toDouble());
    // The search itself asks for what it asked for before.
    QCOMPARE(ordered.json()["search"].toObject()["stage_measurements"],
             plain.json()["search"].toObject()["stage_measurements"]);
    QCOMPARE(ordered.json()["search"].toObject()["sum_us"], plain.json()["search"].toObject()["sum_us"]);
}

void TestCliLaunchOrder::optimize_without_hasNone()
{
    const QJsonObject json = cli({"optimize", "googlenet", "-d", "sim:v100", "--json"}).json();
    QCOMPARE(orderedStages(json["schedule"].toObject()), 0);
    QVERIFY(!json["search"].toObject().contains("launch_orders"));
}

void TestCliLaunchOrder::optimize_oneGroupEach_saysThereIsNothingToChoose()
{
    const Answer answer = cli({"optimize", "googlenet", "-d", "sim:v100", "--strategy", "merge", "--launch-order"});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.out.contains("no stage has several groups, whose launches could be in another order"), answer.out);
}

void TestCliLaunchOrder::optimize_kept_staysAsItIs()
{
    const QString plain = m_folder.filePath("plain.json");
    QCOMPARE(cli({"optimize", "googlenet", "-d", "sim:v100", "-o", plain}).status, 0);
    const QJsonArray before = fileIn("plain.json")["stages"].toArray();
    int number = 0;
    while (before[number].toObject()["groups"].toArray().size() < 2 ||
           before[number].toObject()["strategy"].toString() != "concurrent")
        ++number;
    const auto found = [&](const QString &file) {
        const QString keep = QString("%1:%2").arg(file).arg(number + 1);
        const Answer answer =
            cli({"optimize", "googlenet", "-d", "sim:v100", "--keep", keep, "--launch-order", "--json"});
        for (const QJsonValue &stage : answer.json()["schedule"].toObject()["stages"].toArray()) {
            if (stage.toObject()["groups"] == before[number].toObject()["groups"])
                return stage.toObject();
        }
        return QJsonObject();
    };
    QVERIFY(!found(plain).isEmpty() && !found(plain).contains("launch_order"));
    const QJsonObject own = fileIn("ordered.json")["stages"].toArray()[number].toObject();
    QVERIFY(own.contains("launch_order"));
    QCOMPARE(found(m_file)["launch_order"], own["launch_order"]);
}

void TestCliLaunchOrder::measure_file_isAsFast()
{
    const Answer answer = cli({"measure", "googlenet", "-d", "sim:v100", "--schedule", m_file, "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    QCOMPARE(answer.json()["latency_us"], fileIn("ordered.json")["latency_us"]);
}

void TestCliLaunchOrder::edit_changedStage_losesItsOrder()
{
    const QJsonArray stages = fileIn("ordered.json")["stages"].toArray();
    int number = 0;
    while (!stages[number].toObject().contains("launch_order"))
        ++number;
    const QString op = stages[number].toObject()["groups"].toArray()[0].toArray()[0].toString();
    const QString split = QString("%1:%2").arg(number + 1).arg(op);
    const Answer answer =
        cli({"edit", "googlenet", "--schedule", m_file, "--split", split, "-o", m_folder.filePath("edited.json")});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject edited = fileIn("edited.json");
    QCOMPARE(edited["stages"].toArray().size(), stages.size() + 1);
    QCOMPARE(orderedStages(edited), orderedStages(fileIn("ordered.json")) - 1);
}

void TestCliLaunchOrder::run_cpu_computesTheSame()
{
    const stagecraft::Shape shape{{1, 3, 224, 224}};
    const stagecraft::HostTensor image{"", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)};
    const QString input = m_folder.filePath("x.npy");
    QVERIFY(stagecraft::writeNpy(input.toStdString(), image));
    const auto valuesBy = [&](const QStringList &schedule, const char *name) {
        const QString output = m_folder.filePath(name);
        const Answer answer = cli(QStringList{"run", "googlenet", "-i", input, "-o", output} + schedule);
        return answer.status == 0 ? stagecraft::readNpy(output.toStdString())->values : std::vector<float>();
    };
    const auto one = valuesBy({}, "one.npy");
    const auto other = valuesBy({"--schedule", m_file}, "other.npy");
    QVERIFY(!one.empty());
    QCOMPARE(other.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i)
        QVERIFY(std::abs(one[i] - other[i]) <= 1e-5 * std::max(1.0F, std::abs(one[i])));
}

void TestCliLaunchOrder::recording_refusesIt()
{
    write(m_folder.filePath("r.latencies.jsonl"),
          R"({"format":"stagecraft-latencies","version":1,"device":"V100","batch":1,"precision":"fp32","model":"sample"}
{"strategy":"concurrent","groups":[["conv1"],["conv2"]],"latency_us":161.5}
{"strategy":"concurrent","groups":[["conv3"],["conv4"]],"latency_us":154.5}
{"strategy":"concurrent","groups":[["concat"]],"latency_us":17.3}
{"strategy":"concurrent","groups":[["conv1"]],"latency_us":110.7}
{"strategy":"concurrent","groups":[["conv2"]],"latency_us":126.1}
{"strategy":"concurrent","groups":[["conv3"]],"latency_us":106.0}
{"strategy":"concurrent","groups":[["conv4"]],"latency_us":125.5}
)");
    const QString device = "rec:" + m_folder.filePath("r.latencies.jsonl");
    const QString file = m_folder.filePath("sample.json");
    QCOMPARE(cli({"optimize", "sample", "-d", device, "-o", file}).status, 0);
    QCOMPARE(cli({"measure", "sample", "-d", device, "--schedule", file}).status, 0);
    write(file, contentOf(file).replace("\"strategy\": \"concurrent\"",
                                        "\"strategy\": \"concurrent\", \"launch_order\": [\"conv2\", \"conv1\"]"));
    const QByteArray text = contentOf(file);
    QVERIFY(text.count("launch_order") == 3);
    const qsizetype second = text.indexOf(", \"launch_order\"", text.indexOf("launch_order") + 1);
    write(file, text.first(second) + text.sliced(second).replace(", \"launch_order\": [\"conv2\", \"conv1\"]", ""));
    const Answer measured = cli({"measure", "sample", "-d", device, "--schedule", file});
    QVERIFY2(measured.status == 4 && measured.err.contains("has no latencies of stages with a launch order"),
             measured.err);
    const Answer chosen = cli({"optimize", "sample", "-d", device, "--launch-order"});
    QVERIFY2(chosen.status == 2 && chosen.err.contains("--launch-order: "), chosen.err);
}

void TestCliLaunchOrder::iosJson_refusesIt()
{
    const QString file = m_folder.filePath("parallel.json");
    const QStringList search{"optimize", "inception_v3", "-d", "sim:v100", "--strategy", "parallel", "--r",
                             "1",        "--s",          "3",  "-o",       file};
    QCOMPARE(cli(search + QStringList{"--launch-order"}).status, 0);
    const QString output = m_folder.filePath("ios.json");
    const QStringList exporting{"export", "inception_v3", file, "--format", "ios-json", "-o", output};
    const Answer refused = cli(exporting);
    QVERIFY2(refused.status == 3 && refused.err.contains("has a launch order, which IOS JSON cannot say"), refused.err);
    QVERIFY(!QFile::exists(output));
    QCOMPARE(cli(search).status, 0);
    QCOMPARE(cli(exporting).status, 0);
}

void TestCliLaunchOrder::cpu_choosesInRounds()
{
    const Answer answer = cli({"optimize", "sample", "-d", "cpu", "--launch-order", "--rounds", "0", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject orders = answer.json()["search"].toObject()["launch_orders"].toObject();
    QVERIFY(orders.contains("stages_tried"));
    QCOMPARE(orders["stages"].toInt(), orderedStages(answer.json()["schedule"].toObject()));
}

STAGECRAFT_SUITE(TestCliLaunchOrder)

} // namespace tst_cli_launch_order
#include "tst_cli_launch_order.moc"
