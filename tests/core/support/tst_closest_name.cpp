#include "support/closest_name.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;

namespace tst_closest_name {

class TestClosestName : public QObject {
    Q_OBJECT

private slots:
    void editDistance_countsSlips_data();
    void editDistance_countsSlips();
    void closestName_ofAMisspeltOne_isTheNearest_data();
    void closestName_ofAMisspeltOne_isTheNearest();
};

void TestClosestName::editDistance_countsSlips_data()
{
    QTest::addColumn<QByteArray>("a");
    QTest::addColumn<QByteArray>("b");
    QTest::addColumn<int>("slips");
    QTest::newRow("equal") << QByteArray("greedy") << QByteArray("greedy") << 0;
    QTest::newRow("another case") << QByteArray("Greedy") << QByteArray("gREEDY") << 0;
    QTest::newRow("one missing") << QByteArray("gredy") << QByteArray("greedy") << 1;
    QTest::newRow("one wrong") << QByteArray("graedy") << QByteArray("greedy") << 1;
    QTest::newRow("swapped") << QByteArray("geredy") << QByteArray("greedy") << 1;
    QTest::newRow("from nothing") << QByteArray() << QByteArray("info") << 4;
    QTest::newRow("two kinds") << QByteArray("cmpaer") << QByteArray("compare") << 2;
}

void TestClosestName::editDistance_countsSlips()
{
    QFETCH(const QByteArray, a);
    QFETCH(const QByteArray, b);
    QFETCH(const int, slips);
    QCOMPARE(static_cast<int>(editDistance(a.toStdString(), b.toStdString())), slips);
    QCOMPARE(static_cast<int>(editDistance(b.toStdString(), a.toStdString())), slips);
}

void TestClosestName::closestName_ofAMisspeltOne_isTheNearest_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<QByteArray>("closest");
    QTest::newRow("a letter off") << QByteArray("comapre") << QByteArray("compare");
    QTest::newRow("the nearer of two") << QByteArray("sim:h10") << QByteArray("sim:h100");
    QTest::newRow("beginning") << QByteArray("spec") << QByteArray("specialize");
    QTest::newRow("end") << QByteArray("v100") << QByteArray("sim:v100");
    QTest::newRow("beginning of several") << QByteArray("sim") << QByteArray();
    QTest::newRow("nothing like it") << QByteArray("improve") << QByteArray();
    QTest::newRow("two letters, one of them other") << QByteArray("cs") << QByteArray();
    QTest::newRow("short and different") << QByteArray("x") << QByteArray();
    QTest::newRow("nothing") << QByteArray() << QByteArray();
    QTest::newRow("a pasted text") << QByteArray(1'000'000, 'a') << QByteArray();
}

void TestClosestName::closestName_ofAMisspeltOne_isTheNearest()
{
    QFETCH(const QByteArray, word);
    QFETCH(const QByteArray, closest);
    const std::vector<std::string> names{"compare", "specialize", "sim:v100", "sim:h100", "s"};
    QCOMPARE(QByteArray::fromStdString(closestName(word.toStdString(), names)), closest);
    QCOMPARE(didYouMean(word.toStdString(), names).empty(), closest.isEmpty());
}

STAGECRAFT_SUITE(TestClosestName)

} // namespace tst_closest_name
#include "tst_closest_name.moc"
