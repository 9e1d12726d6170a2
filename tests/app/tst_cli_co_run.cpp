// "co-run": two models on one device, in words and in numbers, and what other commands do with both.

#include "support/cli_process.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cli_co_run {
namespace {

const QStringList kPair{"co-run", "squeezenet", "squeezenet", "-d", "sim:a100", "--max-seconds", "0.5"};

double numberOf(const QJsonValue &object, const char *key)
{
    return object.toObject()[QLatin1String(key)].toDouble();
}

} // namespace

class TestCliCoRun : public QObject {
    Q_OBJECT

private slots:
    void coRun_json_hasEachModelTogetherAndAlone();
    void coRun_schedule_isOneOfBothModels();
    void coRun_deadline_protectsOneModel();
    void coRun_rates_simulateAQueue();
    void coRun_text_namesBaselinesAndResources();
    void coRun_recording_isRefused();
};

void TestCliCoRun::coRun_json_hasEachModelTogetherAndAlone()
{
    const Answer answer = cli(kPair + QStringList{"--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["model"].toString(), QString("squeezenet+squeezenet"));
    QCOMPARE(json["provenance"].toString(), QString("simulated"));
    const double us = json["latency_us"].toDouble();
    const QJsonArray models = json["models"].toArray();
    QCOMPARE(models.size(), 2);
    double sumUs = 0;
    for (const QJsonValue &model : models) {
        QVERIFY(numberOf(model, "latency_us") <= us * (1 + 1e-9) && numberOf(model, "alone_us") > 0);
        sumUs += numberOf(model, "alone_us");
    }
    QCOMPARE(models[1].toObject()["name"].toString(), QString("squeezenet#2"));
    QVERIFY(us < 0.75 * sumUs);
    const QJsonArray plans = json["plans"].toArray();
    QCOMPARE(plans.first().toObject()["kind"].toString(), QString("one-after-another"));
    QVERIFY(std::abs(numberOf(plans.first(), "latency_us") / us / json["speedup"].toDouble() - 1) < 1e-9);
    QVERIFY(std::ranges::any_of(plans, [](const QJsonValue &plan) { return plan["kind"] == "side-by-side"; }));
    QCOMPARE(std::ranges::count_if(plans, [](const QJsonValue &plan) { return plan["chosen"].toBool(); }), 1);
    QVERIFY(json["stage_search"]["stages_possible"].toInt() > 1000 && json["stream_search"].isObject());
    QVERIFY(json["memory"]["peak_bytes"].toInt() > 0 && json["why"].toArray().size() == 2);
}

void TestCliCoRun::coRun_schedule_isOneOfBothModels()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("both.schedule.json");
    const Answer found = cli(kPair + QStringList{"--json", "-o", file});
    QVERIFY2(found.status == 0, found.err);
    const QStringList both{"squeezenet+squeezenet", "-d", "sim:a100"};
    const Answer measured = cli(QStringList{"measure"} + both + QStringList{"--schedule", file, "--json"});
    QVERIFY2(measured.status == 0, measured.err);
    QCOMPARE(measured.json()["latency_us"].toDouble(), found.json()["latency_us"].toDouble());
    const Answer verified = cli({"verify", file, "--model", "squeezenet+squeezenet"});
    QVERIFY2(verified.status == 0, verified.out + verified.err);
    const Answer exported =
        cli(QStringList{"export"} + both + QStringList{file, "--format", "svg", "-o", folder.filePath("both.svg")});
    QVERIFY2(exported.status == 0, exported.err);
    const QByteArray picture = contentOf(folder.filePath("both.svg"));
    QVERIFY(picture.contains("squeezenet/") && picture.contains("squeezenet#2/"));
    const Answer other = cli({"measure", "squeezenet+sample", "-d", "sim:a100", "--schedule", file});
    QCOMPARE(other.status, 3);
    QVERIFY2(other.err.contains("both.schedule.json"), other.err);
}

void TestCliCoRun::coRun_deadline_protectsOneModel()
{
    const Answer free = cli(kPair + QStringList{"--json"});
    const double aloneUs = numberOf(free.json()["models"].toArray()[1], "alone_us");
    const auto deadline = [&](double share) {
        return QStringList{"--deadline", QString("squeezenet#2=%1us").arg(share * aloneUs)};
    };
    const Answer answer = cli(kPair + deadline(1.1) + QStringList{"--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonValue kept = answer.json()["models"].toArray()[1];
    QVERIFY(numberOf(kept, "latency_us") <= numberOf(kept, "deadline_us"));
    const Answer refused = cli(kPair + deadline(0.5));
    QCOMPARE(refused.status, 3);
    QVERIFY2(refused.err.contains("squeezenet#2: no plan has its result within"), refused.err);
    QVERIFY2(refused.err.contains("Give it more time than it takes alone"), refused.err);
    QVERIFY(refused.out.isEmpty());
}

void TestCliCoRun::coRun_rates_simulateAQueue()
{
    const Answer answer = cli(kPair + QStringList{"--rate", "squeezenet=1000,squeezenet#2=1500", "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject tail = answer.json()["tail"].toObject();
    QCOMPARE(tail["arrivals"].toString(), QString("poisson"));
    QVERIFY(tail["basis"].toString().contains("simulated queue"));
    const QJsonArray queues = tail["queues"].toArray();
    QCOMPARE(queues.size(), 2);
    QCOMPARE(queues[0].toObject()["plan"].toString(), QString("one-after-another"));
    for (int model = 0; model < 2; ++model) {
        const QJsonValue before = queues[0].toObject()["models"].toArray()[model];
        const QJsonValue after = queues[1].toObject()["models"].toArray()[model];
        QVERIFY(numberOf(before, "p50_us") < numberOf(before, "p99_us"));
        QVERIFY(numberOf(after, "p99_us") < numberOf(before, "p99_us"));
    }
    const Answer flooded = cli(kPair + QStringList{"--rate", "squeezenet=10000,squeezenet#2=10000"});
    QVERIFY2(flooded.out.contains("overloaded") && flooded.out.contains("Poisson, seed 1"), flooded.out);
}

void TestCliCoRun::coRun_text_namesBaselinesAndResources()
{
    const Answer answer = cli(kPair);
    QVERIFY2(answer.status == 0, answer.err);
    for (const char *words : {"one after another, squeezenet", "side by side, no plan",
                              "no plan here has both results "
                              "earlier",
                              "where the time goes", "idle SMs", "memory of both:", "slowdown",
                              "over both were asked for", "over one after another"})
        QVERIFY2(answer.out.contains(words), answer.out + words);
}

void TestCliCoRun::coRun_recording_isRefused()
{
    const QTemporaryDir folder;
    write(folder.filePath("a.latencies.jsonl"), R"({"format": "stagecraft-latencies", "version": 1, "device": "x", )"
                                                R"("batch": 1, "precision": "fp32", "model": "sample"})"
                                                "\n"
                                                R"({"strategy": "concurrent", "groups": [["a"]], "latency_us": 1})"
                                                "\n");
    const Answer refused = cli({"co-run", "sample", "sample", "-d", "rec:a.latencies.jsonl"}, folder.path());
    QVERIFY2(refused.status == 2 || refused.status == 3, refused.err);
    QVERIFY(!refused.err.isEmpty() && refused.out.isEmpty());
}

STAGECRAFT_SUITE(TestCliCoRun)

} // namespace tst_cli_co_run
#include "tst_cli_co_run.moc"
