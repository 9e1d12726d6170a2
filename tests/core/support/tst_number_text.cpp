#include "support/number_text.h"
#include "support/suite.h"

#include <QTest>

#include <limits>

using namespace stagecraft;

namespace tst_number_text {

class TestNumberText : public QObject {
    Q_OBJECT

private slots:
    void grouped_hasACommaEveryThreeDigits_data();
    void grouped_hasACommaEveryThreeDigits();
    void percent_hasOneDecimal();
};

void TestNumberText::grouped_hasACommaEveryThreeDigits_data()
{
    QTest::addColumn<qint64>("count");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << qint64(0) << "0";
    QTest::newRow("three digits") << qint64(999) << "999";
    QTest::newRow("four digits") << qint64(1000) << "1,000";
    QTest::newRow("seven digits") << qint64(1170663) << "1,170,663";
    QTest::newRow("below zero") << qint64(-123456) << "-123,456";
    QTest::newRow("least") << std::numeric_limits<qint64>::min() << "-9,223,372,036,854,775,808";
}

void TestNumberText::grouped_hasACommaEveryThreeDigits()
{
    QFETCH(const qint64, count);
    QTEST(QString::fromStdString(grouped(count)), "text");
}

void TestNumberText::percent_hasOneDecimal()
{
    QCOMPARE(percent(0), std::string("0.0 %"));
    QCOMPARE(percent(0.1234), std::string("12.3 %"));
    QCOMPARE(percent(12.5), std::string("1250.0 %"));
    QCOMPARE(percent(std::numeric_limits<double>::infinity()), std::string("unknown"));
    QCOMPARE(percent(std::numeric_limits<double>::quiet_NaN()), std::string("unknown"));
    QVERIFY(percent(std::numeric_limits<double>::max() / 1000).ends_with(".0 %"));
}

STAGECRAFT_SUITE(TestNumberText)

} // namespace tst_number_text
#include "tst_number_text.moc"
