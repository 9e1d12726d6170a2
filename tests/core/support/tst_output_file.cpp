#include "support/output_file.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

using namespace stagecraft;

namespace tst_output_file {

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
}

void fill(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

mode_t modeOf(const QString &path)
{
    struct stat status {};
    return lstat(qPrintable(path), &status) == 0 ? status.st_mode : 0;
}

// Everything in the folder, including hidden files.
QStringList namesIn(const QTemporaryDir &folder)
{
    return QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
}

Result<void> writeTo(const QString &path, const char *text = "new")
{
    return writeFile(path.toStdString(), text);
}

} // namespace

class TestOutputFile : public QObject {
    Q_OBJECT

private slots:
    void writeFile_newFile_hasTheModeOfTheUmask();
    void writeFile_oldFile_keepsItsMode_data();
    void writeFile_oldFile_keepsItsMode();
    void writeFile_readOnlyFile_isRefused();
    void writeFile_link_writesWhatItNames_data();
    void writeFile_link_writesWhatItNames();
    void writeFile_linkOfAnotherUser_isRefused();
    void writeFile_pipe_isWrittenAndStays();
    void writeFile_device_isWrittenAndStays();
    void writeFile_folder_isRefused_data();
    void writeFile_folder_isRefused();
    void writeFile_standardOutput_isWritten_data();
    void writeFile_standardOutput_isWritten();
    void writeFile_noRoom_leavesTheOldFileAlone();
    void create_notPublished_leavesNothing();
    void create_unfinished_isSeenByNobody();
    void refuseOverwriting_sameFile_namesIt();
};

void TestOutputFile::writeFile_newFile_hasTheModeOfTheUmask()
{
    QTemporaryDir folder;
    const mode_t before = umask(027);
    const auto written = writeTo(folder.filePath("a"));
    umask(before);
    QVERIFY(written);
    QCOMPARE(contentOf(folder.filePath("a")), QByteArray("new"));
    QCOMPARE(modeOf(folder.filePath("a")), mode_t(S_IFREG | 0640));
    QCOMPARE(namesIn(folder), QStringList{"a"});
}

void TestOutputFile::writeFile_oldFile_keepsItsMode_data()
{
    QTest::addColumn<uint>("mode");
    QTest::newRow("secret") << 0600U;
    QTest::newRow("of a group") << 0664U;
    QTest::newRow("program") << 0755U;
}

void TestOutputFile::writeFile_oldFile_keepsItsMode()
{
    QFETCH(const uint, mode);
    QTemporaryDir folder;
    const QString path = folder.filePath("a");
    fill(path, "a much longer old content");
    QCOMPARE(chmod(qPrintable(path), mode), 0);
    QVERIFY(writeTo(path));
    QCOMPARE(contentOf(path), QByteArray("new"));
    QCOMPARE(modeOf(path), mode_t(S_IFREG | mode));
    QCOMPARE(namesIn(folder), QStringList{"a"});
}

void TestOutputFile::writeFile_readOnlyFile_isRefused()
{
    if (geteuid() == 0)
        QSKIP("nothing is read-only for root");
    QTemporaryDir folder;
    const QString path = folder.filePath("a");
    fill(path, "old");
    QCOMPARE(chmod(qPrintable(path), 0400), 0);
    const auto written = writeTo(path);
    QVERIFY(!written && written.error().message.find("Permission denied") != std::string::npos);
    QCOMPARE(contentOf(path), QByteArray("old"));
}

void TestOutputFile::writeFile_link_writesWhatItNames_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<bool>("exists");
    QTest::newRow("relative") << "below/real" << true;
    QTest::newRow("absolute") << "/below/real" << true;
    QTest::newRow("dangling") << "below/real" << false;
    QTest::newRow("dangling, absolute") << "/below/real" << false;
}

