// The pruning trade-off: points share their measurements, but each has the result of a separate search.

#include "device/simulated/simulated_device.h"
#include "flow/study/pruning_study.h"
#include "measure/measurers.h"
#include "support/cli_process.h"
#include "support/opened_model.h"
#include "support/suite.h"

#include <QThread>
#include <QtTest>

#include <algorithm>
#include <array>
#include <thread>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pruning_study {

namespace {

std::unique_ptr<Device> simulated()
{
    return std::move(*openSimulatedDevice("v100"));
}

std::unique_ptr<DeviceSession> sessionFor(const Model &model)
{
    return std::move(*simulated()->open(model.graph));
}

// The Pareto front by comparing all pairs.
std::vector<bool> frontByComparing(const std::vector<CostAndLatency> &points)
{
    std::vector<bool> front;
    for (const CostAndLatency &mine : points) {
        front.push_back(std::ranges::none_of(points, [&](const CostAndLatency &other) {
            return other.cost <= mine.cost && other.latencyUs <= mine.latencyUs &&
                   (other.cost < mine.cost || other.latencyUs < mine.latencyUs);
        }));
    }
    return front;
}

} // namespace

class TestPruningStudy : public QObject {
    Q_OBJECT

private slots:
    void study_everyPoint_isWhatASearchOfItsOwnFinds()
    {
        const auto model = openedModel("inception_v3");
        QVERIFY(model);
        PruningStudy study(*model, sessionFor(*model), simulated()->info());
        const std::vector strategies{StrategySet::Both, StrategySet::Parallel, StrategySet::Merge};
        const std::vector r{1, 3};
        const std::vector s{1, 8};
        std::int64_t dearest = 0;
        std::int64_t together = 0;
        for (const PruningPoint &point : mostInformativeFirst(pointsOf({strategies, r, s}))) {
            const auto studied = study.study(point, {}, {});
            QVERIFY(studied);
            const TimedSchedule &shared = *(*studied)->schedule;
            PruningStudy alone(*model, sessionFor(*model), simulated()->info());
            const TimedSchedule &own = *(*alone.study(point, {}, {}))->schedule;
            QVERIFY(shared.stages == own.stages);
            QCOMPARE(*shared.latencyUs(), *own.latencyUs());
            QCOMPARE(shared.search.stageMeasurements, own.search.stageMeasurements);
            QCOMPARE(shared.search.cacheHits, own.search.cacheHits);
            QCOMPARE(shared.search.transitions, own.search.transitions);
            QCOMPARE(alone.stageMeasurements(), own.search.stageMeasurements);
            QCOMPARE(shared.search.r, std::optional(point.r));
            dearest = std::max(dearest, own.search.stageMeasurements);
            together += own.search.stageMeasurements;
        }
        QCOMPARE(study.points().size(), std::size_t{12});
        QVERIFY(study.stageMeasurements() >= dearest);
        QVERIFY2(study.stageMeasurements() < together / 2, "hardly anything was shared");
    }

    void study_knownPoint_isNotSearchedAgain()
    {
        const auto model = openedModel("sample");
        PruningStudy study(*model, sessionFor(*model), simulated()->info());
        const StudyPoint *first = *study.study({StrategySet::Both, 3, 8}, {}, {});
        int reports = 0;
        const auto count = [&](const SearchProgress &) { ++reports; };
        QCOMPARE(*study.study({StrategySet::Both, 3, 8}, count, {}), first);
        QCOMPARE(reports, 0);
        QVERIFY(study.study({StrategySet::Both, 3, 7}, count, {}));
        QVERIFY(reports > 0);
        QCOMPARE(study.find({StrategySet::Both, 3, 8}), first); // it stays in place
    }

    void study_stopped_keepsThePointsBefore()
    {
        const auto model = openedModel("squeezenet");
        PruningStudy study(*model, sessionFor(*model), simulated()->info());
        QVERIFY(study.study({StrategySet::Both, 1, 1}, {}, {}));
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = study.study({StrategySet::Both, 3, 8}, {}, stop.get_token());
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        QCOMPARE(study.points().size(), std::size_t{1});
        QVERIFY(study.study({StrategySet::Both, 3, 8}, {}, {})); // continues
        QCOMPARE(study.points().size(), std::size_t{2});
    }

    void study_thatWaits_countsNoneOfTheWaiting()
    {
        const auto model = openedModel("sample");
        const auto find = [](const std::string &) -> Result<std::unique_ptr<Device>> { return simulated(); };
        Measurers measurers(find);
        auto opened = measurers.open(model->graph, "sim:v100", Urgency::Study);
        PruningStudy study(*model, std::move(opened->session), opened->device);
        auto search = measurers.open(model->graph, "sim:v100", Urgency::Search); // goes first
        const std::jthread ending([&] {
            QThread::msleep(1000);
            search->session.reset();
        });
        const StudyPoint *point = *study.study({StrategySet::Both, 3, 8}, {}, {});
        const SearchRecord &record = point->schedule->search;
        QVERIFY(record.stageMeasurements > 5);
        QVERIFY2(record.measureSeconds + record.searchSeconds < 0.5,
                 qPrintable(QString::number(record.measureSeconds)));
        QCOMPARE(point->stagesAsked, record.stageMeasurements);
    }

