// What the page of a report works with: everything that is known, once, to the last digit, whatever names hold.

#include "device/simulated/simulated_device.h"
#include "export/file_kind.h"
#include "export/html_report.h"
#include "export/report_data.h"
#include "graph/attribute_words.h"
#include "graph/operator_cost.h"
#include "model/built_in.h"
#include "operators/schema.h"
#include "search/stages/baselines.h"
#include "support/report_making.h"
#include "support/shown_text.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryFile>
#include <QTest>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_report_data {

namespace {

QJsonObject dataOf(const ReportedGroup &group)
{
    QJsonParseError fault;
    const auto document = QJsonDocument::fromJson(QByteArray::fromStdString(reportData(group)), &fault);
    return fault.error == QJsonParseError::NoError ? document.object() : QJsonObject();
}

std::vector<OperatorId> operatorsIn(const QJsonValue &numbers)
{
    std::vector<OperatorId> operators;
    for (const QJsonValue &number : numbers.toArray())
        operators.push_back(OperatorId(static_cast<std::uint32_t>(number.toInt())));
    return operators;
}

ReportedGroup groupOf(const SourceGraph &source, RatedResult result)
{
    ReportedGroup group;
    group.graph = &source.graph;
    group.blocks = source.blocks;
    group.results.push_back(std::move(result));
    return group;
}

} // namespace

class TestReportData : public QObject {
    Q_OBJECT

private slots:
    void reportData_network_hasEveryOperator()
    {
        const SourceGraph source = take(builtInNetwork("squeezenet"));
        const Graph &graph = source.graph;
        const TimedSchedule schedule = withLatencies(greedySchedule(graph, source.blocks));
        const QJsonObject data = dataOf(groupOf(source, ratedAs("Greedy", schedule)));
        const QJsonArray operators = data["operators"].toArray();
        QCOMPARE(operators.size(), static_cast<qsizetype>(graph.size()));
        for (std::size_t block = 0; block < source.blocks.size(); ++block) {
            for (const OperatorId id : source.blocks[block].operators) {
                const QJsonObject op = operators[static_cast<qsizetype>(id.index())].toObject();
                QCOMPARE(op["name"].toString().toStdString(), graph.op(id).name);
                QCOMPARE(op["type"].toString().toStdString(), displayType(graph.op(id)));
                QCOMPARE(op["block"].toInt(), static_cast<int>(block));
                QCOMPARE(op["output"].toString().toStdString(), toString(graph.outputShape(id)));
                QCOMPARE(op["flops"].toDouble(), flops(graph, id));
                QCOMPARE(op["bytes"].toDouble(), memoryBytes(graph, id));
                const auto reads = graph.predecessors(id);
                QCOMPARE(operatorsIn(op["reads"]), std::vector<OperatorId>(reads.begin(), reads.end()));
                QCOMPARE(op["attributes"].toArray().size(),
                         static_cast<qsizetype>(attributeWords(graph.op(id)).size()));
            }
        }
    }

