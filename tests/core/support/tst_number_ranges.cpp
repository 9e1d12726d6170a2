#include "support/number_ranges.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_number_ranges {

class TestNumberRanges : public QObject {
    Q_OBJECT

private slots:
    void numbersIn_list_ascendsAndHasEachOnce();
    void numbersIn_wrongText_isRefusedWithItsReason_data();
    void numbersIn_wrongText_isRefusedWithItsReason();
    void rangesText_readsBackTheSame();
};

void TestNumberRanges::numbersIn_list_ascendsAndHasEachOnce()
{
    QVERIFY(*numbersIn("8, 1..3,2", 1, 64) == (std::vector<int>{1, 2, 3, 8}));
    QVERIFY(*numbersIn(" 64 ", 1, 64) == std::vector<int>{64});
}

void TestNumberRanges::numbersIn_wrongText_isRefusedWithItsReason_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("why");
    const QString wanted = QStringLiteral(" is not a whole number from 1 to 64");
    QTest::newRow("empty") << ""
                           << "\"\"" + wanted;
    QTest::newRow("comma at the end") << "1,"
                                      << "\"\"" + wanted;
    QTest::newRow("word") << "1, all"
                          << "all" + wanted;
    QTest::newRow("too small") << "0..3"
                               << "0" + wanted;
    QTest::newRow("too large") << "3..65"
                               << "65" + wanted;
    QTest::newRow("larger than a number") << "99999999999"
                                          << "99999999999" + wanted;
    QTest::newRow("half a range") << "3.."
                                  << "\"\"" + wanted;
    QTest::newRow("backwards") << "3..1"
                               << "3..1 ends before it begins";
}

void TestNumberRanges::numbersIn_wrongText_isRefusedWithItsReason()
{
    QFETCH(const QString, text);
    const auto numbers = numbersIn(text.toStdString(), 1, 64);
    QVERIFY(!numbers);
    QTEST(QString::fromStdString(numbers.error().message), "why");
}

void TestNumberRanges::rangesText_readsBackTheSame()
{
    for (const std::vector<int> &numbers : {std::vector<int>{5}, {1, 2}, {1, 2, 3, 8}, {2, 4, 6}, {1, 3, 4, 5, 9}})
        QVERIFY(*numbersIn(rangesText(numbers), 1, 64) == numbers);
    QCOMPARE(rangesText(std::vector<int>{1, 2, 3, 8}), std::string("1..3, 8"));
    QVERIFY(!numberRange("1..1001", 1, 1'000'000));
}

STAGECRAFT_SUITE(TestNumberRanges)

} // namespace tst_number_ranges
#include "tst_number_ranges.moc"
