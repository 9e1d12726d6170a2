// Two models on one device: plans, ends, deadlines, and what cpu computes.

#include "device/cpu/cpu_device.h"
#include "device/simulated/simulated_device.h"
#include "flow/co_run.h"
#include "model/union/model_union.h"
#include "schedule/verify.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/opened_model.h"
#include "support/reference_execution.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <memory>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_co_run {
namespace {

struct Opened {
    std::vector<Model> models;
    Model both;
    std::unique_ptr<Device> device;
    std::array<std::unique_ptr<DeviceSession>, kUnionModels> own;
    std::unique_ptr<DeviceSession> session;

    [[nodiscard]] CoRunSessions sessions() const { return {{own[0].get(), own[1].get()}, session.get()}; }
    [[nodiscard]] Result<CoRunPlans> plan(const CoRunRequest &request, const std::stop_token &stop = {}) const
    {
        return coRun(models, both, sessions(), device->info(), request, {}, stop);
    }
};

Opened openModels(std::vector<Model> models, std::unique_ptr<Device> device)
{
    Opened opened;
    opened.models = std::move(models);
    opened.both = take(unionOf(opened.models));
    opened.device = std::move(device);
    for (std::size_t i = 0; i < kUnionModels; ++i)
        opened.own[i] = take(opened.device->open(opened.models[i].graph));
    opened.session = take(opened.device->open(opened.both.graph));
    return opened;
}

Opened open(const std::array<const char *, 2> &names, std::unique_ptr<Device> device)
{
    std::vector<Model> models;
    for (const char *name : names)
        models.push_back(take(openedModel(name)));
    return openModels(std::move(models), std::move(device));
}

Model moduleOf(std::int64_t width, std::int64_t batch)
{
    Model model;
    model.graph = inceptionModule(width, batch);
    model.blocks = oneBlock(*model.graph);
    model.name = model.source = "module";
    model.costs = costBasis(*model.graph);
    return model;
}

CoRunRequest shortRequest()
{
    CoRunRequest request{.maxSeconds = 0.5, .rounds = 0};
    request.alone.maxSeconds = 1;
    return request;
}

const CoRunRequest kShort = shortRequest();

} // namespace

class TestCoRun : public QObject {
    Q_OBJECT

private slots:
    void plan_simulated_isFasterThanOneAfterAnother();
    void plan_deadline_isMetOrRefused();
    void plan_stopped_keepsTheBestOrIsCancelled();
    void plan_recordedDevice_isRefused();
    void plan_cpu_computesWhatEachModelDoes();
    void queue_ofPlans_isServedFaster();
};

void TestCoRun::plan_simulated_isFasterThanOneAfterAnother()
{
    const Opened on = open({"squeezenet", "sample"}, take(openSimulatedDevice("a100")));
    const CoRunPlans found = take(on.plan(kShort));
    const CoRunPlan &first = found.plans.front();
    QVERIFY(first.kind == CoRunKind::OneAfterAnother);
    const double sumUs = found.aloneUs(0) + found.aloneUs(1);
    QVERIFY(first.latencyUs() >= std::max(found.aloneUs(0), found.aloneUs(1)));
    QVERIFY2(std::abs(first.latencyUs() / sumUs - 1) < 0.05, qPrintable(QString::number(first.latencyUs() / sumUs)));
    std::array<bool, 4> kinds{};
    for (const CoRunPlan &plan : found.plans) {
        kinds[static_cast<std::size_t>(plan.kind)] = true;
        QVERIFY(verifyRunnable(*found.both.graph, plan.schedule).has_value());
        QVERIFY(std::max(plan.endsUs[0], plan.endsUs[1]) <= plan.latencyUs() * (1 + 1e-9));
        QVERIFY(std::min(plan.endsUs[0], plan.endsUs[1]) > 0);
        QVERIFY(found.plan().latencyUs() <= plan.latencyUs());
        if (plan.kind == CoRunKind::OneAfterAnother) // the first of the two ends as if it were alone
            QVERIFY(std::ranges::any_of(std::array<std::size_t, 2>{0, 1}, [&](std::size_t i) {
                return std::abs(plan.endsUs[i] / found.aloneUs(i) - 1) < 0.05;
            }));
    }
    QVERIFY(std::ranges::all_of(kinds, std::identity()));
    QVERIFY(found.plan().kind != CoRunKind::OneAfterAnother && found.plan().isOnFront);
    QVERIFY(found.overBoth.isProved);
    QVERIFY(verifySchedule(*found.both.graph, found.both.blocks, found.plan().schedule).has_value());
    QVERIFY(found.memory->use.livePeakBytes() > 0 && found.plan().parts);
}