    void study_spaces_areSearchedEach()
    {
        const auto model = openedModel("inception_v3");
        PruningStudy study(*model, sessionFor(*model), simulated()->info());
        const auto points = pointsOf({{StrategySet::Parallel}, {3}, {8}, {false, true}});
        QCOMPARE(points.size(), std::size_t{2});
        const TimedSchedule &any = *(*study.study(points[0], {}, {}))->schedule;
        const TimedSchedule &single = *(*study.study(points[1], {}, {}))->schedule;
        QVERIFY(!any.search.singleSource && single.search.singleSource);
        QVERIFY(single.search.transitions < any.search.transitions);
        QVERIFY(*single.latencyUs() >= *any.latencyUs());
    }

    void mostInformativeFirst_grid_beginsAtItsCornersAndKeepsAll()
    {
        const std::vector strategies{StrategySet::Both, StrategySet::Merge};
        const std::vector r{1, 2, 3, 4, 5};
        const std::vector s{1, 2, 4, 8};
        const auto grid = pointsOf({strategies, r, s});
        const auto ordered = mostInformativeFirst(grid);
        QCOMPARE(ordered.size(), grid.size());
        for (const PruningPoint &point : grid)
            QCOMPARE(std::ranges::count(ordered, point), 1);
        QVERIFY((ordered[0] == PruningPoint{StrategySet::Both, 1, 1}));
        QVERIFY((ordered[1] == PruningPoint{StrategySet::Merge, 1, 1}));
        QVERIFY((ordered[2] == PruningPoint{StrategySet::Both, 5, 8}));
        const auto isCorner = [](const PruningPoint &point) {
            return (point.r == 1 || point.r == 5) && (point.s == 1 || point.s == 8);
        };
        QCOMPARE(std::count_if(ordered.begin(), ordered.begin() + 8, isCorner), 8);
        QVERIFY(mostInformativeFirst({}).empty());
    }

    void paretoFront_randomPoints_equalsComparingAll()
    {
        std::mt19937 random(7);
        std::uniform_int_distribution<int> few(0, 6);
        for (int round = 0; round < 500; ++round) {
            std::vector<CostAndLatency> points(static_cast<std::size_t>(1 + few(random) * 3));
            for (CostAndLatency &point : points)
                point = {static_cast<double>(few(random)), static_cast<double>(few(random))};
            QVERIFY(paretoFront(points) == frontByComparing(points));
        }
    }

    void sweep_csv_saysWhatJsonSays()
    {
        const QStringList sweep{"sweep", "sample",       "--r",        "1..2",     "--s",
                                "3,1",   "--strategies", "merge,both", "--spaces", "connected,single-source"};
        const QJsonObject json = cli(sweep + QStringList{"--json"}).json();
        const QJsonArray points = json["points"].toArray();
        QList<QByteArray> lines = cli(sweep + QStringList{"--csv"}).out.trimmed().split('\n');
        const QList<QByteArray> header = lines.takeFirst().split(',');
        QCOMPARE(points.size(), 16);
        QCOMPARE(lines.size(), 16);
        for (qsizetype i = 0; i < points.size(); ++i) {
            const QList<QByteArray> cells = lines[i].split(',');
            QCOMPARE(cells.size(), header.size());
            const QJsonObject point = points[i].toObject();
            QCOMPARE(cells[header.indexOf("strategy")], point["strategy"].toString().toLatin1());
            QCOMPARE(cells[header.indexOf("r")].toInt(), point["r"].toInt());
            QCOMPARE(cells[header.indexOf("s")].toInt(), point["s"].toInt());
            QCOMPARE(cells[header.indexOf("single_source")],
                     QByteArray(point["search"]["single_source"].toBool() ? "true" : "false"));
            QCOMPARE(cells[header.indexOf("latency_us")].toDouble(), point["latency_us"].toDouble());
            QCOMPARE(cells[header.indexOf("stage_measurements")].toInt(),
                     point["search"]["stage_measurements"].toInt());
            QCOMPARE(cells[header.indexOf("front")], QByteArray(point["front"].toBool() ? "true" : "false"));
        }
        QCOMPARE(points[0]["strategy"].toString(), QString("merge"));
        QCOMPARE(points[0]["s"].toInt(), 1); // ascending, whatever order was typed
        const QByteArray table = cli(sweep).out;
        QVERIFY2(table.contains(QByteArray::number(json["totals"]["stage_measurements"].toInt()) +
                                " stages measured for all points together"),
                 table);
    }
};

STAGECRAFT_SUITE(TestPruningStudy)

} // namespace tst_pruning_study
#include "tst_pruning_study.moc"
