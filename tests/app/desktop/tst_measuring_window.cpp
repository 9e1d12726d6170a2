// What a window asks of a measuring device: one session for everything it does, and no stage twice.

#include "app/desktop/noisy_device.h"
#include "app/desktop/window_test.h"
#include "desktop/dialogs/stated_dialog.h"
#include "desktop/frame/panels.h"
#include "schedule/stage_signature.h"
#include "support/blocking_calls.h"
#include "support/suite.h"
#include "support/text_file.h"
#include "widgets/study/pruning_view.h"

#include <QFile>
#include <QLineEdit>
#include <QPushButton>

#include <atomic>
#include <map>
#include <mutex>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_measuring_window {

namespace {

struct Asked {
    std::atomic<int> sessions = 0;
    std::mutex mutex; // protects stages
    std::map<StageSignature, int> stages;
};

class CountedSession : public NoisySession {
public:
    CountedSession(std::unique_ptr<DeviceSession> inner, std::shared_ptr<const Graph> graph,
                   std::shared_ptr<Asked> asked)
        : NoisySession(std::move(inner), {}), m_graph(std::move(graph)), m_signer(*m_graph), m_asked(std::move(asked))
    {
        ++m_asked->sessions;
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        auto latency = NoisySession::stageLatency(question, stop);
        if (latency)
            latency->kind = LatencyKind::Measured;
        const std::scoped_lock lock(m_asked->mutex);
        ++m_asked->stages[m_signer.sign(question.stage)];
        return latency;
    }

private:
    std::shared_ptr<const Graph> m_graph;
    StageSigner m_signer;
    std::shared_ptr<Asked> m_asked;
};

class CountedDevice : public Device {
public:
    CountedDevice(std::unique_ptr<Device> inner, std::shared_ptr<Asked> asked)
        : m_inner(std::move(inner)), m_asked(std::move(asked))
    {
    }

    DeviceInfo info() const override { return asMeasuring(m_inner->info()); }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        TRY_AS(auto session, m_inner->open(graph));
        return std::make_unique<CountedSession>(std::move(session), std::move(graph), m_asked);
    }

private:
    std::unique_ptr<Device> m_inner;
    std::shared_ptr<Asked> m_asked;
};

// As ONNX Runtime does.
class WholesOnly : public NoisySession {
public:
    explicit WholesOnly(std::unique_ptr<DeviceSession> inner) : NoisySession(std::move(inner), {}) {}

    bool measuresStages() const override { return false; }
    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        if (question.stage.operatorCount() > 1)
            return fail(ErrorCode::WrongUse, "no stage by itself");
        return NoisySession::stageLatency(question, stop);
    }
};

class WholesOnlyDevice : public Device {
public:
    DeviceInfo info() const override { return asMeasuring(m_inner->info()); }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        TRY_AS(auto session, m_inner->open(std::move(graph)));
        return std::make_unique<WholesOnly>(std::move(session));
    }

private:
    std::unique_ptr<Device> m_inner = findDevice("sim:v100").value();
};

Services countedEngine(const std::shared_ptr<Asked> &asked)
{
    Services services = noisyEngine();
    services.findDevice = [asked](const std::string &id) -> Result<std::unique_ptr<Device>> {
        TRY_AS(auto device, findDevice(id));
        return std::make_unique<CountedDevice>(std::move(device), asked);
    };
    return services;
}

} // namespace

class TestMeasuringWindow : public WindowTest {
    Q_OBJECT

private slots:
    void everythingOnADevice_isOneSession_andNoStageTwice()
    {
        const auto asked = std::make_shared<Asked>();
        TestedWindow window(countedEngine(asked));
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, QStringLiteral("sample")); // with its baselines
        window.startSearch();
        QTRY_VERIFY(window.isSettled() && scheduleOf(window, ScheduleKind::IosBoth));
        const ResultId found = window.document()->results()->newest(ScheduleKind::IosBoth);
        QVERIFY(window.document()->results()->timelineOf(found));
        window.measureAgain(found);
        window.panels()->show(window.pruning());
        QTest::mouseClick(window.pruning()->findChild<QPushButton *>(QStringLiteral("go")), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 60'000);
        QCOMPARE(asked->sessions.load(), 1);
        QVERIFY2(asked->stages.size() > 10, qPrintable(QString::number(asked->stages.size())));
        for (const auto &[signature, times] : asked->stages)
            QCOMPARE(times, 1);
    }

    void deviceOfWholes_hasNoLatenciesOfStages_andRefusesIos()
    {
        Services services = noisyEngine();
        services.findDevice = [](const std::string &) -> Result<std::unique_ptr<Device>> {
            return std::make_unique<WholesOnlyDevice>();
        };
        TestedWindow window(services);
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        QTRY_VERIFY(window.isSettled() && scheduleOf(window, ScheduleKind::Greedy));
        const SchedulePtr greedy = scheduleOf(window, ScheduleKind::Greedy);
        QVERIFY(greedy->latencyUs() && greedy->measured.stages.empty());
        window.startSearch();
        QTRY_VERIFY2(window.messages()->text().contains(QStringLiteral("this device measures whole schedules")),
                     qPrintable(window.messages()->text()));
        QTRY_VERIFY(window.isSettled());
        QVERIFY(!scheduleOf(window, ScheduleKind::IosBoth));
        const auto edited = window.document()->editor()->edit(
            window.document()->results()->newest(ScheduleKind::Greedy), SplitStage{0, greedy->stages[0].groups[0]});
        QVERIFY(edited);
        const auto &shelf = window.document()->results()->shelf();
        QTRY_VERIFY(window.isSettled() && shelf.find(*edited)->schedule->latencyUs());
        QVERIFY(shelf.find(*edited)->schedule->measured.stages.empty());
    }

    // Neither to open a model nor to search, measure or draw.
    void uiThread_waitsForNoFileStoreOrDevice()
    {
        Services services = countedEngine(std::make_shared<Asked>());
        services.latencyStore = m_folder.filePath(QStringLiteral("store.sqlite")).toStdString();
        const QString deviceFile = m_folder.filePath(QStringLiteral("mine.json"));
        const QString picture = m_folder.filePath(QStringLiteral("window.png"));
        const QString latency = m_folder.filePath(QStringLiteral("today.txt"));
        QVERIFY(writeTextFile(latency.toStdString(), "3.9 ms"));
        countBlockingCalls();
        const std::int64_t before = blockingCalls();
        TestedWindow window(services);
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        window.startSearch();
        QTRY_VERIFY(window.isSettled() && scheduleOf(window, ScheduleKind::IosBoth));
        QVERIFY(chooseAndWait(window, QStringLiteral("sim:k80*sm_count=10")));
        QTRY_VERIFY(window.isSettled());
        window.whatIf()->save(deviceFile);
        QTRY_VERIFY(window.isSettled());
        QVERIFY(chooseAndWait(window, QStringLiteral("sim:%1").arg(deviceFile)));
        QTRY_VERIFY(window.isSettled());
        window.findChild<ExportArea *>()->savePicture(picture);
        QTRY_VERIFY(window.isSettled() && QFile::exists(picture));
        StatedDialog stated(&window);
        stated.readFile(latency);
        QTRY_VERIFY(!stated.isReading());
        QCOMPARE(stated.findChildren<QLineEdit *>().back()->text(), QStringLiteral("3900 us"));
        QCOMPARE(blockingCalls(), before);
    }
};

STAGECRAFT_SUITE(TestMeasuringWindow)

} // namespace tst_measuring_window
#include "tst_measuring_window.moc"