    void reportData_stages_areReadBackToTheLastDigit()
    {
        const SourceGraph source = take(builtInNetwork("squeezenet"));
        TimedSchedule schedule = withLatencies(greedySchedule(source.graph, source.blocks));
        schedule.stages.back().launchOrder = {schedule.stages.back().groups.front().front()};
        RatedResult result = ratedAs("Greedy", schedule);
        result.speedup = 1.0 / 3.0;
        ReportedGroup group = groupOf(source, result);
        group.baseline = "Sequential";
        group.chosen = 0;
        const QJsonObject data = dataOf(group);
        QCOMPARE(data["baseline"].toString(), QString("Sequential"));
        QCOMPARE(data["chosen"].toInt(-1), 0);
        const QJsonObject shown = data["results"].toArray().first().toObject();
        QCOMPARE(shown["latencyUs"].toDouble(), 1000.0 / 7.0);
        QCOMPARE(shown["latency"].toString(), QString("142.9 us"));
        QCOMPARE(shown["provenance"].toString(), QString("recorded"));
        QCOMPARE(shown["stageProvenance"].toString(), QString("recorded"));
        QCOMPARE(shown["speedup"].toDouble(), 1.0 / 3.0);
        const QJsonArray stages = shown["stages"].toArray();
        QCOMPARE(stages.size(), static_cast<qsizetype>(schedule.stages.size()));
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            const QJsonObject stage = stages[static_cast<qsizetype>(i)].toObject();
            QCOMPARE(stage["block"].toInt(), static_cast<int>(schedule.stages[i].block));
            QCOMPARE(stage["strategy"].toString().toStdString(), toString(schedule.stages[i].strategy));
            QCOMPARE(stage["latencyUs"].toDouble(), schedule.measured.stages[i].latencyUs);
            const QJsonArray groups = stage["groups"].toArray();
            QCOMPARE(groups.size(), static_cast<qsizetype>(schedule.stages[i].groups.size()));
            for (std::size_t lane = 0; lane < schedule.stages[i].groups.size(); ++lane)
                QCOMPARE(operatorsIn(groups[static_cast<qsizetype>(lane)]), schedule.stages[i].groups[lane]);
            QCOMPARE(operatorsIn(stage["launchOrder"]), schedule.stages[i].launchOrder);
        }
    }

    void reportData_streams_haveTheirEventsAndRows()
    {
        const auto chain = reportedChain({"a", "b", "c"});
        TimedSchedule schedule;
        schedule.streams = Streams{2, {{{OperatorId(0)}, 0}, {{OperatorId(1)}, 1, {0}}, {{OperatorId(2)}, 0, {1}}}};
        chain->group.results = {ratedAs("streams", schedule)};
        const QJsonObject shown = dataOf(chain->group)["results"].toArray().first().toObject();
        QVERIFY(!shown.contains("stages"));
        QCOMPARE(shown["order"].toString(), QString("2 streams, 2 events, no barriers"));
        QCOMPARE(shown["latency"].toString(), QString("not measured"));
        QVERIFY(!shown.contains("latencyUs"));
        const QJsonArray launches = shown["streams"].toObject()["launches"].toArray();
        const std::vector<std::size_t> rows = launchRows(*schedule.streams);
        QCOMPARE(launches.size(), 3);
        for (qsizetype i = 0; i < 3; ++i) {
            const StreamLaunch &launch = schedule.streams->launches[static_cast<std::size_t>(i)];
            QCOMPARE(operatorsIn(launches[i]["operators"]), launch.operators);
            QCOMPARE(launches[i]["stream"].toInt(), static_cast<int>(launch.stream));
            QCOMPARE(launches[i]["waits"].toArray().size(), static_cast<qsizetype>(launch.waits.size()));
            QCOMPARE(launches[i]["row"].toInt(), static_cast<int>(rows[static_cast<std::size_t>(i)]));
        }
        QCOMPARE(launches[2]["waits"].toArray().first().toInt(), 1);
    }

    void reportData_timeline_hasEveryKernelAndItsDevice()
    {
        const SourceGraph source = take(builtInNetwork("squeezenet"));
        const TimedSchedule schedule = greedySchedule(source.graph, source.blocks);
        const auto device = take(openSimulatedDevice("v100"));
        const auto session = take(device->open(std::make_shared<const Graph>(source.graph)));
        const Timeline timeline = take(session->timeline(schedule, {}));
        RatedResult result = ratedAs("Greedy", schedule);
        result.timeline = std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(timeline));
        const QJsonObject shown = dataOf(groupOf(source, result))["results"].toArray().first()["timeline"].toObject();
        QCOMPARE(shown["provenance"].toString(), QString("simulated"));
        QCOMPARE(shown["device"].toString().toStdString(), timeline.device);
        QCOMPARE(shown["durationNs"].toDouble(), static_cast<double>(timeline.durationNs));
        QCOMPARE(shown["rows"].toArray().size(), static_cast<qsizetype>(timeline.streams));
        const QJsonArray kernels = shown["kernels"].toArray();
        QCOMPARE(kernels.size(), static_cast<qsizetype>(timeline.kernels.size()));
        for (std::size_t i = 0; i < timeline.kernels.size(); ++i) {
            const KernelSpan &kernel = timeline.kernels[i];
            const QJsonArray one = kernels[static_cast<qsizetype>(i)].toArray();
            QCOMPARE(one[0].toInt(), static_cast<int>(kernel.stream));
            QCOMPARE(one[2].toDouble(), static_cast<double>(kernel.startNs));
            QCOMPARE(one[3].toDouble(), static_cast<double>(kernel.endNs));
            QCOMPARE(one[4].toInt(), static_cast<int>(kernel.stage));
            QCOMPARE(operatorsIn(one[5]), kernel.operators);
        }
    }

    // Fewer steps than there were, in time and with the same area.
    void reportData_longCounter_keepsItsMean()
    {
        const auto chain = reportedChain({"a"});
        Timeline timeline;
        timeline.durationNs = 100'000;
        timeline.streams = 1;
        CounterSeries series;
        series.name = "active warps";
        series.maximum = 64;
        for (std::int64_t ns = 0; ns < timeline.durationNs; ns += 10) {
            series.timesNs.push_back(ns);
            series.values.push_back(static_cast<double>(ns * 7 % 64));
        }
        const double whole = mean(series, timeline.durationNs);
        timeline.counters.push_back(series);
        chain->group.results.front().timeline =
            std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(timeline));
        const QJsonValue counter = dataOf(chain->group)["results"].toArray().first()["timeline"]["counter"];
        const QJsonArray times = counter["times"].toArray();
        const QJsonArray values = counter["values"].toArray();
        QCOMPARE(times.size(), values.size());
        QVERIFY2(times.size() > 500 && times.size() < 2000, qPrintable(QString::number(times.size())));
        double area = 0;
        for (qsizetype i = 0; i < times.size(); ++i) {
            const double until = i + 1 < times.size() ? times[i + 1].toDouble() : 100'000;
            QVERIFY(until > times[i].toDouble());
            area += values[i].toDouble() * (until - times[i].toDouble());
        }
        QVERIFY(std::abs(area / 100'000 - whole) < 1e-9);
    }

    void reportData_noTimeline_saysWhy()
    {
        const auto chain = reportedChain({"a"});
        RatedResult &result = chain->group.results.front();
        const auto why = [&] { return dataOf(chain->group)["results"].toArray().first()["whyNoTimeline"].toString(); };
        QVERIFY2(why().contains("--device"), qPrintable(why()));
        result.whyNoTimeline = "rec:x has none.";
        QCOMPARE(why(), QString("rec:x has none."));
        result.schedule = nullptr;
        result.whyNot = "a latency without a schedule";
        QCOMPARE(why(), QString("There is no schedule: a latency without a schedule."));
    }

    void reportData_hostileNames_stayInTheirElement()
    {
        const auto chain = reportedChain(kHostileNames);
        const QByteArray text = QByteArray::fromStdString(reportData(chain->group));
        QVERIFY(!text.contains('<'));
        const QJsonObject data = dataOf(chain->group);
        QCOMPARE(data["model"].toString(), QString("net </script>"));
        QCOMPARE(data["results"].toArray().first()["name"].toString(), QString("mine </script><b>"));
        for (std::size_t i = 0; i < kHostileNames.size(); ++i)
            QCOMPARE(data["operators"].toArray().at(static_cast<qsizetype>(i))["name"].toString().toStdString(),
                     shownText(kHostileNames[i]));
        const QByteArray page = QByteArray::fromStdString(htmlReport({"t </title>", "Stagecraft", {chain->group}}));
        QCOMPARE(page.count("</script>"), 2); // of the data and of the program
        QCOMPARE(page.count("<script"), 2);
        QCOMPARE(page.count("</title>"), page.count("<title>"));
    }

    // No schedule, nothing to look through: the rest of the page is as it is.
    void htmlReport_withoutSchedules_hasNothingToLookThrough()
    {
        const auto chain = reportedChain({"a"});
        QVERIFY(htmlReport({"t", "Stagecraft", {chain->group}}).find("class=\"explorer\"") != std::string::npos);
        chain->group.results.front().schedule = nullptr;
        chain->group.results.front().whyNot = "a latency without a schedule";
        const std::string page = htmlReport({"t", "Stagecraft", {chain->group}});
        QVERIFY(page.find("class=\"explorer\"") == std::string::npos);
        QVERIFY(page.find("a latency without a schedule") != std::string::npos);
    }

    // -o replaces a report, of the first versions too, and no other page.
    void fileKindOf_reports_areToldFromOtherPages()
    {
        const auto kindOf = [](const QByteArray &page) {
            QTemporaryFile file;
            if (!file.open() || file.write(page) != page.size() || !file.flush())
                qFatal("the file cannot be written");
            return fileKindOf(QFile::encodeName(file.fileName()).toStdString());
        };
        const auto chain = reportedChain({"a"});
        QVERIFY(kindOf(QByteArray::fromStdString(htmlReport({"t", "Stagecraft", {chain->group}}))) == FileKind::Report);
        const QByteArray head("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
        QVERIFY(kindOf(head + "sample: schedules</title>\n<style>body{}</style>\n</head>\n") == FileKind::Report);
        QVERIFY(kindOf(head + "sample: schedules</title>\n<link>\n</head>\n") == FileKind::Other);
        QVERIFY(kindOf(head + "mine</title>\n<style>body{}</style>\n</head>\n") == FileKind::Other);
    }

    void htmlReport_itself_refersToNothingElse()
    {
        const auto chain = reportedChain({"a"});
        const QByteArray page = QByteArray::fromStdString(htmlReport({"t", "Stagecraft", {chain->group}}));
        for (const char *reference : {"src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest", "import(",
                                      "eval(", "new Function", "innerHTML", "document.write"})
            QVERIFY2(!page.contains(reference), reference);
        QVERIFY(page.contains("Content-Security-Policy\" content=\"default-src 'none'"));
    }
};

STAGECRAFT_SUITE(TestReportData)

} // namespace tst_report_data
#include "tst_report_data.moc"
