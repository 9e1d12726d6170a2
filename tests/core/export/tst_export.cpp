// What leaves for other programs: tables, the graph, traces; hostile names included.

#include "device/simulated/simulated_device.h"
#include "export/formats.h"
#include "export/graph_dot.h"
#include "export/node_data.h"
#include "export/schedule_drawing.h"
#include "export/schedule_tables.h"
#include "export/time_parts_page.h"
#include "export/trace.h"
#include "export/view_tables.h"
#include "graph/graph_union.h"
#include "model/built_in.h"
#include "schedule/model_colours.h"
#include "search/stages/baselines.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_export {

namespace {

// A chain of convolutions with these names, each a stage of its own.
struct Named {
    Graph graph;
    TimedSchedule schedule;
};

Named chainOf(const std::vector<std::string> &names)
{
    GraphBuilder builder("net \"x\" | <b>");
    TensorId last = take(builder.addInput("in", {{1, 3, 8, 8}}));
    for (const std::string &name : names)
        last = take(builder.add(conv(name, {{last}}, 4)));
    Named made{take(builder.build({last})), {}};
    for (std::size_t i = 0; i < names.size(); ++i)
        made.schedule.stages.push_back({0, Strategy::Concurrent, {{OperatorId(static_cast<std::uint32_t>(i))}}});
    return made;
}

RatedResult rated(const std::string &name, const TimedSchedule &schedule, std::optional<double> speedup = {})
{
    return {name, std::make_shared<const TimedSchedule>(schedule), speedup};
}

RatedResult traced(const std::string &name, const TimedSchedule &schedule, const Timeline &timeline)
{
    RatedResult result = rated(name, schedule);
    result.timeline = std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(timeline));
    return result;
}

const std::vector<std::string> kHostile{
    "plain", "a,b",      "say \"hi\"",           "back\\slash",        "line\nbreak",
    "a|b",   "<script>", std::string(4000, 'n'), "gr\xc3\xbc\xc3\x9f", "*bold* _x_ [l](u)"};

// RFC 4180.
QList<QStringList> readCsv(const std::string &text)
{
    QList<QStringList> rows{{QString()}};
    bool isQuoted = false;
    const QString letters = QString::fromStdString(text);
    for (qsizetype i = 0; i < letters.size(); ++i) {
        const QChar letter = letters[i];
        if (letter == '"' && isQuoted && letters.mid(i + 1, 1) == "\"") {
            rows.last().last() += '"';
            ++i;
        } else if (letter == '"') {
            isQuoted = !isQuoted;
        } else if (letter == ',' && !isQuoted) {
            rows.last() << QString();
        } else if (letter == '\r' && !isQuoted) {
            rows << QStringList{QString()};
            ++i;
        } else {
            rows.last().last() += letter;
        }
    }
    rows.removeLast();
    return rows;
}

// Two schedules of a network with what a simulated GPU shows of them.
struct Traces {
    SourceGraph source;
    std::array<TimedSchedule, 2> schedules;
    std::array<Timeline, 2> timelines;

    [[nodiscard]] std::vector<RatedResult> results() const
    {
        return {traced("Sequential", schedules[0], timelines[0]), traced("Greedy", schedules[1], timelines[1])};
    }
};

Traces simulated()
{
    Traces traces{take(builtInNetwork("squeezenet")), {}, {}};
    traces.schedules = {sequentialSchedule(traces.source.graph, traces.source.blocks),
                        greedySchedule(traces.source.graph, traces.source.blocks)};
    const auto device = take(openSimulatedDevice("v100"));
    const auto session = take(device->open(std::make_shared<const Graph>(traces.source.graph)));
    for (std::size_t i = 0; i < 2; ++i)
        traces.timelines[i] = take(session->timeline(traces.schedules[i], {}));
    return traces;
}

} // namespace

