// Rounds of kits, with a simulated device as the machine that nothing connects to: few of them prove what a search
// there would find.

#include "device/recorded/recorded_device.h"
#include "device/simulated/simulated_device.h"
#include "support/graph_making.h"
#include "support/kit_rounds.h"
#include "support/opened_model.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_kit_plan {

namespace {

constexpr int kMostRounds = 3;
constexpr double kSameSum = 1e-9;

std::unique_ptr<DeviceSession> sessionOf(const char *device, const Model &model)
{
    return take(take(openSimulatedDevice(device))->open(model.graph));
}

// All of the plan's stages, equal ones included, each once.
std::size_t distinctPlaces(const Graph &graph, const KitPlan &plan)
{
    std::set<std::string> keys;
    for (const KitStage &asked : plan.stages) {
        keys.insert(recordKey(asked.stage.strategy, operatorNames(graph, asked.stage)));
        for (const Stage &stage : asked.equal)
            keys.insert(recordKey(stage.strategy, operatorNames(graph, stage)));
    }
    return keys.size();
}

SearchOptions bounded(SearchBounds bounds)
{
    SearchOptions options;
    options.bounds = bounds;
    return options;
}

} // namespace

class TestKitPlan : public QObject {
    Q_OBJECT

private slots:
    void rounds_smallNetwork_proveWhatASearchThereFinds_data();
    void rounds_smallNetwork_proveWhatASearchThereFinds();
    void rounds_smallBudget_keepToIt();
    void firstKit_hasOperatorsAndBaselinesFirst();
    void firstKit_equalStages_areAskedOnce();
    void nextKit_refusedStage_isLeftOut();
    void nextKit_operatorMissing_isRefusedByName();
    void nextKit_brokenAssumption_isNotTakenForAProof();
    void knownStages_measuredAgain_haveTheBetterLatency();
    void firstKit_noSuchDevice_isRefused();
    void firstKit_stopped_isCancelled();
};

void TestKitPlan::rounds_smallNetwork_proveWhatASearchThereFinds_data()
{
    QTest::addColumn<QString>("network");
    QTest::addColumn<QString>("remote");
    QTest::addColumn<QString>("like");
    for (const char *network : {"sample", "squeezenet", "shufflenet_v2", "mobilenet_v2", "resnet50", "googlenet"}) {
        QTest::addRow("%s on v100, guessed by k80", network) << network << "v100"
                                                             << "k80";
        QTest::addRow("%s on k80, guessed by h100", network) << network << "k80"
                                                             << "h100";
    }
}

void TestKitPlan::rounds_smallNetwork_proveWhatASearchThereFinds()
{
    QFETCH(QString, network);
    QFETCH(QString, remote);
    QFETCH(QString, like);
    const Model model = take(openedModel(network.toStdString()));
    const auto session = sessionOf(qPrintable(remote), model);
    const KitPlanRequest request{bounded(SearchBounds::Auto), {like.toStdString()}};
    const double bestUs =
        take(searchSchedule(*model.graph, model.blocks, *session, request.options)).schedule.search.sumUs;

    RecordedLatencies recording;
    KitPlan plan = take(firstKit(model, request, {}, {}));
    for (int round = 1;; ++round) {
        QVERIFY2(round <= kMostRounds, "it takes more rounds");
        answerKit(*model.graph, plan, *session, recording);
        const auto known = take(KnownStages::make(model.graph, recording));
        NextKit next = take(nextKit(model, *known, request, {}, {}));
        QCOMPARE(next.isProved, next.wanted == 0);
        QCOMPARE(next.plan.stages.empty(), next.isProved);
        if (!next.isProved) {
            for (const KitStage &asked : next.plan.stages)
                QVERIFY(!known->has(asked.stage));
            plan = std::move(next.plan);
            continue;
        }
        const double sumUs = next.found.schedule.search.sumUs;
        QVERIFY2(std::abs(sumUs - bestUs) <= bestUs * kSameSum,
                 qPrintable(QString("%1, not %2").arg(sumUs).arg(bestUs)));
        // The recording replaces the device for a search that knows nothing of kits.
        const auto replay = take(makeRecordedDevice("rec:kit", recording)->open(model.graph));
        const FoundSchedule again = take(searchSchedule(*model.graph, model.blocks, *replay, request.options));
        QVERIFY(std::abs(again.schedule.search.sumUs - bestUs) <= bestUs * kSameSum);
        break;
    }
}

