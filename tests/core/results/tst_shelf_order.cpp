// The shelf as a list: groups, order, pins and the filter.

#include "core/results/result_making.h"
#include "results/shelf_order.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_shelf_order {

namespace {

QString listed(const Shelf &shelf, ShelfOrder order, const char *filter = "")
{
    QStringList groups;
    for (const ShelfGroup &group : grouped(shelf, order, filter)) {
        QStringList names;
        for (const ResultId id : group.results)
            names << QString::fromStdString(shelf.find(id)->shownName());
        groups << QString::fromStdString(group.settings.device) + ": " + names.join(", ");
    }
    return groups.join("; ");
}

} // namespace

class TestShelfOrder : public QObject {
    Q_OBJECT

private slots:
    void grouped_byDevice_asTheyCame();
    void grouped_modelsApart_stayTogether();
    void grouped_ordered_withPinnedFirst();
    void grouped_filtered_findsEveryWord_data();
    void grouped_filtered_findsEveryWord();
};

void TestShelfOrder::grouped_byDevice_asTheyCame()
{
    Shelf shelf;
    addSequential(shelf, 300);
    addSequential(shelf, 900, settingsOf("sim:k80"));
    addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    QCOMPARE(listed(shelf, ShelfOrder::AsMade), QString("sim:v100: Sequential, IOS-Both; sim:k80: Sequential"));
    QVERIFY(grouped(Shelf(), ShelfOrder::AsMade, "").empty());
}

void TestShelfOrder::grouped_modelsApart_stayTogether()
{
    Shelf shelf;
    RunContext nasnet = settingsOf("sim:a100");
    nasnet.model = {"nasnet", "x"};
    addSequential(shelf, 300);
    addSequential(shelf, 500, nasnet);
    addSequential(shelf, 900, settingsOf("sim:k80"));
    QCOMPARE(listed(shelf, ShelfOrder::AsMade),
             QString("sim:v100: Sequential; sim:k80: Sequential; sim:a100: Sequential"));
}

void TestShelfOrder::grouped_ordered_withPinnedFirst()
{
    Shelf shelf;
    addSequential(shelf, 300);
    addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    const ResultId merge = addSearched(shelf, "IOS-Merge", recordOf("ios-merge"), 5, 200);
    QCOMPARE(listed(shelf, ShelfOrder::AsMade), QString("sim:v100: Sequential, IOS-Both, IOS-Merge"));
    QCOMPARE(listed(shelf, ShelfOrder::Newest), QString("sim:v100: IOS-Merge, IOS-Both, Sequential"));
    QCOMPARE(listed(shelf, ShelfOrder::Fastest), QString("sim:v100: IOS-Both, IOS-Merge, Sequential"));
    QCOMPARE(listed(shelf, ShelfOrder::Name), QString("sim:v100: IOS-Both, IOS-Merge, Sequential"));
    shelf.setPinned(merge, true);
    QCOMPARE(listed(shelf, ShelfOrder::Fastest), QString("sim:v100: IOS-Merge, IOS-Both, Sequential"));
    QCOMPARE(listed(shelf, ShelfOrder::AsMade), QString("sim:v100: IOS-Merge, Sequential, IOS-Both"));
}

void TestShelfOrder::grouped_filtered_findsEveryWord_data()
{
    QTest::addColumn<QByteArray>("filter");
    QTest::addColumn<QString>("left");
    QTest::newRow("filter_nothing_isAll") << QByteArray("  ") << "sim:v100: Sequential, IOS-Both; sim:k80: Sequential";
    QTest::newRow("filter_title_anyCase") << QByteArray("ios") << "sim:v100: IOS-Both";
    QTest::newRow("filter_note_isSearched") << QByteArray("upgrade") << "sim:v100: IOS-Both";
    QTest::newRow("filter_pruning_isSearched") << QByteArray("r 3") << "sim:v100: IOS-Both";
    QTest::newRow("filter_device_andName") << QByteArray("K80 seq") << "sim:k80: Sequential";
    QTest::newRow("filter_unknownWord_isEmpty") << QByteArray("ios nothing") << "";
}

void TestShelfOrder::grouped_filtered_findsEveryWord()
{
    QFETCH(QByteArray, filter);
    QFETCH(QString, left);
    Shelf shelf;
    addSequential(shelf, 300);
    addSequential(shelf, 900, settingsOf("sim:k80"));
    shelf.annotate(addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100), "Before the upgrade");
    QCOMPARE(listed(shelf, ShelfOrder::AsMade, filter.constData()), left);
}

STAGECRAFT_SUITE(TestShelfOrder)

} // namespace tst_shelf_order
#include "tst_shelf_order.moc"
