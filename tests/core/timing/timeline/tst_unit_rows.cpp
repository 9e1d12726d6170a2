#include "support/suite.h"
#include "timing/timeline/unit_rows.h"

#include <QTest>

using namespace stagecraft;

namespace tst_unit_rows {

class TestUnitRows : public QObject {
    Q_OBJECT

private slots:
    void busyUnits_overTime_isAStepFunction();
    void busyShare_waits_areNotBusy();
    void busyUnits_withoutTasks_isEmpty();
};

// Two units of 100 ns; a third one that begins 50 ns later, waits 30 ns, and ends with them.
FusedUnits threeUnits()
{
    return {0, {}, {{2, {{0, 1000, 1100}}}, {1, {{1, 1050, 1060}, {0, 1090, 1100}}}}};
}

void TestUnitRows::busyUnits_overTime_isAStepFunction()
{
    const std::vector<BusyUnits> expected{{1000, 2}, {1050, 3}, {1060, 2}, {1090, 3}, {1100, 0}};
    QVERIFY(busyUnits(threeUnits()) == expected);
    QCOMPARE(unitCount(threeUnits()), std::int64_t{3});
}

void TestUnitRows::busyShare_waits_areNotBusy()
{
    QCOMPARE(busyShare(threeUnits()), 220.0 / 300.0);
}

void TestUnitRows::busyUnits_withoutTasks_isEmpty()
{
    QVERIFY(busyUnits({}).empty());
    QCOMPARE(busyShare({}), 0.0);
}

STAGECRAFT_SUITE(TestUnitRows)

} // namespace tst_unit_rows
#include "tst_unit_rows.moc"