void TestKitPlan::rounds_smallBudget_keepToIt()
{
    const Model model = take(openedModel("googlenet"));
    const auto session = sessionOf("v100", model);
    const KitPlanRequest request{bounded(SearchBounds::Auto), {"k80"}, 150};
    RecordedLatencies recording;
    KitPlan plan = take(firstKit(model, request, {}, {}));
    double gap = 1e9;
    for (int round = 1; round <= kMostRounds; ++round) {
        QVERIFY(!plan.stages.empty() && plan.stages.size() <= 150 && !plan.isWhole);
        answerKit(*model.graph, plan, *session, recording);
        const auto known = take(KnownStages::make(model.graph, recording));
        QVERIFY(known->size() <= static_cast<std::size_t>(150 * round));
        NextKit next = take(nextKit(model, *known, request, {}, {}));
        QVERIFY(!next.isProved && next.wanted > 150);
        QVERIFY2(next.found.schedule.search.gap <= gap, "the gap grew");
        gap = next.found.schedule.search.gap;
        plan = std::move(next.plan);
    }
}

void TestKitPlan::firstKit_hasOperatorsAndBaselinesFirst()
{
    const Model model = take(openedModel("squeezenet"));
    const KitPlan plan = take(firstKit(model, {{}, {"v100"}}, {}, {}));
    StageSigner signer(*model.graph);
    std::set<StageSignature> alone;
    for (const Stage &stage : sequentialSchedule(*model.graph, model.blocks).stages)
        alone.insert(signer.sign(stage));
    for (std::size_t i = 0; i < alone.size(); ++i)
        QVERIFY2(alone.contains(signer.sign(plan.stages[i].stage)), "an operator alone comes later");
    for (const Stage &stage : greedySchedule(*model.graph, model.blocks).stages) {
        const StageSignature signature = signer.sign(stage);
        QVERIFY(std::ranges::any_of(plan.stages,
                                    [&](const KitStage &asked) { return signer.sign(asked.stage) == signature; }));
    }
    QVERIFY(plan.stages.size() > alone.size());
}

void TestKitPlan::firstKit_equalStages_areAskedOnce()
{
    const Model model = take(openedModel("resnet50"));
    const KitPlan plan = take(firstKit(model, {{}, {"v100"}}, {}, {}));
    StageSigner signer(*model.graph);
    std::set<StageSignature> signatures;
    std::size_t places = 0;
    std::set<std::string> alone;
    for (const KitStage &asked : plan.stages) {
        const StageSignature signature = signer.sign(asked.stage);
        QVERIFY2(signatures.insert(signature).second, "a stage is asked for twice");
        for (const Stage &stage : asked.equal)
            QVERIFY(signer.sign(stage) == signature && stage != asked.stage);
        places += 1 + asked.equal.size();
        for (const Stage *stage : {&asked.stage}) {
            if (stage->operatorCount() == 1)
                alone.insert(operatorNames(*model.graph, *stage)[0][0]);
        }
        for (const Stage &stage : asked.equal) {
            if (stage.operatorCount() == 1)
                alone.insert(operatorNames(*model.graph, stage)[0][0]);
        }
    }
    QCOMPARE(distinctPlaces(*model.graph, plan), places);
    QVERIFY(places > plan.stages.size());
    QCOMPARE(alone.size(), model.graph->size()); // each operator gets its latency
}

void TestKitPlan::nextKit_refusedStage_isLeftOut()
{
    const Model model = take(openedModel("sample"));
    const auto session = sessionOf("v100", model);
    const KitPlanRequest request{{}, {"k80"}};
    RecordedLatencies recording;
    const KitPlan plan = take(firstKit(model, request, {}, {}));
    answerKit(*model.graph, plan, *session, recording);
    const auto known = take(KnownStages::make(model.graph, recording));
    const FoundSchedule best = take(nextKit(model, *known, request, {}, {})).found;
    const auto taken =
        std::ranges::find_if(best.schedule.stages, [](const Stage &stage) { return stage.operatorCount() > 1; });
    QVERIFY(taken != best.schedule.stages.end());
    const StageSignature signature = known->signatureOf(*taken);
    const auto asked = std::ranges::find_if(
        plan.stages, [&](const KitStage &each) { return known->signatureOf(each.stage) == signature; });
    QVERIFY(asked != plan.stages.end());
    std::set<std::string> keys{recordKey(asked->stage.strategy, operatorNames(*model.graph, asked->stage))};
    for (const Stage &stage : asked->equal)
        keys.insert(recordKey(stage.strategy, operatorNames(*model.graph, stage)));
    std::erase_if(recording.stages, [&](const RecordedStage &stage) {
        if (!keys.contains(recordKey(stage.strategy, stage.groups)))
            return false;
        recording.refused.push_back({stage, "it has no kernel"});
        return true;
    });
    QVERIFY(!recording.refused.empty());
    const auto without = take(KnownStages::make(model.graph, recording));
    QCOMPARE(without->refused(), std::size_t{1});
    const NextKit next = take(nextKit(model, *without, request, {}, {}));
    QVERIFY(next.found.schedule.search.sumUs > best.schedule.search.sumUs);
    QVERIFY(std::ranges::find(next.found.schedule.stages, *taken) == next.found.schedule.stages.end());
    QVERIFY(next.found.refusal && QString::fromStdString(next.found.refusal->message).endsWith(": it has no kernel"));
    for (const KitStage &each : next.plan.stages)
        QVERIFY(known->signatureOf(each.stage) != signature);
}

