#include "device/device_turn.h"

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

class TestDeviceTurn : public QObject {
    Q_OBJECT

private slots:
    void cleanupTestCase();
    void turn_heldElsewhere_isWaitedFor();
    void turn_stopRequested_waitsNoLonger();
    void turn_noHardware_isAlwaysFree();
    void turn_takenAgainAtOnce_letsTheOtherIn();
    void turn_noFileInItsPlace_isNotWaitedFor_data();
    void turn_noFileInItsPlace_isNotWaitedFor();
    void turn_newFile_isWrittenByItsOwnerAlone();
};

void TestDeviceTurn::cleanupTestCase()
{
    for (const std::string &hardware : {kHardware, kOther}) {
        std::filesystem::remove(DeviceTurn::turnFile(hardware));
        std::filesystem::remove(DeviceTurn::queueFile(hardware));
    }
}

void TestDeviceTurn::turn_heldElsewhere_isWaitedFor()
{
    auto first = std::make_unique<DeviceTurn>(kHardware, std::stop_token());
    QVERIFY(first->isMine());
    std::atomic<bool> gotIt = false;
    std::jthread other([&](const std::stop_token &stop) {
        const DeviceTurn turn(kHardware, stop);
        gotIt = turn.isMine();
    });
    QTRY_VERIFY(isLocked(DeviceTurn::queueFile(kHardware))); // it is the next one
    QVERIFY(!gotIt);
    QVERIFY(DeviceTurn(kOther, {}).isMine()); // other hardware is free
    first.reset();
    other.join();
    QVERIFY(gotIt);
}

void TestDeviceTurn::turn_stopRequested_waitsNoLonger()
{
    const DeviceTurn first(kHardware, {});
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!DeviceTurn(kHardware, stop.get_token()).isMine());
}

void TestDeviceTurn::turn_noHardware_isAlwaysFree()
{
    const DeviceTurn first({}, {});
    QVERIFY(first.isMine() && DeviceTurn({}, {}).isMine());
}

// A search does nothing but: its next request follows within microseconds.
void TestDeviceTurn::turn_takenAgainAtOnce_letsTheOtherIn()
{
    std::atomic<int> turns = 0;
    const std::jthread greedy([&](const std::stop_token &stop) {
        while (!stop.stop_requested()) {
            const DeviceTurn turn(kHardware, stop);
            ++turns;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    QTRY_VERIFY(turns > 0);
    for (int i = 0; i < 5; ++i) {
        const int before = turns;
        QVERIFY(DeviceTurn(kHardware, {}).isMine());
        const int waited = turns - before;
        QVERIFY2(waited <= 4, qPrintable(QString::number(waited)));
    }
}

void TestDeviceTurn::turn_noFileInItsPlace_isNotWaitedFor_data()
{
    QTest::addColumn<QString>("kind");
    for (const char *kind : {"dangling link", "link", "pipe", "folder"})
        QTest::newRow(kind) << kind;
}

void TestDeviceTurn::turn_noFileInItsPlace_isNotWaitedFor()
{
    QFETCH(const QString, kind);
    const QTemporaryDir folder;
    const std::string target = folder.filePath("target").toStdString();
    const auto path = DeviceTurn::turnFile(kOther);
    std::filesystem::remove(path);
    if (kind == "pipe")
        QCOMPARE(mkfifo(path.c_str(), 0600), 0);
    else if (kind == "folder")
        QVERIFY(std::filesystem::create_directory(path));
    else
        QCOMPARE(symlink(target.c_str(), path.c_str()), 0);
    if (kind == "link")
        std::ofstream(target) << "x";
    const bool can = DeviceTurn::canBeTaken(kOther);
    const bool isMine = DeviceTurn(kOther, {}).isMine(); // at once: nobody is waited for
    const bool made = kind != "link" && std::filesystem::exists(target);
    std::filesystem::remove(path);
    QVERIFY(!can);
    QVERIFY(isMine);
    QVERIFY2(!made, "a file was made where the link leads");
}

void TestDeviceTurn::turn_newFile_isWrittenByItsOwnerAlone()
{
    for (const auto &path : {DeviceTurn::turnFile(kOther), DeviceTurn::queueFile(kOther)})
        std::filesystem::remove(path);
    const mode_t before = umask(077);
    const bool isMine = DeviceTurn(kOther, {}).isMine();
    umask(before);
    QVERIFY(isMine);
    struct stat status {};
    QCOMPARE(stat(DeviceTurn::turnFile(kOther).c_str(), &status), 0);
    QCOMPARE(status.st_mode, mode_t(S_IFREG | 0644)); // others lock it too
}

QTEST_GUILESS_MAIN(TestDeviceTurn)
#include "tst_device_turn.moc"
