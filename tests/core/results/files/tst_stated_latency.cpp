// Latencies that a person brings, typed or from a file.

#include "results/files/stated_latency.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_stated_latency {

class TestStatedLatency : public QObject {
    Q_OBJECT

private slots:
    void text_data();
    void text();
    void file_data();
    void file();
};

void TestStatedLatency::text_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("us"); // 0: refused
    QTest::newRow("text_ms_isRead") << QStringLiteral("3.9 ms") << 3900.0;
    QTest::newRow("text_comma_isRead") << QStringLiteral(" 3,9ms ") << 3900.0;
    QTest::newRow("text_us_isRead") << QStringLiteral("12.5 us") << 12.5;
    QTest::newRow("text_microSign_isRead") << QStringLiteral("12.5 µs") << 12.5;
    QTest::newRow("text_seconds_areRead") << QStringLiteral("0.25 s") << 250000.0;
    QTest::newRow("text_noUnit_isRefused") << QStringLiteral("3.9") << 0.0;
    QTest::newRow("text_otherUnit_isRefused") << QStringLiteral("3.9 km") << 0.0;
    QTest::newRow("text_negative_isRefused") << QStringLiteral("-3 ms") << 0.0;
    QTest::newRow("text_zero_isRefused") << QStringLiteral("0 ms") << 0.0;
    QTest::newRow("text_nan_isRefused") << QStringLiteral("nan ms") << 0.0;
    QTest::newRow("text_word_isRefused") << QStringLiteral("fast") << 0.0;
    QTest::newRow("text_empty_isRefused") << QString() << 0.0;
}

void TestStatedLatency::text()
{
    QFETCH(QString, text);
    QFETCH(double, us);
    const auto read = latencyUsFromText(text.toStdString());
    QCOMPARE(read.has_value(), us > 0);
    if (read)
        QVERIFY(qAbs(*read - us) < 1e-9 * us);
    else
        QVERIFY(read.error().code == ErrorCode::WrongUse && !read.error().message.empty());
}

void TestStatedLatency::file_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<double>("us"); // 0: refused
    QTest::newRow("file_answer_isRead") << QByteArray("{\"latency_us\": 1234.5}") << 1234.5;
    QTest::newRow("file_text_isRead") << QByteArray("4.5 ms\nmeasured by hand\n") << 4500.0;
    QTest::newRow("file_otherJson_isRefused") << QByteArray("{\"latency\": 3}") << 0.0;
    QTest::newRow("file_text_isRefused") << QByteArray("hello") << 0.0;
    QTest::newRow("file_empty_isRefused") << QByteArray() << 0.0;
}

void TestStatedLatency::file()
{
    QFETCH(QByteArray, content);
    QFETCH(double, us);
    const auto read = latencyUsFromFile(content.toStdString());
    QCOMPARE(read.has_value(), us > 0);
    if (read)
        QCOMPARE(*read, us);
    else
        QVERIFY(read.error().code == ErrorCode::InvalidInput);
}

STAGECRAFT_SUITE(TestStatedLatency)

} // namespace tst_stated_latency
#include "tst_stated_latency.moc"
