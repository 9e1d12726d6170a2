#include "device/forwarding_session.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_forwarding_session {

namespace {

// Answers nothing as a session without answers of its own would.
class Odd : public DeviceSession, public Executor, public WorkspaceSource {
public:
    Result<StageLatency> stageLatency(const StageQuestion &, std::stop_token) override
    {
        return StageLatency{{1, 1}, LatencyKind::Recorded};
    }
    Result<StageLatency> measureStage(const Stage &, std::stop_token) override
    {
        return StageLatency{{2, 2}, LatencyKind::Recorded};
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &, std::stop_token) override
    {
        return ScheduleMeasurement{{}, {}, 3};
    }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override
    {
        return ScheduleLatency{{4, 4}, MeasuredHow::SumOfStages};
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override
    {
        Timeline timeline;
        timeline.durationNs = 5;
        return timeline;
    }
    Result<std::vector<HostTensor>> run(const Schedule &, std::vector<HostTensor> inputs, std::stop_token) override
    {
        return inputs;
    }
    Result<std::vector<std::size_t>> workspaceBytes(const Stage &, std::stop_token) override
    {
        return std::vector<std::size_t>{6};
    }
    BoundaryCost boundaryCost() const override { return {7, 8}; }
    bool isTable() const override { return true; }
    bool isNoisy() const override { return true; }
    bool chainsAddUp() const override { return true; }
    double lowerBoundUs(const Stage &) const override { return 9; }
    std::vector<double> sharesUs(OperatorId) const override { return {10}; }
    Executor *executor() override { return executes ? this : nullptr; }
    WorkspaceSource *workspace() override { return executes ? this : nullptr; }

    bool executes = true;
};

} // namespace

class TestForwardingSession : public QObject {
    Q_OBJECT

private slots:
    void everyQuestion_isAnsweredByTheOther();
    void whatTheOtherLacks_isLacking();
};

void TestForwardingSession::everyQuestion_isAnsweredByTheOther()
{
    ForwardingSession session(std::make_unique<Odd>());
    const Stage stage;
    QCOMPARE(take(session.stageLatency(stage, {})).timing.latencyUs, 1.0);
    QCOMPARE(take(session.measureStage(stage, {})).timing.latencyUs, 2.0);
    QCOMPARE(take(session.measureSchedule({}, {})).boundariesUs, 3.0);
    QCOMPARE(take(session.measureWhole({}, {})).timing.latencyUs, 4.0);
    QCOMPARE(take(session.timeline({}, {})).durationNs, std::int64_t{5});
    QCOMPARE(take(session.executor()->run({}, {HostTensor{"x", {}, {}}}, {})).size(), std::size_t{1});
    QCOMPARE(take(session.workspace()->workspaceBytes(stage, {})), std::vector<std::size_t>{6});
    QCOMPARE(session.boundaryCost().barrierUs, 7.0);
    QCOMPARE(session.boundaryCost().chainUs, 8.0);
    QVERIFY(session.isTable() && session.isNoisy() && session.chainsAddUp());
    QCOMPARE(session.lowerBoundUs(stage), 9.0);
    QCOMPARE(session.sharesUs(OperatorId{0}), std::vector<double>{10});
}

void TestForwardingSession::whatTheOtherLacks_isLacking()
{
    auto other = std::make_unique<Odd>();
    other->executes = false;
    ForwardingSession session(std::move(other));
    QVERIFY(!session.executor() && !session.workspace() && !session.hardware() && !session.disturbed());
}

STAGECRAFT_SUITE(TestForwardingSession)

} // namespace tst_forwarding_session
#include "tst_forwarding_session.moc"
