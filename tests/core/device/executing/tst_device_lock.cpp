#include "device/executing/device_lock.h"
#include "device/executing/running_program.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace stagecraft;

namespace tst_device_lock {

namespace {

const std::string kHardware = "test-" + std::to_string(getpid());
const std::string kOther = kHardware + "-other";

bool isLocked(const std::filesystem::path &path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool isFree = file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0)
        close(file);
    return !isFree;
}

} // namespace

class TestDeviceLock : public QObject {
    Q_OBJECT

private slots:
    void cleanupTestCase();
    void turn_heldElsewhere_isWaitedFor();
    void holder_turnHeld_isItsProcess();
    void runningProgram_process_isNamedWithItsNumber();
    void turn_stopRequested_waitsNoLonger();
    void turn_noHardware_isAlwaysFree();
    void turn_takenAgainAtOnce_letsTheOtherIn();
    void turn_noFileInItsPlace_isNotWaitedFor_data();
    void turn_noFileInItsPlace_isNotWaitedFor();
    void turn_newFile_isWrittenByItsOwnerAlone();
};

void TestDeviceLock::cleanupTestCase()
{
    for (const std::string &hardware : {kHardware, kOther}) {
        std::filesystem::remove(DeviceLock::holderFile(hardware));
        std::filesystem::remove(DeviceLock::queueFile(hardware));
    }
}

void TestDeviceLock::turn_heldElsewhere_isWaitedFor()
{
    auto first = std::make_unique<DeviceLock>(kHardware, std::stop_token());
    QVERIFY(first->isHeld());
    std::atomic<bool> gotIt = false;
    std::jthread other([&](const std::stop_token &stop) {
        const DeviceLock turn(kHardware, stop);
        gotIt = turn.isHeld();
    });
    QTRY_VERIFY(isLocked(DeviceLock::queueFile(kHardware))); // it is next in line
    QVERIFY(!gotIt);
    QVERIFY(DeviceLock(kOther, {}).isHeld()); // other hardware is free
    first.reset();
    other.join();
    QVERIFY(gotIt);
}

void TestDeviceLock::holder_turnHeld_isItsProcess()
{
    QVERIFY(!DeviceLock::holder({}));
    {
        const DeviceLock turn(kHardware, {});
        QVERIFY(DeviceLock::holder(kHardware) == getpid());
        QVERIFY(!DeviceLock::holder(kOther));
    }
    QVERIFY(!DeviceLock::holder(kHardware));
}

void TestDeviceLock::runningProgram_process_isNamedWithItsNumber()
{
    const std::string mine = runningProgram(getpid());
    QVERIFY2(mine.find("tst_device_lock (process ") != std::string::npos, mine.c_str());
    QVERIFY2(mine.ends_with(" (process " + std::to_string(getpid()) + ")"), mine.c_str());
    QVERIFY(workingFor(getpid()) == getpid());
    QVERIFY(runningProgram(-1).empty() && !workingFor(-1));
}

void TestDeviceLock::turn_stopRequested_waitsNoLonger()
{
    const DeviceLock first(kHardware, {});
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!DeviceLock(kHardware, stop.get_token()).isHeld());
}

void TestDeviceLock::turn_noHardware_isAlwaysFree()
{
    const DeviceLock first({}, {});
    QVERIFY(first.isHeld() && DeviceLock({}, {}).isHeld());
}

// A search asks again within microseconds.
void TestDeviceLock::turn_takenAgainAtOnce_letsTheOtherIn()
{
    std::atomic<int> turns = 0;
    const std::jthread greedy([&](const std::stop_token &stop) {
        while (!stop.stop_requested()) {
            const DeviceLock turn(kHardware, stop);
            ++turns;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    QTRY_VERIFY(turns > 0);
    for (int i = 0; i < 5; ++i) {
        const int before = turns;
        QVERIFY(DeviceLock(kHardware, {}).isHeld());
        const int waited = turns - before;
        QVERIFY2(waited <= 4, qPrintable(QString::number(waited)));
    }
}

void TestDeviceLock::turn_noFileInItsPlace_isNotWaitedFor_data()
{
    QTest::addColumn<QString>("kind");
    for (const char *kind : {"dangling link", "link", "pipe", "folder"})
        QTest::newRow(kind) << kind;
}

void TestDeviceLock::turn_noFileInItsPlace_isNotWaitedFor()
{
    QFETCH(const QString, kind);
    const QTemporaryDir folder;
    const std::string target = folder.filePath("target").toStdString();
    const auto path = DeviceLock::holderFile(kOther);
    std::filesystem::remove(path);
    if (kind == "pipe")
        QCOMPARE(mkfifo(path.c_str(), 0600), 0);
    else if (kind == "folder")
        QVERIFY(std::filesystem::create_directory(path));
    else
        QCOMPARE(symlink(target.c_str(), path.c_str()), 0);
    if (kind == "link")
        std::ofstream(target) << "x";
    const bool can = DeviceLock::canBeTaken(kOther);
    const bool isHeld = DeviceLock(kOther, {}).isHeld(); // at once, without waiting
    const bool made = kind != "link" && std::filesystem::exists(target);
    std::filesystem::remove(path);
    QVERIFY(!can);
    QVERIFY(isHeld);
    QVERIFY2(!made, "a file was made where the link leads");
}

void TestDeviceLock::turn_newFile_isWrittenByItsOwnerAlone()
{
    for (const auto &path : {DeviceLock::holderFile(kOther), DeviceLock::queueFile(kOther)})
        std::filesystem::remove(path);
    const mode_t before = umask(077);
    const bool isHeld = DeviceLock(kOther, {}).isHeld();
    umask(before);
    QVERIFY(isHeld);
    struct stat status {};
    QCOMPARE(stat(DeviceLock::holderFile(kOther).c_str(), &status), 0);
    QCOMPARE(status.st_mode, mode_t(S_IFREG | 0644)); // others lock it too
}

STAGECRAFT_SUITE(TestDeviceLock)

} // namespace tst_device_lock
#include "tst_device_lock.moc"