void TestOutputFile::writeFile_link_writesWhatItNames()
{
    QFETCH(const QString, target);
    QFETCH(const bool, exists);
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("below"));
    const QString real = folder.filePath("below/real");
    const QString named = target.startsWith('/') ? folder.path() + target : target;
    QCOMPARE(symlink(qPrintable(named), qPrintable(folder.filePath("middle"))), 0);
    QCOMPARE(symlink("middle", qPrintable(folder.filePath("link"))), 0);
    if (exists)
        fill(real, "old");
    QVERIFY(writeTo(folder.filePath("link")));
    QCOMPARE(contentOf(real), QByteArray("new"));
    QVERIFY(S_ISLNK(modeOf(folder.filePath("link"))) && S_ISLNK(modeOf(folder.filePath("middle"))));
    QCOMPARE(namesIn(folder), (QStringList{"below", "link", "middle"}));
    QCOMPARE(QDir(folder.filePath("below")).entryList(QDir::Files | QDir::Hidden), QStringList{"real"});
}

void TestOutputFile::writeFile_linkOfAnotherUser_isRefused()
{
    if (geteuid() != 0)
        QSKIP("only root can place a link as somebody else");
    QTemporaryDir folder;
    const QString shared = folder.filePath("shared");
    QVERIFY(QDir().mkdir(shared));
    QCOMPARE(chmod(qPrintable(shared), 01777), 0);
    const QString link = shared + "/out";
    const QString victim = folder.filePath("victim");
    fill(victim, "old");
    QCOMPARE(symlink(qPrintable(victim), qPrintable(link)), 0);
    QCOMPARE(lchown(qPrintable(link), 12345, 12345), 0);
    const auto written = writeTo(link);
    QVERIFY(!written && written.error().message.find("link of another user") != std::string::npos);
    QCOMPARE(contentOf(victim), QByteArray("old"));
}

void TestOutputFile::writeFile_pipe_isWrittenAndStays()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("pipe");
    QCOMPARE(mkfifo(qPrintable(path), 0600), 0);
    const int reader = open(qPrintable(path), O_RDONLY | O_NONBLOCK);
    QVERIFY(writeTo(path));
    char bytes[16];
    QCOMPARE(read(reader, bytes, sizeof bytes), ssize_t(3));
    close(reader);
    QVERIFY(S_ISFIFO(modeOf(path)));
    QCOMPARE(namesIn(folder), QStringList{"pipe"});
}

void TestOutputFile::writeFile_device_isWrittenAndStays()
{
    QTemporaryDir folder; // if it were replaced, only this link would be lost, not the machine's device
    QCOMPARE(symlink("/dev/null", qPrintable(folder.filePath("nothing"))), 0);
    QVERIFY(writeTo(folder.filePath("nothing")));
    QVERIFY(S_ISLNK(modeOf(folder.filePath("nothing"))));
    QVERIFY(S_ISCHR(modeOf("/dev/null")));
    QCOMPARE(symlink("/dev/full", qPrintable(folder.filePath("full"))), 0);
    const auto written = writeTo(folder.filePath("full"));
    QVERIFY(!written && written.error().message.find("No space left") != std::string::npos);
}

void TestOutputFile::writeFile_folder_isRefused_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("reason");
    QTest::newRow("folder") << "."
                            << "this is a folder";
    QTest::newRow("new folder") << "b/"
                                << "this is a folder";
    QTest::newRow("missing folder") << "none/a"
                                    << "No such file or directory";
    QTest::newRow("file as folder") << "file/a"
                                    << "Not a directory";
    QTest::newRow("circle of links") << "circle"
                                     << "cycle";
}

void TestOutputFile::writeFile_folder_isRefused()
{
    QFETCH(const QString, name);
    QFETCH(const QString, reason);
    QTemporaryDir folder;
    fill(folder.filePath("file"), "old");
    QCOMPARE(symlink("circle", qPrintable(folder.filePath("circle"))), 0);
    const auto written = writeFile((folder.path() + "/" + name).toStdString(), "new");
    QVERIFY(!written);
    QVERIFY2(QString::fromStdString(written.error().message).contains(reason), written.error().message.c_str());
    QVERIFY(written.error().context.front().find(name.toStdString()) != std::string::npos);
    QCOMPARE(namesIn(folder), (QStringList{"circle", "file"}));
}