class TestExport : public QObject {
    Q_OBJECT

private slots:
    void drawing_ofTwoModels_hasBarsOfEach();
    void scheduleCsv_hostileNames_areReadBack()
    {
        Named made = chainOf(kHostile);
        for (std::size_t i = 0; i < kHostile.size(); ++i)
            made.schedule.measured.stages.push_back(Timing::ofLatency(0.1 + 1.0 / 3.0 * static_cast<double>(i)));
        made.schedule.measured.provenance = Provenance::Recorded;
        made.schedule.context.device = "rec:a,b";
        const QList<QStringList> rows = readCsv(scheduleCsv(made.graph, made.schedule));
        QCOMPARE(rows.size(), static_cast<qsizetype>(kHostile.size()) + 1);
        for (std::size_t i = 0; i < kHostile.size(); ++i) {
            const QStringList &row = rows[static_cast<qsizetype>(i) + 1];
            QCOMPARE(row.size(), rows.front().size());
            QCOMPARE(row[0], QString::number(i + 1));
            QCOMPARE(row[4].toStdString(), kHostile[i]);
            QCOMPARE(row[5].toDouble(), made.schedule.measured.stages[i].latencyUs); // to the last digit
            QCOMPARE(row[6], QString("recorded"));
            QCOMPARE(row[7], QString("rec:a,b"));
        }
        made.schedule.measured.stages.clear();
        QCOMPARE(readCsv(scheduleCsv(made.graph, made.schedule))[1][5], QString());
    }

    void nodeData_hasEveryNodeByWhatItMakes()
    {
        const Traces traces = simulated();
        const Graph &graph = traces.source.graph;
        const auto resultsOf = [](const std::string &text) {
            return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object()["results"].toObject();
        };
        const QJsonObject stages = resultsOf(scheduleNodeData(graph, traces.schedules[1]));
        const QJsonObject times = resultsOf(timelineNodeData(graph, traces.timelines[1]));
        for (std::size_t stage = 0; stage < traces.schedules[1].stages.size(); ++stage) {
            for (const auto &group : traces.schedules[1].stages[stage].groups) {
                for (const OperatorId id : group) {
                    const QString made = QString::fromStdString(graph.tensor(graph.op(id).outputs.front()).name);
                    QCOMPARE(stages[made].toObject()["value"].toInt(), static_cast<int>(stage) + 1);
                    const std::int64_t busyNs = busyNsOf(traces.timelines[1], std::vector{id});
                    QCOMPARE(times.contains(made), busyNs > 0);
                    if (busyNs > 0)
                        QVERIFY(std::abs(times[made].toObject()["value"].toDouble() - busyNs * 1e-3) < 1e-6);
                }
            }
        }
    }

    void nodeData_hostileNames_stayJson()
    {
        const Named made = chainOf(kHostile);
        const auto text = QByteArray::fromStdString(scheduleNodeData(made.graph, made.schedule, true));
        QCOMPARE(QJsonDocument::fromJson(text).object()["results"].toObject().size(),
                 static_cast<qsizetype>(kHostile.size()));
    }

    void scheduleMarkdown_hostileNames_stayInTheirCells()
    {
        const Named made = chainOf(kHostile);
        const QStringList lines = QString::fromStdString(scheduleMarkdown(made.graph, rated("mine", made.schedule)))
                                      .split('\n', Qt::SkipEmptyParts);
        const QStringList rows = lines.filter(QRegularExpression("^\\|"));
        QCOMPARE(rows.size(), static_cast<qsizetype>(kHostile.size()) + 2);
        static const QRegularExpression bar(R"((?<!\\)\|)");
        for (const QString &row : rows)
            QVERIFY2(row.count(bar) == 6, qPrintable(row));
        QVERIFY(!lines.join(' ').contains(QRegularExpression(R"((?<!\\)<)")));
    }

    // Without a kind of its own -o would replace any file.
    void exportFormats_everyFile_hasAKind()
    {
        for (const ExportFormat &format : exportFormats())
            QVERIFY2(format.isFolder() == (format.kind == FileKind::Other), std::string(format.name).c_str());
    }

    void comparison_severalSchedules_areAgainstTheBaseline()
    {
        Named made = chainOf({"a", "b"});
        made.schedule.measured.provenance = Provenance::Simulated;
        made.schedule.measured.whole = Timing::ofLatency(200);
        TimedSchedule faster = made.schedule;
        faster.measured.whole = Timing::ofLatency(100);
        TimedSchedule sum = faster;
        sum.measured.how = MeasuredHow::SumOfStages; // does not compare
        const auto against = [&](const TimedSchedule &schedule) { return speedupOver(made.schedule, schedule); };
        const std::vector<RatedResult> schedules{rated("two", faster, against(faster)),
                                                 rated("one", made.schedule, 1.0), rated("sum", sum, against(sum))};
        const QList<QStringList> rows = readCsv(comparisonCsv(schedules));
        const qsizetype column = rows[0].indexOf("speedup");
        QCOMPARE(rows[1][column], QString("2"));
        QCOMPARE(rows[2][column], QString("1"));
        QCOMPARE(rows[3][column], QString());
        const QString text = QString::fromStdString(comparisonMarkdown(made.graph, schedules, "one"));
        QVERIFY2(text.contains("Speed-up over one."), qPrintable(text));
        QVERIFY2(text.contains("| two | 100.0 us | 2.00x | 2 |"), qPrintable(text));
    }

