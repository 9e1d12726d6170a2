// stagecraft-cli layout: what it answers for latencies from a file, and what it refuses.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>

using namespace stagecraft::test;

namespace tst_cli_layout {

namespace {

const QString kCosts = sourcePath("tests/data/layout/sample.layout-costs.json");

QJsonObject jsonOf(const QString &path)
{
    return QJsonDocument::fromJson(contentOf(path)).object();
}

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
    void joint_cpu_measuresStagesInTheirLayouts();
    void output_schedule_isExecutedInItsLayouts();
    void schedule_wrongLayouts_areRefused_data();
    void schedule_wrongLayouts_areRefused();
    void sim_deeperNetwork_growsLinearly();
    void memory_builtInNetworks_fillTheirArena_data();
    void memory_builtInNetworks_fillTheirArena();
    void optimize_cap_keepsToItAndNamesTheSmallest();
    void optimize_capWithABudget_isRefused();
    void memory_target_isShownAndCapped();
    void memory_onCpu_countsTheWorkspaceOfKernels();
    void sim_v100_isAssumed();
    void layout_withoutImages_hasNothingToChoose();
    void sim_deviceWithoutFigures_isRefused();
    void cpu_secondRun_profilesNothing();
    void cpu_unknownLayout_isRefusedWithThoseThereAre();
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

void TestCliLayout::joint_cpu_measuresStagesInTheirLayouts()
{
    const QTemporaryDir folder;
    const QStringList store{"XDG_DATA_HOME=" + folder.path()};
    const QStringList call{"layout", sourcePath("tests/data/onnx/residual.onnx"), "-d", "cpu", "--joint", "--rounds",
                           "0"};
    const QJsonObject answer =
        cli(call + QStringList{"--json", "-o", "joint.schedule.json"}, folder.path(), store).json();
    QCOMPARE(answer["provenance"].toString(), QString("measured"));
    const QJsonObject joint = answer["joint"].toObject();
    QVERIFY(joint["stage_measurements"].toInt() > 0);
    QVERIFY(answer["latency_us"].toDouble() <= joint["layouts_then_stages_us"].toDouble());
    QVERIFY(answer["latency_us"].toDouble() <= joint["stages_then_layouts_us"].toDouble());
    QVERIFY(answer["lower_bound_us"].toDouble() <= answer["latency_us"].toDouble());
    const QJsonObject file = jsonOf(folder.filePath("joint.schedule.json"));
    QCOMPARE(file["stages"].toArray().size(), joint["stages"].toArray().size());
    QCOMPARE(cli({"measure", call[1], "-d", "cpu", "--schedule", "joint.schedule.json"}, folder.path(), store).status,
             0);
}

// From layout to measure, compare and run: the file keeps the layouts, cpu executes them, the outputs stay.
void TestCliLayout::output_schedule_isExecutedInItsLayouts()
{
    const QTemporaryDir folder;
    const QStringList store{"XDG_DATA_HOME=" + folder.path()};
    const auto here = [&](const QStringList &call) { return cli(call, folder.path(), store); };
    const QString model = sourcePath("tests/data/onnx/residual.onnx");
    // Everything is fastest in NHWC, so that every conversion runs.
    QCOMPARE(here({"layout", model, "-d", "cpu", "--layouts", "nchw,nhwc", "--rounds", "0", "-o", "costs.json"}).status,
             0);
    QJsonObject costs = jsonOf(folder.filePath("costs.json"));
    QJsonObject operators = costs["operators"].toObject();
    for (const QString &name : operators.keys()) {
        QJsonArray choices;
        for (const QJsonValue &value : operators[name].toArray()) {
            QJsonObject choice = value.toObject();
            const bool isNhwc = choice["in"] == "NHWC" && choice["out"] == "NHWC";
            choice["latency_us"] = isNhwc ? 1 : 1000;
            choices.append(choice);
        }
        operators[name] = choices;
    }
    costs["operators"] = operators;
    write(folder.filePath("costs.json"), QJsonDocument(costs).toJson());
    QCOMPARE(here({"layout", model, "--costs", "costs.json", "-o", "nhwc.schedule.json"}).status, 0);
    const QJsonObject file = jsonOf(folder.filePath("nhwc.schedule.json"));
    const QJsonObject layouts = file["layouts"].toObject();
    QVERIFY(std::ranges::count(layouts, QJsonValue("NHWC")) > 0);
    QVERIFY(!file["reads"].toObject().isEmpty());

    const QJsonObject measured =
        here({"measure", model, "-d", "cpu", "--schedule", "nhwc.schedule.json", "--json"}).json();
    QCOMPARE(measured["stage_latency_us"].toArray().size(), file["stages"].toArray().size());
    QVERIFY(measured["latency_us"].toDouble() > 0);
    const Answer compared = here({"compare", model, "-d", "cpu", "--schedule", "sequential", "--schedule",
                                  "nhwc.schedule.json", "--rounds", "2"});
    QVERIFY2(compared.status == 0, compared.err.constData());
    const Answer timeline = here({"timeline", model, "-d", "cpu", "--schedule", "nhwc.schedule.json", "--json"});
    QVERIFY2(timeline.status == 0, timeline.err.constData());

    stagecraft::HostTensor input{"x", stagecraft::Shape{{1, 3, 8, 8}}, std::vector<float>(192, 0.5F)};
    for (std::size_t i = 0; i < input.values.size(); ++i)
        input.values[i] = static_cast<float>(i % 11) / 11;
    QVERIFY(stagecraft::writeNpy(folder.filePath("x.npy").toStdString(), input));
    const auto run = [&](const QString &schedule, const QString &output) {
        const Answer answer = here({"run", model, "--schedule", schedule, "-i", "x.npy", "-o", output});
        QVERIFY2(answer.status == 0, answer.err.constData());
    };
    run("sequential", "plain.npy");
    run("nhwc.schedule.json", "nhwc.npy");
    const auto plain = stagecraft::readNpy(folder.filePath("plain.npy").toStdString());
    const auto nhwc = stagecraft::readNpy(folder.filePath("nhwc.npy").toStdString());
    QVERIFY(plain && nhwc);
    QCOMPARE(nhwc->values.size(), plain->values.size());
    for (std::size_t i = 0; i < plain->values.size(); ++i)
        QVERIFY(std::abs(nhwc->values[i] - plain->values[i]) < 1e-4F);

    // A device that executes no layouts says so.
    const Answer simulated = here({"measure", model, "-d", "sim:v100", "--schedule", "nhwc.schedule.json"});
    QCOMPARE(simulated.status, 2);
    QVERIFY2(simulated.err.contains("sim:v100 does not execute layouts that a schedule states"),
             simulated.err.constData());
}

void TestCliLayout::schedule_wrongLayouts_areRefused_data()
{
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QString>("layout");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("unknown tensor") << "nothing"
                                    << "NHWC" << QByteArray("the model has no tensor of this name");
    QTest::newRow("unknown layout") << "conv1"
                                    << "CHWN" << QByteArray("which is not NCHW, NHWC, nChw8c or nChw16c");
    // concat writes the layout that it reads.
    QTest::newRow("refused by the device")
        << "concat"
        << "NHWC" << QByteArray("cpu writes this operator's tensor in nchw, not in nhwc");
}

void TestCliLayout::schedule_wrongLayouts_areRefused()
{
    QFETCH(QString, tensor);
    QFETCH(QString, layout);
    QFETCH(QByteArray, message);
    const QTemporaryDir folder;
    const QString file = folder.filePath("own.schedule.json");
    QCOMPARE(cli({"optimize", "sample", "-o", file}).status, 0);
    QJsonObject schedule = jsonOf(file);
    QVERIFY(!schedule.contains("layouts"));
    schedule["layouts"] = QJsonObject{{tensor, layout}};
    // What concat reads stays in NCHW.
    schedule["reads"] = QJsonObject{{"concat", "NCHW"}};
    write(file, QJsonDocument(schedule).toJson());
    const Answer answer =
        cli({"measure", "sample", "-d", "cpu", "--schedule", file}, {}, {"XDG_DATA_HOME=" + folder.path()});
    QCOMPARE(answer.status, 3);
    QVERIFY2(answer.err.contains(message), answer.err.constData());
    QVERIFY(answer.err.contains(tensor.toUtf8()));
}

void TestCliLayout::sim_deeperNetwork_growsLinearly()
{
    const auto states = [](const QString &model) {
        const QJsonObject answer = cli({"layout", model, "-d", "sim:v100", "--json"}).json();
        return answer["proved"].toBool() ? answer["states"].toDouble() : 0;
    };
    const double shallow = states("resnet50");
    QVERIFY(shallow > 0);
    QVERIFY(states("resnet101") <= 2.5 * shallow);
}

void TestCliLayout::memory_builtInNetworks_fillTheirArena_data()
{
    QTest::addColumn<QString>("model");
    for (const char *model : {"sample", "inception_v3", "randwire", "nasnet", "squeezenet", "resnet50", "resnet101",
                              "mobilenet_v2", "shufflenet_v2", "googlenet"})
        QTest::newRow(model) << model;
}

// The arena is at most a twentieth larger than what is live at once, for schedules one by one, greedy and searched.
void TestCliLayout::memory_builtInNetworks_fillTheirArena()
{
    QFETCH(QString, model);
    const QTemporaryDir folder;
    QStringList schedules{"sequential", "greedy"};
    if (model != "randwire" && model != "nasnet") { // seconds of searching
        schedules.append(folder.filePath("found.schedule.json"));
        QCOMPARE(cli({"optimize", model, "-o", schedules.back()}).status, 0);
    }
    for (const QString &schedule : schedules) {
        const QJsonObject answer = cli({"memory", model, "--schedule", schedule, "--json"}).json();
        const double peak = answer["live_peak_bytes"].toDouble();
        QVERIFY(peak > 0);
        QVERIFY(answer["arena_bytes"].toDouble() >= peak);
        QVERIFY(answer["arena_bytes"].toDouble() <= 1.05 * peak);
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

void TestCliLayout::memory_target_isShownAndCapped()
{
    const QJsonArray all = cli({"memory", "squeezenet", "--schedule", "greedy", "--json"}).json()["targets"].toArray();
    QCOMPARE(all.size(), 3);
    const QJsonArray one = cli({"memory", "squeezenet", "--schedule", "greedy", "--target", "pytorch", "--json"})
                               .json()["targets"]
                               .toArray();
    QCOMPARE(one.size(), 1);
    QCOMPARE(one[0], all[2]);
    const QString held = QString::number(one[0].toObject()["held_bytes"].toDouble(), 'f', 0);
    QVERIFY(one[0].toObject()["kept_bytes"].toDouble() > 0);
    const Answer unknown = cli({"memory", "squeezenet", "--target", "torch"});
    QCOMPARE(unknown.status, 2);
    QVERIFY(unknown.err.contains("Did you mean pytorch?"));

    const QStringList call{"optimize", "squeezenet", "-d", "sim:v100", "--json", "--target", "pytorch"};
    const Answer uncapped = cli(call);
    QCOMPARE(uncapped.status, 2);
    QVERIFY(uncapped.err.contains("--max-memory"));
    const QJsonObject capped = cli(call + QStringList{"--max-memory", "30MiB"}).json();
    QCOMPARE(capped["memory"].toObject()["target"].toString(), QString("pytorch"));
    const double needed = capped["memory"].toObject()["live_peak_bytes"].toDouble();
    QVERIFY(needed > 0 && needed <= 30 * 1024.0 * 1024);
    // Greedy and what is fastest hold more.
    QVERIFY(held.toDouble() > needed);
    const Answer none = cli(call + QStringList{"--max-memory", "3MiB"});
    QCOMPARE(none.status, 3);
    QVERIFY2(none.err.contains("PyTorch") && none.err.contains("the least is"), none.err);
    const Answer streams = cli(call + QStringList{"--strategy", "nimble", "--max-memory", "3MiB"});
    QCOMPARE(streams.status, 3);
    QVERIFY2(streams.err.contains("the streams of nimble need"), streams.err);
}

void TestCliLayout::memory_onCpu_countsTheWorkspaceOfKernels()
{
    const QTemporaryDir folder;
    const QStringList store{"XDG_DATA_HOME=" + folder.path()};
    const auto here = [&](const QStringList &call) { return cli(call, folder.path(), store); };
    const QJsonObject answer = here({"memory", "sample", "-d", "cpu", "--schedule", "greedy", "--json"}).json();
    QVERIFY(answer["basis"].toString().contains("with the workspace that the kernels of cpu take"));
    const QJsonObject simulated = here({"memory", "sample", "--schedule", "greedy", "--json"}).json();
    QVERIFY(simulated["basis"].toString().contains("without the workspace of kernels"));
    QVERIFY(answer["live_peak_bytes"].toDouble() >= answer["workspace_bytes"].toDouble());

    // What a cap counts is what memory says.
    const QString model = sourcePath("tests/data/onnx/residual.onnx");
    const QStringList call{"optimize", model, "-d", "cpu", "--rounds", "0", "--json"};
    const Answer none = here(call + QStringList{"--max-memory", "1"});
    QCOMPARE(none.status, 3);
    const QRegularExpression smallest("smallest cap that one meets is (\\d+) bytes");
    const QString cap = smallest.match(QString::fromUtf8(none.err)).captured(1);
    QVERIFY2(!cap.isEmpty(), none.err.constData());
    const QString file = folder.filePath("capped.schedule.json");
    const QJsonObject tight = here(call + QStringList{"--max-memory", cap, "-o", file}).json();
    QCOMPARE(tight["memory"].toObject()["live_peak_bytes"].toDouble(), cap.toDouble());
    const QJsonObject told = here({"memory", model, "-d", "cpu", "--schedule", file, "--json"}).json();
    QCOMPARE(told["live_peak_bytes"].toDouble(), cap.toDouble());
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

// A vector has one layout.
void TestCliLayout::layout_withoutImages_hasNothingToChoose()
{
    const Answer answer = cli({"layout", sourcePath("tests/data/onnx/cast_to_half.onnx"), "-d", "sim:v100"});
    QVERIFY2(answer.status == 0 && answer.out.contains("proved: no layouts take less"), answer.err);
}

void TestCliLayout::sim_deviceWithoutFigures_isRefused()
{
    const Answer answer = layout({"-d", "sim:k80"});
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("no published figures say what layouts take on sim:k80"), answer.err.constData());
}

void TestCliLayout::cpu_secondRun_profilesNothing()
{
    const QTemporaryDir folder;
    const QStringList store{"XDG_DATA_HOME=" + folder.path()};
    const QStringList call{"layout", sourcePath("tests/data/onnx/residual.onnx"), "-d", "cpu", "--layouts", "nchw,nhwc",
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
    QCOMPARE(second["kept"].toInt(), profiles["distinct"].toInt());
    QCOMPARE(second["refused"].toInt(), profiles["refused"].toInt());
}

// Before anything is profiled.
void TestCliLayout::cpu_unknownLayout_isRefusedWithThoseThereAre()
{
    const Answer answer = cli({"layout", "sample", "-d", "cpu", "--layouts", "nchw,nchw5c"});
    QCOMPARE(answer.status, 2);
    QVERIFY2(
        answer.err.contains("--layouts: nchw5c is not known. Did you mean nChw8c? Use NCHW, NHWC, nChw8c or nChw16c."),
        answer.err);
    QVERIFY2(!answer.err.contains("profiling"), answer.err);
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

STAGECRAFT_SUITE(TestCliLayout)

} // namespace tst_cli_layout
#include "tst_cli_layout.moc"
