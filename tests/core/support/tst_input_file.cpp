#include "support/input_file.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace stagecraft;

namespace tst_input_file {

class TestInputFile : public QObject {
    Q_OBJECT

private slots:
    void readInputFile_whatNeverEnds_isRefused_data();
    void readInputFile_whatNeverEnds_isRefused();
    void readInputFile_size_isLimited_data();
    void readInputFile_size_isLimited();
    void readInputFile_pipe_isReadWhereAllowed();
    void readInputFile_endlessPipe_isRefused();
};

void TestInputFile::readInputFile_whatNeverEnds_isRefused_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("reason");
    QTest::newRow("zeros") << "/dev/zero"
                           << "this is not a regular file";
    QTest::newRow("noise") << "/dev/urandom"
                           << "this is not a regular file";
    QTest::newRow("folder") << "/"
                            << "this is a folder, not a file";
    QTest::newRow("missing") << "/none/at/all"
                             << "there is no such file";
    QTest::newRow("file as folder") << "/etc/passwd/a"
                                    << "there is no such file";
}

void TestInputFile::readInputFile_whatNeverEnds_isRefused()
{
    QFETCH(const QString, path);
    QFETCH(const QString, reason);
    for (const ReadFrom from : {ReadFrom::RegularFiles, ReadFrom::FilesAndPipes}) {
        const auto read = readInputFile(path.toStdString(), 1 << 20, from);
        QVERIFY(!read);
        QCOMPARE(QString::fromStdString(read.error().message), reason);
    }
}

void TestInputFile::readInputFile_size_isLimited_data()
{
    QTest::addColumn<int>("bytes");
    QTest::addColumn<bool>("isRead");
    QTest::newRow("empty") << 0 << true;
    QTest::newRow("at the limit") << 1000 << true;
    QTest::newRow("beyond") << 1001 << false;
}

void TestInputFile::readInputFile_size_isLimited()
{
    QFETCH(const int, bytes);
    QFETCH(const bool, isRead);
    QTemporaryDir folder;
    QFile file(folder.filePath("a"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(bytes, 'x'));
    file.close();
    const auto read = readInputFile(folder.filePath("a").toStdString(), 1000);
    QCOMPARE(read.has_value(), isRead);
    if (isRead)
        QCOMPARE(read->size(), static_cast<std::size_t>(bytes));
    else
        QCOMPARE(read.error().message, std::string("the file is larger than the limit of 1000 bytes"));
    const auto unsized = readInputFile("/proc/self/status", 1 << 20); // reports a size of 0 bytes
    QVERIFY(unsized && !unsized->empty());
}

void TestInputFile::readInputFile_pipe_isReadWhereAllowed()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("pipe").toStdString();
    QCOMPARE(mkfifo(path.c_str(), 0600), 0);
    QVERIFY(!readInputFile(path, 1000)); // at once: it is not opened
    const std::string text(900, 'x');
    std::jthread writer([&] {
        const int pipe = open(path.c_str(), O_WRONLY);
        (void)!write(pipe, text.data(), 400);
        (void)!write(pipe, text.data() + 400, 500);
        close(pipe);
    });
    const auto read = readInputFile(path, 1000, ReadFrom::FilesAndPipes);
    QVERIFY(read && *read == text);
}

void TestInputFile::readInputFile_endlessPipe_isRefused()
{
    int ends[2];
    QCOMPARE(pipe(ends), 0);
    const std::string text(3000, 'x'); // and its writer stays open
    QCOMPARE(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    const auto read = readInputFile("/proc/self/fd/" + std::to_string(ends[0]), 1000, ReadFrom::FilesAndPipes);
    QVERIFY(!read && read.error().message.starts_with("the file is larger than the limit of 1000 bytes"));
    close(ends[0]);
    close(ends[1]);
}

STAGECRAFT_SUITE(TestInputFile)

} // namespace tst_input_file
#include "tst_input_file.moc"
