// Making a schedule on a busy device: a stopped search returns at once.

#include "flow/find_schedule.h"
#include "support/opened_model.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_find_schedule {

namespace {

// Another program holds the device: measuring a whole schedule waits until it is told to stop.
class Busy : public DeviceSession {
public:
    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        if (++m_asked == 60)
            m_stop.request_stop();
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        const double us = 3.0 + static_cast<double>(question.stage.operatorCount());
        return StageLatency{Timing::ofLatency(us)};
    }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override
    {
        return fail(ErrorCode::DeviceFailed, "stages are measured first");
    }
    Result<ScheduleMeasurement> measureSchedule(const Schedule &, std::stop_token stop) override
    {
        waitedForEver = waitedForEver || !stop.stop_requested();
        return fail(ErrorCode::Cancelled, "stopped while it waited for its turn");
    }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override
    {
        return fail(ErrorCode::DeviceFailed, "no timeline is asked for");
    }
    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

    bool waitedForEver = false;

private:
    std::stop_source m_stop;
    int m_asked = 0;
};

} // namespace

class TestFindSchedule : public QObject {
    Q_OBJECT

private slots:
    void makeSchedule_stoppedSearch_keepsWhatItKnowsWithoutMeasuring()
    {
        const auto model = openedModel("squeezenet");
        QVERIFY(model);
        Busy session;
        DeviceInfo device;
        device.id = "busy";
        device.provenance = Provenance::Measured;
        const auto made = findSchedule(*model, session, device, {ScheduleKind::IosBoth}, {}, session.token());
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        QVERIFY(!session.waitedForEver);
        const TimedSchedule &schedule = made->schedule;
        QVERIFY(schedule.search.termination == Termination::Cancelled);
        QCOMPARE(*schedule.latencyUs(), schedule.search.sumUs);
        QVERIFY(schedule.measured.isSumOfStages());
        QCOMPARE(schedule.context.device, std::string("busy"));
        QVERIFY(schedule.measured.provenance == Provenance::Measured);
    }
};

STAGECRAFT_SUITE(TestFindSchedule)

} // namespace tst_find_schedule
#include "tst_find_schedule.moc"
