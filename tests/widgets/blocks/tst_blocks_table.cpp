// The table of blocks: cell texts during and after counting, sorting by value, and selection both ways.

#include "support/inception_like.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/base/time_change.h"
#include "widgets/blocks/blocks_model.h"
#include "widgets/blocks/blocks_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_blocks_table {

namespace {

std::shared_ptr<const Model> makeModel()
{
    const ModelOfModules modules = inceptionLike(3);
    auto model = std::make_shared<Model>();
    model->graph = modules.graph;
    model->blocks = modules.blocks;
    return model;
}

QString cell(const BlocksTable &table, int row, int column)
{
    return table.table()->model()->index(row, column).data().toString();
}

SpaceCounts counting(std::size_t blocks)
{
    return {{}, std::vector<std::optional<SpaceCount>>(blocks)};
}

} // namespace

class TestBlocksTable : public QObject {
    Q_OBJECT

private slots:
    void magnitudeText_ofCounts_isExactThenScientific_data()
    {
        QTest::addColumn<double>("count");
        QTest::addColumn<QString>("text");
        QTest::addRow("none") << 0.0 << "0";
        QTest::addRow("exact") << 4410136.0 << "4,410,136";
        QTest::addRow("large") << 9.2e22 << QString::fromUtf8("9.2 × 10²²");
        QTest::addRow("two digits") << 3.7e10 << QString::fromUtf8("3.7 × 10¹⁰");
        QTest::addRow("infinite") << std::numeric_limits<double>::infinity() << "unknown";
    }
    void magnitudeText_ofCounts_isExactThenScientific()
    {
        QFETCH(double, count);
        QTEST(magnitudeText(count), "text");
    }

    void cells_whileAndAfterCounting_sayHowFarItIs()
    {
        Selection selection;
        BlocksTable table(&selection);
        QVERIFY(table.summaryText().startsWith("Open a model"));
        table.setModel(makeModel());
        table.setSpaces(counting(3));
        QCOMPARE(cell(table, 1, BlocksModel::BlockNumber), QString("Block 2"));
        QCOMPARE(cell(table, 1, BlocksModel::Width), QString("4"));
        QCOMPARE(cell(table, 1, BlocksModel::States), QString("counting..."));
        QVERIFY2(table.summaryText().contains("counting block 1 of 3"), qPrintable(table.summaryText()));
        table.setCounts(0, {SpaceCount{10, 20, 30, true}, SpaceCount{11, 1000, 3.5e12, false}});
        QCOMPARE(cell(table, 0, BlocksModel::Transitions), QString("20"));
        QCOMPARE(cell(table, 1, BlocksModel::Schedules), QString::fromUtf8("more than 3.5 × 10¹²"));
        QCOMPARE(cell(table, 2, BlocksModel::States), QString("counting..."));
        table.setCounts(2, {SpaceCount{1, 1, 1, true}});
        QVERIFY2(table.summaryText().contains("r = 3, s = 8: more than 22 states, 1,021 transitions"),
                 qPrintable(table.summaryText()));
        table.setSpaces({});
        QVERIFY(cell(table, 0, BlocksModel::States).isEmpty());
        table.setSpaces(counting(1));
        table.setCounts(0, {SpaceCount{1, 1, 1, true}});
        QVERIFY2(table.summaryText().contains(": 1 state, 1 transition"), qPrintable(table.summaryText()));
        QVERIFY2(!table.summaryText().contains("transitions"), qPrintable(table.summaryText()));
    }

    void counts_ofAnotherModel_areDropped()
    {
        Selection selection;
        BlocksTable table(&selection);
        table.setModel(makeModel());
        table.setSpaces(counting(3));
        table.setCounts(2, {SpaceCount{1, 1, 1, true}, SpaceCount{1, 1, 1, true}});
        QCOMPARE(cell(table, 2, BlocksModel::States), QString("counting..."));
        table.setSpaces(counting(1));
        QCOMPARE(cell(table, 0, BlocksModel::States), QString("counting..."));
        QCOMPARE(cell(table, 2, BlocksModel::States), QString());
    }