void TestKitPlan::nextKit_operatorMissing_isRefusedByName()
{
    const Model model = take(openedModel("sample"));
    const auto session = sessionOf("v100", model);
    RecordedLatencies recording;
    KitPlan plan = take(firstKit(model, {{}, {"k80"}}, {}, {}));
    const std::string name = operatorNames(*model.graph, plan.stages.front().stage)[0][0];
    plan.stages.erase(plan.stages.begin());
    answerKit(*model.graph, plan, *session, recording);
    const auto known = take(KnownStages::make(model.graph, recording));
    const auto next = nextKit(model, *known, {}, {}, {});
    QVERIFY(!next && next.error().code == ErrorCode::DeviceFailed);
    QCOMPARE(QString::fromStdString(next.error().message),
             QString::fromStdString("the recording has no latency of " + name + " by itself, so no schedule is known"));
}

// All latencies exact, and one stage far below what a part of it takes: what is left of it may be as far below.
void TestKitPlan::nextKit_brokenAssumption_isNotTakenForAProof()
{
    const Model model = take(openedModel("squeezenet"));
    const auto session = sessionOf("v100", model);
    const KitPlanRequest request{bounded(SearchBounds::Assumed), {"k80"}};
    RecordedLatencies recording;
    answerKit(*model.graph, take(firstKit(model, request, {}, {})), *session, recording);
    const auto pair = std::ranges::find_if(recording.stages, [](const RecordedStage &stage) {
        return stage.strategy == Strategy::Concurrent && stage.groups.size() == 2;
    });
    QVERIFY(pair != recording.stages.end());
    for (RecordedStage &stage : recording.stages)
        stage.timing.runs = 0;
    pair->timing.latencyUs /= 100;
    const auto known = take(KnownStages::make(model.graph, recording));
    const NextKit next = take(nextKit(model, *known, request, {}, {}));
    QVERIFY(!next.isProved || next.found.schedule.search.gap > 0.01);
    QVERIFY(next.found.schedule.search.assumption);
}

// Under another name, as kits have equal stages.
void TestKitPlan::knownStages_measuredAgain_haveTheBetterLatency()
{
    const Model model = take(openedModel("resnet50"));
    const KitPlan plan = take(firstKit(model, {{}, {"v100"}}, {}, {}));
    const auto asked = std::ranges::find_if(plan.stages, [](const KitStage &each) { return !each.equal.empty(); });
    QVERIFY(asked != plan.stages.end());
    const auto lineOf = [&](const Stage &stage, const Timing &timing) {
        return RecordedStage{stage.strategy, operatorNames(*model.graph, stage), timing};
    };
    const Timing slowed{50, 50, 1, 9, {1200, 2619, "power limit"}};
    const Timing fine{40, 40, 1, 9, {1980, 2619}};
    QVERIFY(slowed.isDisturbed() && !fine.isDisturbed());
    RecordedLatencies recording;
    recording.stages = {lineOf(asked->stage, slowed), lineOf(asked->equal.front(), fine)};
    for (int order = 0; order < 2; ++order) {
        const auto known = take(KnownStages::make(model.graph, recording));
        QCOMPARE(known->latencyUs(known->signatureOf(asked->stage)), std::optional(40.0));
        QCOMPARE(known->measured().size(), std::size_t{1});
        QVERIFY(known->disturbed().empty());
        std::swap(recording.stages[0], recording.stages[1]);
    }
}

void TestKitPlan::firstKit_noSuchDevice_isRefused()
{
    const Model model = take(openedModel("sample"));
    const auto plan = firstKit(model, {{}, {"v1000"}}, {}, {});
    QVERIFY(!plan && plan.error().message.find("v1000") != std::string::npos);
}

void TestKitPlan::firstKit_stopped_isCancelled()
{
    const Model model = take(openedModel("googlenet"));
    std::stop_source stop;
    const KitProgress stopAtOnce = [&](const std::string &, std::size_t) { stop.request_stop(); };
    const auto plan = firstKit(model, {{}, {"v100"}}, stopAtOnce, stop.get_token());
    QVERIFY(!plan && plan.error().code == ErrorCode::Cancelled);
}

STAGECRAFT_SUITE(TestKitPlan)

} // namespace tst_kit_plan
#include "tst_kit_plan.moc"