void TestCoRun::plan_deadline_isMetOrRefused()
{
    const Opened on = open({"squeezenet", "squeezenet"}, take(openSimulatedDevice("a100")));
    CoRunRequest request = kShort;
    const CoRunPlans free = take(on.plan(request));
    request.deadline = CoRunDeadline{1, 1.2 * free.aloneUs(1)};
    const CoRunPlans found = take(on.plan(request));
    QVERIFY(found.plan().endsUs[1] <= request.deadline->us);
    for (const CoRunPlan &plan : found.plans)
        QVERIFY(plan.endsUs[1] > request.deadline->us || plan.endsUs[0] >= found.plan().endsUs[0]);
    request.deadline->us = 0.5 * free.aloneUs(1);
    const auto refused = on.plan(request);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::InvalidInput);
    QCOMPARE(refused.error().context, std::vector<std::string>{"squeezenet#2"});
    QVERIFY(refused.error().message.starts_with("no plan has its result within"));
    QVERIFY(refused.error().remedy.starts_with("Give it more time than it takes alone"));
}

void TestCoRun::plan_stopped_keepsTheBestOrIsCancelled()
{
    const Opened on = open({"squeezenet", "sample"}, take(openSimulatedDevice("a100")));
    std::stop_source stop;
    CoRunCallbacks callbacks;
    callbacks.stages = [&](std::int64_t, double) { stop.request_stop(); };
    const CoRunPlans kept =
        take(coRun(on.models, on.both, on.sessions(), on.device->info(), kShort, callbacks, stop.get_token()));
    QVERIFY(kept.isStopped && !kept.overBoth.isProved);
    QVERIFY(kept.plan().latencyUs() <= kept.plans.front().latencyUs());
    const auto cancelled = on.plan(kShort, stop.get_token());
    QVERIFY(!cancelled && cancelled.error().code == ErrorCode::Cancelled);
}

void TestCoRun::plan_recordedDevice_isRefused()
{
    const Opened on = open({"sample", "sample"}, take(openSimulatedDevice("a100")));
    DeviceInfo recorded = on.device->info();
    recorded.id = "rec:x";
    recorded.provenance = Provenance::Recorded;
    const auto refused = coRun(on.models, on.both, on.sessions(), recorded, kShort, {}, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::WrongUse);
    QVERIFY(refused.error().message.starts_with("rec:x has recorded stages of one model"));
}

void TestCoRun::plan_cpu_computesWhatEachModelDoes()
{
    const Opened on = openModels({moduleOf(8, 1), moduleOf(4, 2)}, makeCpuDevice());
    CoRunRequest request = kShort;
    request.rounds = 2;
    const CoRunPlans found = take(on.plan(request));
    QCOMPARE(found.rounds, 2);
    std::vector<HostTensor> inputs;
    std::vector<HostTensor> expected;
    for (std::size_t i = 0; i < kUnionModels; ++i) {
        const std::string &name = on.both.parts[i].name;
        const auto own = randomInputs(*on.models[i].graph, static_cast<unsigned>(i));
        for (HostTensor &output : take(runOn(*on.own[i], found.alone[i].schedule, own, {}))) {
            output.name = name + "/" + output.name;
            expected.push_back(std::move(output));
        }
        for (HostTensor input : own) {
            input.name = name + "/" + input.name;
            inputs.push_back(std::move(input));
        }
    }
    for (const CoRunPlan &plan : found.plans) {
        QVERIFY(plan.against && std::max(plan.endsUs[0], plan.endsUs[1]) <= plan.latencyUs() * (1 + 1e-9));
        const auto outputs = take(runOn(*on.session, plan.schedule, inputs, {}));
        QCOMPARE(outputs.size(), expected.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            QCOMPARE(outputs[i].name, expected[i].name);
            double worst = 0;
            double most = 0;
            for (std::size_t at = 0; at < outputs[i].values.size(); ++at) {
                worst = std::max(worst, std::abs(static_cast<double>(outputs[i].values[at]) - expected[i].values[at]));
                most = std::max(most, std::abs(static_cast<double>(expected[i].values[at])));
            }
            QVERIFY(most > 0);
            QVERIFY2(worst <= 1e-5 * most, qPrintable(QString::number(worst / most)));
        }
    }
}

void TestCoRun::queue_ofPlans_isServedFaster()
{
    const Opened on = open({"squeezenet", "squeezenet"}, take(openSimulatedDevice("a100")));
    const CoRunPlans found = take(on.plan(kShort));
    const double perSecond = 0.45e6 / found.aloneUs(0); // nine tenths of what the device can, one after another
    const QueueArrivals arrivals{.perSecond = {perSecond, perSecond}};
    const QueueAnswer before = queueOf(found, arrivals, false);
    const QueueAnswer after = queueOf(found, arrivals, true);
    QVERIFY(!before.isOverloaded && !after.isOverloaded);
    QVERIFY(after.models[0].p99Us < before.models[0].p99Us && after.models[1].p99Us < before.models[1].p99Us);
}

STAGECRAFT_SUITE(TestCoRun)

} // namespace tst_co_run
#include "tst_co_run.moc"
