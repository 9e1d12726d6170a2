// Which devices count as the same: those that share stored latencies, wherever they are.

#include "support/suite.h"
#include "timing/device_id.h"
#include "timing/run_context.h"

#include <QTest>

using namespace stagecraft;

namespace tst_run_context {

namespace {

constexpr const char *kFingerprint = "gpu;GPU=H100;driver=570;";

}

class TestRunContext : public QObject {
    Q_OBJECT

private slots:
    void storedDeviceId_ofAnyMachine_isItsOwnWithoutNumber_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("stored");
        QTest::newRow("cpu") << "cpu"
                             << "cpu";
        QTest::newRow("cpu elsewhere") << "ssh:me@gpu1:2222/cpu"
                                       << "cpu";
        QTest::newRow("GPU") << "gpu:1"
                             << "gpu:0";
        QTest::newRow("GPU with options") << "slurm:gpu:time=30/gpu:13:tf32:streams"
                                          << "gpu:0:tf32:streams";
        QTest::newRow("PyTorch") << "ssh:gpu1/pytorch:cuda:2:channels-last"
                                 << "pytorch:cuda:0:channels-last";
        QTest::newRow("threads of PyTorch") << "pytorch:cpu:4"
                                            << "pytorch:cpu:4";
        QTest::newRow("simulated") << "sim:v100"
                                   << "sim:v100";
        QTest::newRow("no number") << "gpu:x"
                                   << "gpu:x";
        QTest::newRow("profile") << "gpu:1 (profile)"
                                 << "gpu:1 (profile)";
    }

    void storedDeviceId_ofAnyMachine_isItsOwnWithoutNumber()
    {
        QFETCH(const QString, id);
        QTEST(QString::fromStdString(storedDeviceId(id.toStdString())), "stored");
    }

    void isOnSameDevice_equalOnes_areTheSame_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("version");
        QTest::addColumn<bool>("isSame"); // as gpu:0
        QTest::newRow("itself") << "gpu:0" << kFingerprint << true;
        QTest::newRow("another number") << "gpu:1" << kFingerprint << true;
        QTest::newRow("another machine") << "ssh:gpu1/gpu:3" << kFingerprint << true;
        QTest::newRow("another driver") << "gpu:0"
                                        << "gpu;GPU=H100;driver=580;" << false;
        QTest::newRow("not known what") << "gpu:0"
                                        << "" << false;
        QTest::newRow("another option") << "gpu:0:tf32" << kFingerprint << false;
        QTest::newRow("another kind") << "cpu" << kFingerprint << false;
    }

    void isOnSameDevice_equalOnes_areTheSame()
    {
        QFETCH(const QString, device);
        QFETCH(const QString, version);
        RunContext context;
        context.device = "gpu:0";
        context.deviceVersion = kFingerprint;
        RunContext other = context;
        other.device = device.toStdString();
        other.deviceVersion = version.toStdString();
        QTEST(other.isOnSameDevice(context), "isSame");
        QTEST(other == context, "isSame");
        other.batch = 8;
        QVERIFY(!(other == context));
    }

    void isOnSameDevice_withoutFingerprint_onlyThatOfTheSameId_data()
    {
        QTest::addColumn<QString>("version");
        QTest::newRow("none") << "";
        QTest::newRow("less than a fingerprint") << "driver 570";
    }

    void isOnSameDevice_withoutFingerprint_onlyThatOfTheSameId()
    {
        QFETCH(const QString, version);
        RunContext context;
        context.device = "gpu:0";
        context.deviceVersion = version.toStdString();
        RunContext other = context;
        QVERIFY(other == context);
        other.device = "gpu:1";
        QVERIFY(!(other == context));
    }
};

STAGECRAFT_SUITE(TestRunContext)

} // namespace tst_run_context
#include "tst_run_context.moc"