    void search_columns_areThereAfterASearch()
    {
        Selection selection;
        BlocksTable table(&selection);
        table.setModel(makeModel());
        QVERIFY(table.table()->isColumnHidden(BlocksModel::Measurements));
        table.setSearch("IOS-Both", {{0, 1, 2, 3, 4, 110, 100, {}}, {1, 5, 6, 7, 8, 50, 0, {}}}, Provenance::Recorded);
        const auto *provenance = table.findChild<QLabel *>(QStringLiteral("provenance"));
        QVERIFY(!provenance->isHidden() && provenance->text().contains("recorded"));
        QVERIFY(!table.table()->isColumnHidden(BlocksModel::Measurements));
        QCOMPARE(cell(table, 0, BlocksModel::Measurements), QString("3"));
        QCOMPARE(cell(table, 0, BlocksModel::CacheHits), QString("4"));
        QCOMPARE(cell(table, 0, BlocksModel::Gap), QString("10.0 %"));
        QCOMPARE(cell(table, 1, BlocksModel::Gap), QString("unknown"));
        QCOMPARE(cell(table, 2, BlocksModel::Latency), QString());
        table.setSearch("Greedy", {});
        QVERIFY(provenance->isHidden());
        QVERIFY(table.table()->isColumnHidden(BlocksModel::Measurements));
    }

    void times_ofAnySchedule_areStagesAndBarriers()
    {
        Selection selection;
        BlocksTable table(&selection);
        table.setModel(makeModel());
        QVERIFY(table.table()->isColumnHidden(BlocksModel::Latency));
        table.setTimes({{{0, 3}, 100, 2, 16}, {{3, 2}, 40, 0, 0}}); // not searched
        QVERIFY(!table.table()->isColumnHidden(BlocksModel::Latency));
        QVERIFY(table.table()->isColumnHidden(BlocksModel::Gap));
        QCOMPARE(cell(table, 0, BlocksModel::Latency), QString::fromUtf8("116 µs"));
        const auto tipOf = [&](int row) {
            return table.table()->model()->index(row, BlocksModel::Latency).data(Qt::ToolTipRole).toString();
        };
        QVERIFY2(tipOf(0).contains(QString::fromUtf8("116 µs = 3 stages 100 µs, 2 barriers 16.0 µs")),
                 qPrintable(tipOf(0)));
        QVERIFY2(tipOf(1).contains(aboutBarriers(0)), qPrintable(tipOf(1)));
        // The gap is that of the block between its neighbours.
        table.setSearch("IOS-Both", {{0, 1, 2, 3, 4, 116, 108, {}, 116}, {1, 1, 2, 3, 4, 40, 20, {}, 32}});
        QCOMPARE(cell(table, 0, BlocksModel::Gap), QString("0.0 %"));
        QCOMPARE(cell(table, 1, BlocksModel::Gap), QString("25.0 %"));
    }

    void latency_ofBlockWithoutCosts_isAtLeast()
    {
        GraphBuilder builder("mystery");
        const auto input = builder.addInput("x", Shape{{1, 3, 8, 8}});
        Operator op{"unknown", "Mystery", OperatorKind::Unknown, GenericAttributes{}, {{*input}}, {}, {}};
        QVERIFY(builder.add(std::move(op), {Tensor{"y", Shape{{}, false}, DataType::Float32, {}}}));
        auto model = std::make_shared<Model>();
        model->graph = std::make_shared<const Graph>(*builder.build());
        model->blocks = {Block{{OperatorId(0)}}};
        Selection selection;
        BlocksTable table(&selection);
        table.setModel(model);
        table.setSearch("IOS-Both", {{0, 1, 1, 1, 0, 110, 100, {}}}, Provenance::Simulated, true);
        QCOMPARE(cell(table, 0, BlocksModel::Latency), QString::fromUtf8("≥ 110 µs"));
        table.setSearch("IOS-Both", {{0, 1, 1, 1, 0, 110, 100, {}}}, Provenance::Measured);
        QCOMPARE(cell(table, 0, BlocksModel::Latency), QString::fromUtf8("110 µs"));
    }

    void shortMagnitudeText_ofCounts_isThreeDigits_data()
    {
        QTest::addColumn<double>("count");
        QTest::addColumn<QString>("text");
        QTest::addRow("exact") << 9999.0 << "9,999";
        QTest::addRow("thousands") << 25564.0 << "25.6k";
        QTest::addRow("almost a million") << 999600.0 << "1.00M";
        QTest::addRow("millions") << 5530000.0 << "5.53M";
        QTest::addRow("large") << 9.2e22 << QString::fromUtf8("9×10²²");
        QTest::addRow("infinite") << std::numeric_limits<double>::infinity() << "unknown";
    }
    void shortMagnitudeText_ofCounts_isThreeDigits()
    {
        QFETCH(double, count);
        QTEST(shortMagnitudeText(count), "text");
    }

