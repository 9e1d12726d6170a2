// A search on a loaded device: decisions based on disturbed latencies are made again.

#include "flow/find/search_on_device.h"
#include "measure/stored_session.h"
#include "support/random_graph.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_search_on_device {

namespace {

// Two concurrent stages take as long as one. Under load, this takes ten times as long, with a matching spread.
class LoadedSession : public DeviceSession {
public:
    explicit LoadedSession(int loadedAnswers) : m_loaded(loadedAnswers) {}

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token) override
    {
        const Stage &stage = question.stage;
        const bool wide = stage.groups.size() > 1;
        if (wide && m_loaded > 0) {
            --m_loaded;
            return StageLatency{{1000, 1000, 600, 40}};
        }
        const auto longest = std::ranges::max(stage.groups, {}, [](const auto &group) { return group.size(); }).size();
        const double us = 10.0 * static_cast<double>(longest);
        return StageLatency{{us, us, 0.1, 40}};
    }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override
    {
        return ScheduleLatency{{1, 1, 0, 9}};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override { return Timeline{}; }
    bool isNoisy() const override { return true; }

private:
    int m_loaded;
};

} // namespace

class TestSearchOnDevice : public QObject {
    Q_OBJECT

private slots:
    void searchOnDevice_loadThatPassed_decidesAgain()
    {
        Model model;
        model.graph = std::make_shared<const Graph>(parallelChains(2, 1));
        model.blocks = consecutiveBlocks(*model.graph, 1);
        DeviceInfo device;
        device.fingerprint = "x";
        SearchOptions options;
        options.strategies = StrategySet::Parallel;
        const auto atRest = storedSession(std::make_unique<LoadedSession>(0), model.graph, device,
                                          std::move(*LatencyStore::inMemory()));
        const auto expected = searchOnDevice(model, *atRest, options, {}, {});
        QVERIFY(expected);
        // Each wide stage is disturbed at the first request and once more.
        const auto loaded = storedSession(std::make_unique<LoadedSession>(2), model.graph, device,
                                          std::move(*LatencyStore::inMemory()));
        const auto found = searchOnDevice(model, *loaded, options, {}, {});
        QVERIFY(found);
        QCOMPARE(found->schedule.stages, expected->schedule.stages);
        QCOMPARE(*found->schedule.latencyUs(), *expected->schedule.latencyUs());
        QVERIFY(found->schedule.search.stageMeasurements >= expected->schedule.search.stageMeasurements);
    }

    // The rest of a budget is used to decide again, never with a worse result than the first.
    void searchOnDevice_budget_isKeptAndUsed()
    {
        Model model;
        model.graph = std::make_shared<const Graph>(parallelChains(3, 2));
        model.blocks = consecutiveBlocks(*model.graph, 1);
        SearchOptions options;
        options.strategies = StrategySet::Parallel;
        const auto expected = searchOnDevice(model, *session(model, 0), options, {}, {});
        QVERIFY(expected);
        const std::int64_t needed = expected->schedule.search.stageMeasurements;
        for (std::int64_t most = 1; most <= 2 * needed; ++most) {
            options.maxMeasurements = most;
            const auto once = searchSchedule(*model.graph, model.blocks, *session(model, 6), options);
            const auto found = searchOnDevice(model, *session(model, 6), options, {}, {});
            QVERIFY(once && found);
            const SearchRecord &record = found->schedule.search;
            QVERIFY2(atRest(*found, model) <= atRest(*once, model), qPrintable(QString::number(most)));
            QVERIFY(record.stageMeasurements <= std::max(most, once->schedule.search.stageMeasurements));
            QCOMPARE(record.sumUs, *found->schedule.latencyUs());
        }
        options.maxMeasurements = 1000;
        const auto budgeted = searchOnDevice(model, *session(model, 6), options, {}, {});
        QVERIFY(budgeted && *budgeted->schedule.latencyUs() == *expected->schedule.latencyUs());
        // No time is left: the first result stays.
        double seconds = 0;
        options.maxMeasurements.reset();
        options.maxSeconds = 1;
        options.clock.read = [&] {
            return SearchClock::Time(
                std::chrono::duration_cast<SearchClock::Time::duration>(std::chrono::duration<double>(seconds)));
        };
        const auto quick =
            searchOnDevice(model, *session(model, 6), options, [&](const SearchProgress &) { seconds = 2; }, {});
        QVERIFY(quick && *quick->schedule.latencyUs() > *expected->schedule.latencyUs());
    }

private:
    static std::unique_ptr<DeviceSession> session(const Model &model, int loadedAnswers)
    {
        DeviceInfo device;
        device.fingerprint = "x";
        return storedSession(std::make_unique<LoadedSession>(loadedAnswers), model.graph, device,
                             std::move(*LatencyStore::inMemory()));
    }

    // The undisturbed latencies of the stages.
    static double atRest(const FoundSchedule &result, const Model &model)
    {
        const auto quiet = session(model, 0);
        double us = 0;
        for (const Stage &stage : result.schedule.stages)
            us += quiet->stageLatency(stage, {})->timing.latencyUs;
        return us;
    }
};

STAGECRAFT_SUITE(TestSearchOnDevice)

} // namespace tst_search_on_device
#include "tst_search_on_device.moc"
