// The chart of virtual units: which stage it shows, what it says, and what a click selects.

#include "support/graph_making.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/charts/units_chart.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_units_chart {

class TestUnitsChart : public QObject {
    Q_OBJECT

private slots:
    void init();
    void setFused_nothingSelected_showsTheSlowestStage();
    void selection_ofAFusedStage_showsIt();
    void click_onATask_selectsItsOperator();
    void setFused_none_saysWhatWouldBeThere();

private:
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<UnitsChart> m_chart;
};

void TestUnitsChart::init()
{
    GraphBuilder builder("g");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("first", {{x}}, 8, 3)));
    const TensorId b = take(builder.add(conv("second", {{a}}, 8, 3)));
    take(builder.add(conv("third", {{b}}, 8, 1)));
    const auto graph = std::make_shared<const Graph>(take(builder.build()));
    const auto schedule = std::make_shared<TimedSchedule>();
    schedule->stages = {{0, Strategy::Fused, {{OperatorId{0}, OperatorId{1}}}},
                        {0, Strategy::Fused, {{OperatorId{2}}}}};
    schedule->measured.provenance = Provenance::Simulated;
    const std::vector<TimedRKernel> two{{"fast", 4, 2000, 1}, {"thrifty", 2, 3000, 0.25}};
    const FusedUnits both{0,
                          {{OperatorId{0}, two, 0}, {OperatorId{1}, two, 1}},
                          {{2, {{0, 0, 4000}, {1, 6000, 9000}}}, {2, {{0, 0, 5000}}}}};
    const FusedUnits last{1, {{OperatorId{2}, two, 0}}, {{4, {{0, 10000, 12000}}}}};
    m_selection = std::make_unique<Selection>();
    m_chart = std::make_unique<UnitsChart>(m_selection.get());
    m_chart->resize(900, 300);
    m_chart->setFused(graph, schedule, {both, last});
    m_chart->show();
    m_chart->findChild<QCustomPlot *>()->replot();
}

void TestUnitsChart::setFused_nothingSelected_showsTheSlowestStage()
{
    const QString said = m_chart->plainSummary();
    QVERIFY2(said.contains(QStringLiteral("Stage 1")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("simulated")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("virtual units 4")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("66.7 %")), qPrintable(said)); // 24 of 36 unit microseconds
    QCOMPARE(m_chart->accessibleName(), QStringLiteral("Virtual units"));
    QCOMPARE(m_chart->accessibleDescription(), said);
}

void TestUnitsChart::selection_ofAFusedStage_showsIt()
{
    m_selection->set({std::nullopt, 1});
    QVERIFY2(m_chart->plainSummary().contains(QStringLiteral("Stage 2")), qPrintable(m_chart->plainSummary()));
    QVERIFY(!m_chart->taskCentre(OperatorId{2}).isNull());
    QVERIFY(m_chart->taskCentre(OperatorId{0}).isNull());
}

void TestUnitsChart::click_onATask_selectsItsOperator()
{
    const QPoint centre = m_chart->taskCentre(OperatorId{1});
    QVERIFY(!centre.isNull() && m_chart->rect().contains(centre));
    QWidget *plot = m_chart->childAt(centre);
    QTest::mouseClick(plot, Qt::LeftButton, {}, plot->mapFrom(m_chart.get(), centre));
    QCOMPARE(m_selection->current().op, std::optional(OperatorId{1}));
    QCOMPARE(m_selection->current().stage, std::optional<std::size_t>(0));
}

void TestUnitsChart::setFused_none_saysWhatWouldBeThere()
{
    m_chart->setFused(nullptr, nullptr, {});
    const auto *hint = m_chart->findChild<QLabel *>(QStringLiteral("hint"));
    QVERIFY(hint && hint->isVisible() && hint->text().contains(QStringLiteral("rTasks")));
    QVERIFY(m_chart->taskCentre(OperatorId{0}).isNull());
}

STAGECRAFT_SUITE(TestUnitsChart)

} // namespace tst_units_chart
#include "tst_units_chart.moc"
