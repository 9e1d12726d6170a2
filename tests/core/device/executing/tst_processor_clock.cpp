#include "device/executing/processor_clock.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;

namespace tst_processor_clock {

namespace {

void write(const QString &path, const QByteArray &content)
{
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

QByteArray cpuinfo(const QByteArray &flags)
{
    return "processor\t: 0\nmodel name\t: X @ 2.60GHz\ncpu MHz\t\t: 2596.118\nflags\t\t: fpu " + flags +
           " avx2\n\nprocessor\t: 13\nmodel name\t: X @ 2.60GHz\ncpu MHz\t\t: 3387.714\nflags\t\t: fpu " + flags +
           " avx2\n";
}

} // namespace

class TestProcessorClock : public QObject {
    Q_OBJECT

private slots:
    void processorClock_machine_tellsOnlyARealClock_data();
    void processorClock_machine_tellsOnlyARealClock();
};

void TestProcessorClock::processorClock_machine_tellsOnlyARealClock_data()
{
    QTest::addColumn<QByteArray>("frequency"); // scaling_cur_freq of processor 13; empty: no file
    QTest::addColumn<QByteArray>("cpuinfo");
    QTest::addColumn<int>("processor");
    QTest::addColumn<int>("mhz");
    QTest::newRow("governed") << QByteArray("3400100\n") << cpuinfo("aperfmperf") << 13 << 3400;
    QTest::newRow("governed, nominal elsewhere") << QByteArray("1799999\n") << cpuinfo("sse2") << 13 << 1800;
    QTest::newRow("counted") << QByteArray() << cpuinfo("aperfmperf") << 13 << 3388;
    QTest::newRow("counted, the first") << QByteArray("3400100\n") << cpuinfo("aperfmperf") << 0 << 2596;
    QTest::newRow("virtual machine, nominal") << QByteArray() << cpuinfo("hypervisor") << 13 << 0;
    QTest::newRow("another flag") << QByteArray() << cpuinfo("noaperfmperf") << 13 << 0;
    QTest::newRow("not this processor") << QByteArray() << cpuinfo("aperfmperf") << 1 << 0;
    QTest::newRow("unreadable") << QByteArray("<unknown>\n") << cpuinfo("sse2") << 13 << 0;
    QTest::newRow("nothing") << QByteArray() << QByteArray() << 0 << 0;
}

void TestProcessorClock::processorClock_machine_tellsOnlyARealClock()
{
    QFETCH(const QByteArray, frequency);
    QFETCH(const QByteArray, cpuinfo);
    QFETCH(const int, processor);
    QFETCH(const int, mhz);
    const QTemporaryDir root;
    if (!frequency.isEmpty())
        write(root.filePath("sys/devices/system/cpu/cpu13/cpufreq/scaling_cur_freq"), frequency);
    write(root.filePath("proc/cpuinfo"), cpuinfo);
    const ClockRates clocks = processorClock(processor, root.path().toStdString());
    QCOMPARE(clocks.coreMhz, mhz);
    QCOMPARE(clocks.memoryMhz, 0);
}

STAGECRAFT_SUITE(TestProcessorClock)

} // namespace tst_processor_clock
#include "tst_processor_clock.moc"