void TestOutputFile::writeFile_standardOutput_isWritten_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("dash") << "-";
    QTest::newRow("device") << "/dev/stdout";
    QTest::newRow("descriptor") << "/proc/self/fd/1";
}

void TestOutputFile::writeFile_standardOutput_isWritten()
{
    QFETCH(const QString, path);
    QTemporaryDir folder;
    const QString file = folder.filePath("out");
    const int before = dup(STDOUT_FILENO);
    const int out = open(qPrintable(file), O_WRONLY | O_CREAT, 0600);
    QVERIFY(write(out, "first ", 6) == 6);
    dup2(out, STDOUT_FILENO);
    const auto written = writeTo(path);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(out);
    QVERIFY(written);
    QCOMPARE(contentOf(file), QByteArray("first new"));
    QVERIFY(!QFile::exists("-"));
    QCOMPARE(namesIn(folder), QStringList{"out"});
}

void TestOutputFile::writeFile_noRoom_leavesTheOldFileAlone()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("a");
    fill(path, "old");
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{1000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const auto old = std::signal(SIGXFSZ, SIG_IGN);
    const auto written = writeFile(path.toStdString(), std::string(4000, 'x'));
    std::signal(SIGXFSZ, old);
    setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY(!written && written.error().message.find("File too large") != std::string::npos);
    QCOMPARE(contentOf(path), QByteArray("old"));
    QCOMPARE(namesIn(folder), QStringList{"a"});
}

void TestOutputFile::create_notPublished_leavesNothing()
{
    QTemporaryDir folder;
    fill(folder.filePath("a"), "old");
    {
        auto file = OutputFile::create(folder.filePath("a").toStdString());
        QVERIFY(file && file->write("new"));
    }
    QCOMPARE(contentOf(folder.filePath("a")), QByteArray("old"));
    QCOMPARE(namesIn(folder), QStringList{"a"});
}

void TestOutputFile::create_unfinished_isSeenByNobody()
{
    QTemporaryDir folder;
    fill(folder.filePath("a"), "old");
    QCOMPARE(chmod(qPrintable(folder.filePath("a")), 0640), 0);
    auto file = OutputFile::create(folder.filePath("a").toStdString());
    QVERIFY(file && file->write("new"));
    struct stat status {};
    QCOMPARE(fstat(file->descriptor(), &status), 0);
    QCOMPARE(status.st_mode & 0777U, mode_t(0600));
    QCOMPARE(contentOf(folder.filePath("a")), QByteArray("old"));
    QVERIFY(file->publish());
    QCOMPARE(contentOf(folder.filePath("a")), QByteArray("new"));
    QCOMPARE(modeOf(folder.filePath("a")), mode_t(S_IFREG | 0640));
}

void TestOutputFile::refuseOverwriting_sameFile_namesIt()
{
    QTemporaryDir folder;
    const std::string a = folder.filePath("a").toStdString();
    fill(folder.filePath("a"), "old");
    fill(folder.filePath("b"), "old");
    QCOMPARE(link(a.c_str(), qPrintable(folder.filePath("hard"))), 0);
    QCOMPARE(symlink("a", qPrintable(folder.filePath("soft"))), 0);
    for (const char *same : {"a", "hard", "soft", "./a"}) {
        const auto refused = refuseOverwriting(folder.path().toStdString() + "/" + same, a);
        QVERIFY2(!refused && refused.error().message.find(a) != std::string::npos, same);
        QCOMPARE(refused.error().code, ErrorCode::WrongUse);
    }
    QVERIFY(refuseOverwriting(folder.filePath("b").toStdString(), a));
    QVERIFY(refuseOverwriting(folder.filePath("none").toStdString(), a));
    QVERIFY(refuseOverwriting("/dev/null", "/dev/null"));
}

STAGECRAFT_SUITE(TestOutputFile)

} // namespace tst_output_file
#include "tst_output_file.moc"