    // At any panel width there is no horizontal scrolling; hidden columns are named.
    void columns_ofANarrowPanel_fit_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("isShort");
        QTest::addColumn<bool>("leavesOut");
        QTest::addRow("wide") << 1600 << false << false;
        QTest::addRow("middle") << 900 << true << false;
        QTest::addRow("narrow") << 350 << true << true;
        QTest::addRow("very narrow") << 180 << true << true;
    }
    void columns_ofANarrowPanel_fit()
    {
        QFETCH(int, width);
        QFETCH(bool, isShort);
        QFETCH(bool, leavesOut);
        Selection selection;
        BlocksTable table(&selection);
        table.setModel(makeModel());
        table.setSpaces(counting(3));
        table.setCounts(0, std::vector<SpaceCount>(3, SpaceCount{123456, 7654321, 3.5e12, true}));
        table.setSearch("IOS-Both", {{0, 123456, 7654321, 3000, 40000, 110, 100, {}}});
        table.resize(width, 300);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        QCOMPARE(table.table()->horizontalScrollBar()->maximum(), 0);
        QCOMPARE(cell(table, 0, BlocksModel::Transitions), QString(isShort ? "7.65M" : "7,654,321"));
        QCOMPARE(cell(table, 0, BlocksModel::BlockNumber), QString(isShort ? "1" : "Block 1"));
        const QAbstractItemModel &rows = *table.table()->model();
        const QString tip = rows.index(0, BlocksModel::Transitions).data(Qt::ToolTipRole).toString();
        QCOMPARE(tip.contains("7,654,321"), isShort);
        QVERIFY(!table.table()->isColumnHidden(BlocksModel::BlockNumber));
        QVERIFY(!table.table()->isColumnHidden(BlocksModel::Latency));
        QCOMPARE(table.table()->isColumnHidden(BlocksModel::SearchedStates), leavesOut);
        const auto labels = table.findChildren<QLabel *>();
        const auto hidden = std::ranges::find_if(labels, [](const QLabel *label) { return label->text()[0] == '+'; });
        QVERIFY(hidden != labels.end());
        QCOMPARE((*hidden)->isVisible(), leavesOut);
        QCOMPARE((*hidden)->toolTip().contains("Searched states"), leavesOut);
        table.resize(1600, 300); // wide again
        QCOMPARE(cell(table, 0, BlocksModel::Transitions), QString("7,654,321"));
        QVERIFY(!table.table()->isColumnHidden(BlocksModel::SearchedStates));
    }

    void sorting_byTransitions_isByNumber()
    {
        Selection selection;
        BlocksTable table(&selection);
        table.setModel(makeModel());
        table.setSpaces(counting(3));
        table.setCounts(0, {SpaceCount{1, 900, 1, true}, SpaceCount{1, 1000, 1, true}, SpaceCount{1, 20, 1, true}});
        table.table()->sortByColumn(BlocksModel::Transitions, Qt::DescendingOrder);
        QCOMPARE(cell(table, 0, BlocksModel::Transitions), QString("1,000"));
        QCOMPARE(cell(table, 1, BlocksModel::Transitions), QString("900"));
        QCOMPARE(cell(table, 2, BlocksModel::Transitions), QString("20"));
    }

    void selection_bothWays_isTheBlock()
    {
        Selection selection;
        BlocksTable table(&selection);
        table.setModel(makeModel());
        table.table()->sortByColumn(BlocksModel::BlockNumber, Qt::DescendingOrder);
        table.table()->selectRow(0);
        QCOMPARE(selection.current(), (Selected{{}, {}, 2}));
        selection.set({{}, {}, 0});
        QCOMPARE(table.table()->selectionModel()->selectedRows().front().row(), 2);
        selection.set({{}, 1});
        QVERIFY(!table.table()->selectionModel()->hasSelection());
        QCOMPARE(selection.current(), (Selected{{}, 1}));
    }
};

STAGECRAFT_SUITE(TestBlocksTable)

} // namespace tst_blocks_table
#include "tst_blocks_table.moc"
