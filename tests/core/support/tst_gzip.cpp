#include "support/gzip.h"
#include "support/suite.h"

#include <QProcess>
#include <QTest>

using namespace stagecraft;

namespace tst_gzip {

namespace {

std::string zipped(const std::string &text)
{
    QProcess gzip;
    gzip.start("gzip", {"-c"});
    gzip.write(text.data(), static_cast<qint64>(text.size()));
    gzip.closeWriteChannel();
    if (!gzip.waitForFinished())
        qFatal("gzip does not run");
    return gzip.readAllStandardOutput().toStdString();
}

constexpr std::size_t kLimit = 1U << 20U;

} // namespace

class TestGzip : public QObject {
    Q_OBJECT

private slots:
    void unzipped_whatGzipWrote_isTheText_data();
    void unzipped_whatGzipWrote_isTheText();
    void unzipped_severalMembers_areJoined();
    void unzipped_moreThanTheLimit_isRefused();
    void unzipped_cutShort_isRefused();
    void unzipped_changedBytes_endWithTextOrRefusal();
};

void TestGzip::unzipped_whatGzipWrote_isTheText_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {0, 1, 65535, 65536, 65537, 1 << 20})
        QTest::addRow("%d bytes", size) << size;
}

void TestGzip::unzipped_whatGzipWrote_isTheText()
{
    QFETCH(int, size);
    std::string text(static_cast<std::size_t>(size), 'a');
    for (std::size_t i = 0; i < text.size(); ++i)
        text[i] = static_cast<char>(i * i % 251);
    const std::string packed = zipped(text);
    QVERIFY(isGzip(packed));
    QVERIFY(!isGzip("{}"));
    QVERIFY(unzipped(packed, kLimit) == text);
    QVERIFY(unzipped(packed + std::string(512, '\0'), kLimit) == text); // padding of a tape
}

void TestGzip::unzipped_severalMembers_areJoined()
{
    QVERIFY(unzipped(zipped("first ") + zipped("second"), kLimit) == std::string("first second"));
}

void TestGzip::unzipped_moreThanTheLimit_isRefused()
{
    const auto text = unzipped(zipped(std::string(4 * kLimit, '0')), kLimit);
    QVERIFY(!text);
    QCOMPARE(text.error().message, std::string("unzipped it is larger than 1 MiB"));
}

void TestGzip::unzipped_cutShort_isRefused()
{
    const std::string packed = zipped("a text that is long enough to be cut");
    for (std::size_t size = 2; size < packed.size(); ++size)
        QVERIFY(!unzipped(packed.substr(0, size), kLimit));
}

void TestGzip::unzipped_changedBytes_endWithTextOrRefusal()
{
    const std::string packed = zipped(QString("and more of it").repeated(300).toStdString());
    for (std::size_t i = 2; i < packed.size(); ++i) {
        for (const int change : {1, 16, 128, 255}) {
            std::string changed = packed;
            changed[i] = static_cast<char>(changed[i] ^ change);
            const auto text = unzipped(changed, kLimit);
            QVERIFY(text || text.error().code == ErrorCode::InvalidInput);
        }
    }
}

STAGECRAFT_SUITE(TestGzip)

} // namespace tst_gzip
#include "tst_gzip.moc"