    void graphDot_hostileNames_graphvizReadsThem()
    {
        const Named made = chainOf(kHostile);
        for (const TimedSchedule *schedule : {static_cast<const TimedSchedule *>(nullptr), &made.schedule}) {
            QProcess dot;
            dot.start("dot", {"-Tplain"});
            QVERIFY(dot.waitForStarted());
            dot.write(QByteArray::fromStdString(graphDot(made.graph, schedule)));
            dot.closeWriteChannel();
            QVERIFY(dot.waitForFinished());
            QVERIFY2(dot.exitCode() == 0, dot.readAllStandardError());
            const QByteArray drawn = dot.readAllStandardOutput();
            QCOMPARE(drawn.count("\nnode "), static_cast<int>(kHostile.size()));
            QCOMPARE(drawn.count("\nedge "), static_cast<int>(kHostile.size()) - 1);
            QVERIFY2(drawn.contains("say \\\"hi\\\""), drawn);
        }
    }

    // Every bar adds up to its latency; results without a timeline are left out.
    void timePartsTable_twoResults_addUpToTheirLatencies()
    {
        Traces traces = simulated();
        std::vector<RatedResult> results;
        for (const RatedResult &made : traces.results()) {
            TimedSchedule schedule = *made.schedule;
            schedule.measured.whole =
                Timing::ofLatency(static_cast<double>(made.timeline->timeline().durationNs) / 1000);
            results.push_back(made);
            results.back().schedule = std::make_shared<const TimedSchedule>(std::move(schedule));
        }
        results.push_back({"without", results.front().schedule});
        const Table table = timePartsTable("squeezenet", results, TableFor::Programs);
        QCOMPARE(table.columns.back(), std::string("change_us"));
        double sum = 0;
        std::size_t latencies = 0;
        for (const std::vector<std::string> &row : table.rows) {
            QVERIFY(row[0] != "without");
            const double us = std::stod(row[4]);
            if (row[1] == "latency") {
                QVERIFY(std::abs(sum - us) < 1e-6);
                QCOMPARE(us, *results[latencies++].schedule->latencyUs());
                sum = 0;
            } else {
                sum += us;
            }
        }
        QCOMPARE(latencies, std::size_t{2});
        const QByteArray page = QByteArray::fromStdString(timePartsHtml(results));
        QVERIFY2(page.startsWith("<h2>Where the time goes</h2>"), page);
        QCOMPARE(page.count("class=\"parts\""), 2);
        QCOMPARE(page.count("<details>"), 1);
        QVERIFY2(page.contains("<td>between stages</td><td class=\"number\">0.0 us</td>"), page);
        QVERIFY(timePartsHtml(std::vector{results.back()}).empty());
    }

    void chromeTrace_twoResults_hasEverySpanAndCounter()
    {
        const Traces traces = simulated();
        const QByteArray text = QByteArray::fromStdString(chromeTrace(traces.source.graph, traces.results()));
        const QJsonArray events = QJsonDocument::fromJson(text)["traceEvents"].toArray();
        for (int pid = 1; pid <= 2; ++pid) {
            const Timeline &timeline = traces.timelines[static_cast<std::size_t>(pid - 1)];
            const auto count = [&](const QString &phase, const QString &category) {
                return std::ranges::count_if(events, [&](const QJsonValue &event) {
                    return event["pid"].toInt() == pid && event["ph"].toString() == phase &&
                           event["cat"].toString() == category;
                });
            };
            QCOMPARE(count("X", "stage"), static_cast<qsizetype>(timeline.stages.size()));
            QCOMPARE(count("X", "kernel"), static_cast<qsizetype>(timeline.kernels.size()));
            qsizetype values = 0;
            for (const CounterSeries &series : timeline.counters)
                values += static_cast<qsizetype>(series.values.size());
            QCOMPARE(count("C", ""), values);
            double endUs = 0;
            for (const QJsonValue &event : events) {
                if (event["pid"].toInt() == pid && event["ph"].toString() == "X")
                    endUs = std::max(endUs, event["ts"].toDouble() + event["dur"].toDouble());
            }
            QCOMPARE(endUs, static_cast<double>(timeline.durationNs) / 1000);
        }
        QVERIFY(text.contains("sim:v100, simulated"));
        QVERIFY(text.contains("active warps (simulated)"));
    }

