// The page of a report at work: its program in Node.js, as far as it needs no document, and the page in Chromium, used
// by the steps of report_steps.js. Each is skipped where there is no such program.

#include "device/simulated/simulated_device.h"
#include "export/html_report.h"
#include "export/report_data.h"
#include "model/built_in.h"
#include "schedule/merge.h"
#include "search/stages/baselines.h"
#include "support/places.h"
#include "support/random_streams.h"
#include "support/report_making.h"
#include "support/suite.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_report_page {

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeTo(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

// The first stage of several groups that may be merged is.
TimedSchedule withMerge(const Graph &graph, TimedSchedule schedule)
{
    for (Stage &stage : schedule.stages) {
        std::vector<OperatorId> firsts;
        for (const auto &group : stage.groups)
            firsts.push_back(group.front());
        if (stage.operatorCount() == firsts.size() && mergedOperator(graph, firsts)) {
            stage.strategy = Strategy::Merge;
            return schedule;
        }
    }
    qFatal("nothing can be merged");
}

// Two schedules with timelines, streams without, and a latency without a schedule.
class Squeezenet {
public:
    Squeezenet() : m_source(take(builtInNetwork("squeezenet")))
    {
        group.model.name = "squeezenet";
        group.graph = &m_source.graph;
        group.blocks = m_source.blocks;
        group.device = "sim:v100";
        group.precision = "fp32";
        group.baseline = "Sequential";
        group.chosen = 1;
        addTraced("Sequential", sequentialSchedule(m_source.graph, m_source.blocks));
        addTraced("Merged", withMerge(m_source.graph, greedySchedule(m_source.graph, m_source.blocks)));
        group.results.back().speedup = 1.25;
        std::mt19937 random(7);
        TimedSchedule streams;
        streams.streams = randomStreams(m_source.graph, 3, random);
        group.results.push_back(ratedAs("streams", streams));
        group.results.push_back(ratedAs("typed in", {}));
        group.results.back().schedule = nullptr;
        group.results.back().whyNot = "a latency without a schedule";
    }

    ReportedGroup group;

private:
    void addTraced(const std::string &name, const TimedSchedule &schedule)
    {
        const auto device = take(openSimulatedDevice("v100"));
        const auto session = take(device->open(std::make_shared<const Graph>(m_source.graph)));
        auto timeline = std::make_shared<const Timeline>(take(session->timeline(schedule, {})));
        group.results.push_back(ratedAs(name, withLatencies(schedule, Provenance::Simulated)));
        group.results.back().timeline = std::make_shared<const TimelineIndex>(std::move(timeline));
    }

    SourceGraph m_source;
};

QString browser()
{
    for (const char *name : {"chromium", "chromium-browser", "google-chrome"}) {
        if (const QString path = QStandardPaths::findExecutable(name); !path.isEmpty())
            return path;
    }
    return {};
}

} // namespace

class TestReportPage : public QObject {
    Q_OBJECT

private slots:
    void program_withoutADocument_passesItsChecks()
    {
        const QString node = QStandardPaths::findExecutable("node");
        if (node.isEmpty())
            QSKIP("Node.js (node) is not installed");
        const Squeezenet made;
        const QTemporaryDir folder;
        writeTo(folder.filePath("data.json"), QByteArray::fromStdString(reportData(made.group)));
        QProcess process;
        process.start(node, {sourcePath("tests/core/export/report_program.js"), sourcePath("resources/html_report"),
                             folder.filePath("data.json")});
        QVERIFY(process.waitForFinished());
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, said);
        QVERIFY(process.readAllStandardOutput().trimmed().toInt() > 10);
    }

    void page_inABrowser_isUsedAsAPersonWould()
    {
        const QString chromium = browser();
        if (chromium.isEmpty())
            QSKIP("Chromium is not installed");
        const Squeezenet made;
        const auto hostile = reportedChain(kHostileNames);
        QByteArray page =
            QByteArray::fromStdString(htmlReport({"</title>", "Stagecraft", {made.group, hostile->group}}));
        page.replace("</body>",
                     "<script>" + contentOf(sourcePath("tests/core/export/report_steps.js")) + "</script>\n</body>");
        const QTemporaryDir folder;
        writeTo(folder.filePath("page.html"), page);
        QProcess process;
        process.start(chromium, {"--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
                                 "--user-data-dir=" + folder.filePath("profile"), "--virtual-time-budget=5000",
                                 "--dump-dom", "file://" + folder.filePath("page.html")});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray document = process.readAllStandardOutput();
        const qsizetype at = document.lastIndexOf("<pre id=\"told\">");
        QVERIFY2(at >= 0, process.readAllStandardError().right(2000));
        const QByteArray told = document.mid(at + 15, document.indexOf("</pre>", at) - at - 15);
        QVERIFY2(told.endsWith(" []"), told);
        QVERIFY2(told.split(' ').first().toInt() > 50, told);
    }
};

STAGECRAFT_SUITE(TestReportPage)

} // namespace tst_report_page
#include "tst_report_page.moc"