    // Perfetto's importer: the whole part of us * 1000.0.
    void chromeTrace_timesInWholeNanoseconds_areThoseOfTheTimeline()
    {
        const Named made = chainOf({"a"});
        Timeline timeline;
        timeline.streams = 1;
        // The first is 2057.336 * 1000.0 < 2057336.
        const std::vector<std::int64_t> times{2057336, 2057337, 2060029, 4111000, 4611686018427, 4611686018427387};
        for (std::size_t i = 1; i < times.size(); ++i) {
            KernelSpan kernel;
            kernel.operators = {OperatorId(0)};
            kernel.startNs = times[i - 1];
            kernel.endNs = times[i];
            timeline.kernels.push_back(kernel);
        }
        const std::vector<RatedResult> results{traced("x", made.schedule, timeline)};
        const QJsonDocument trace =
            QJsonDocument::fromJson(QByteArray::fromStdString(chromeTrace(made.graph, results)));
        std::vector<std::int64_t> read{times.front()};
        for (const QJsonValue &event : trace["traceEvents"].toArray()) {
            if (event["ph"].toString() != "X")
                continue;
            const auto begin = static_cast<std::int64_t>(event["ts"].toDouble() * 1000.0);
            QCOMPARE(begin, read.back()); // neither a gap nor an overlap
            read.push_back(begin + static_cast<std::int64_t>(event["dur"].toDouble() * 1000.0));
        }
        QCOMPARE(read, times);
    }

    void chromeTrace_namesThatAreNotUtf8_areStillJson()
    {
        const Named made = chainOf({"bad\xff name"});
        Timeline timeline;
        timeline.streams = 1;
        timeline.stages = {{0, 0, 10}};
        KernelSpan kernel;
        kernel.operators = {OperatorId(0)};
        kernel.endNs = 10;
        kernel.threadsPerBlock = 1;
        timeline.kernels = {kernel};
        const std::vector<RatedResult> results{traced("x", made.schedule, timeline)};
        QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(chromeTrace(made.graph, results))).isObject());
        QVERIFY(perfettoTrace(made.graph, results).find("bad\\xff name") != std::string::npos); // spelled out
    }

    void traces_cpuOperators_areOnEveryThreadTheyRanOn()
    {
        const Named made = chainOf({"wide"});
        Timeline timeline;
        timeline.streams = 4;
        KernelSpan kernel;
        kernel.operators = {OperatorId(0)};
        kernel.stream = 1;
        kernel.grid = {2, 1, 1}; // threads, as it has no thread blocks
        kernel.endNs = 1000;
        timeline.kernels = {kernel};
        const QByteArray text =
            QByteArray::fromStdString(chromeTrace(made.graph, std::vector{traced("x", made.schedule, timeline)}));
        QStringList rows;
        for (const QJsonValue &event : QJsonDocument::fromJson(text)["traceEvents"].toArray()) {
            if (event["ph"].toString() == "X")
                rows << QString::number(event["tid"].toInt());
        }
        QCOMPARE(rows, (QStringList{"3", "4"})); // the first row is that of the stages
        QVERIFY(text.contains("thread 4"));
    }
};

// A bar of one piece for the first model, of several for the second; none for one model.
void TestExport::drawing_ofTwoModels_hasBarsOfEach()
{
    const Named own = chainOf({"a", "b"});
    const GraphUnion both = unionOf(std::array{NamedGraph{"x", &own.graph}, NamedGraph{"y", &own.graph}});
    TimedSchedule schedule;
    for (std::size_t i = 0; i < both.graph.size(); ++i)
        schedule.stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
    for (const bool dark : {false, true}) {
        const auto &colours = dark ? kModelDark : kModelLight;
        const ScheduleDrawing drawing = drawSchedule(both.graph, rated("x", schedule), dark);
        const auto bars = [&](const ScheduleDrawing &of, std::size_t model) {
            return std::ranges::count(of.boxes, colours[model], &DrawnBox::fill);
        };
        QCOMPARE(bars(drawing, 0), std::ptrdiff_t{2});
        QVERIFY(bars(drawing, 1) > 4);
        QVERIFY(std::ranges::any_of(drawing.texts, [](const DrawnText &text) {
            return text.text.find("x: bars with no gaps, y: bars with gaps") != std::string::npos;
        }));
        QCOMPARE(bars(drawSchedule(own.graph, rated("x", own.schedule), dark), 0), std::ptrdiff_t{0});
    }
}

STAGECRAFT_SUITE(TestExport)

} // namespace tst_export
#include "tst_export.moc"
