// The schedule on a page: positions, selection both ways, keys, and painting.

#include "support/picture.h"
#include "support/schedule_making.h"
#include "widgets/schedule/schedule_layout.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/selection.h"
#include "widgets/theme.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace stagecraft;

class TestScheduleView : public QObject {
    Q_OBJECT

private slots:
    void layout_groups_lieSideBySide();
    void layout_mergeStage_isOneBox();
    void layout_blocks_haveHeadersWithSums();
    void layout_everyOperator_isFoundWhereItLies();
    void layout_manyLanes_keepReadableWidth();
    void click_operator_selectsIt();
    void click_gutter_selectsTheStage();
    void click_besideThePage_clears();
    void selection_fromElsewhere_scrollsIntoView();
    void keys_arrows_walkStagesAndOperators();
    void setSchedule_null_showsTheHint();
    void fitAll_largeSchedule_showsAll();
    void paint_largeSchedule_showsEveryStage();

private:
    static std::shared_ptr<const Schedule> chain(const Graph &graph)
    {
        Schedule schedule;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            schedule.stages.push_back({i / 20, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
            schedule.stageTimings.push_back(Timing::ofLatency(1.0 + static_cast<double>(i % 7)));
        }
        schedule.timing = Timing::ofLatency(1);
        schedule.provenance = Provenance::Simulated;
        return std::make_shared<const Schedule>(schedule);
    }

    static std::shared_ptr<const Graph> chainGraph(std::size_t length)
    {
        GraphBuilder builder("chain");
        TensorId last = test::take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
        for (std::size_t i = 0; i < length; ++i)
            last = test::take(builder.add(test::conv("op" + std::to_string(i), {{last}}, 8)));
        return std::make_shared<const Graph>(test::take(builder.build()));
    }

    test::Sample m_sample = test::makeSample();
};

void TestScheduleView::layout_groups_lieSideBySide()
{
    const ScheduleLayout layout = layoutSchedule(*m_sample.schedule, 600, 1);
    QCOMPARE(layout.rows.size(), std::size_t{4});
    QCOMPARE(layout.rows[0].boxCount, std::size_t{3});
    const QRectF a = layout.boxes[0].rect;
    const QRectF b = layout.boxes[1].rect;
    const QRectF c = layout.boxes[2].rect;
    QVERIFY(a.right() < b.left());
    QCOMPARE(a.top(), b.top());
    QCOMPARE(b.left(), c.left());
    QVERIFY(b.bottom() < c.top());
    QCOMPARE(layout.slowestStageUs, 40.0);
}

void TestScheduleView::layout_mergeStage_isOneBox()
{
    const ScheduleLayout layout = layoutSchedule(*m_sample.schedule, 600, 1);
    const StageRow &row = layout.rows[2];
    const OperatorBox &d = layout.boxes[row.firstBox];
    const OperatorBox &e = layout.boxes[row.firstBox + 1];
    QVERIFY(d.merged && e.merged);
    QCOMPARE(d.rect.right(), e.rect.left()); // cells of one box, without a gap
    QVERIFY(row.lanes.contains(d.rect) && row.lanes.contains(e.rect));
    QVERIFY(row.lanes.top() < d.rect.top()); // space for the word
}

void TestScheduleView::layout_blocks_haveHeadersWithSums()
{
    const ScheduleLayout layout = layoutSchedule(*m_sample.schedule, 600, 1);
    QCOMPARE(layout.headers.size(), std::size_t{2});
    QCOMPARE(layout.headers[0].operators, std::size_t{4});
    QCOMPARE(layout.headers[0].stages, std::size_t{2});
    QCOMPARE(*layout.headers[0].latencyUs, 45.0);
    QCOMPARE(*layout.headers[1].latencyUs, 40.0);
    Schedule unmeasured = *m_sample.schedule;
    unmeasured.stageTimings.clear();
    QVERIFY(!layoutSchedule(unmeasured, 600, 1).headers[0].latencyUs);
}

void TestScheduleView::layout_everyOperator_isFoundWhereItLies()
{
    for (const double zoom : {0.1, 0.5, 1.0, 2.0}) {
        const ScheduleLayout layout = layoutSchedule(*m_sample.schedule, 500, zoom);
        for (const OperatorBox &box : layout.boxes) {
            const auto hit = layout.at(box.rect.center());
            QVERIFY(hit);
            QCOMPARE(hit->stage, box.stage);
            QVERIFY(hit->op == box.op);
        }
        QVERIFY(!layout.at({5, -3}));
        QVERIFY(!layout.at({5, layout.size.height() + 1}));
        QVERIFY(!layout.at(layout.headers[0].rect.center()));
    }
}

void TestScheduleView::layout_manyLanes_keepReadableWidth()
{
    const auto graph = chainGraph(24);
    Schedule wide;
    Stage stage;
    for (std::size_t i = 0; i < graph->size(); ++i)
        stage.groups.push_back({OperatorId::fromIndex(i)});
    wide.stages = {stage};
    const ScheduleLayout layout = layoutSchedule(wide, 400, 1);
    QVERIFY(layout.size.width() > 400);
    for (const OperatorBox &box : layout.boxes)
        QVERIFY(box.rect.width() >= 60);
}

void TestScheduleView::click_operator_selectsIt()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(600, 500);
    view.setSchedule(m_sample.graph, m_sample.schedule);
    view.show();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.operatorRect(m_sample.op("c")).center());
    QVERIFY(selection.current().op == m_sample.op("c"));
    QCOMPARE(*selection.current().stage, std::size_t{0});
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.operatorRect(m_sample.op("e")).center());
    QVERIFY(selection.current().op == m_sample.op("e"));
    QCOMPARE(*selection.current().stage, std::size_t{2});
}

void TestScheduleView::click_gutter_selectsTheStage()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(600, 500);
    view.setSchedule(m_sample.graph, m_sample.schedule);
    view.show();
    const QRect row = view.stageRect(2);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {20, row.center().y()});
    QVERIFY(!selection.current().op);
    QCOMPARE(*selection.current().stage, std::size_t{2});
}

void TestScheduleView::click_besideThePage_clears()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(600, 700);
    view.setSchedule(m_sample.graph, m_sample.schedule);
    view.show();
    selection.set({m_sample.op("a"), 0});
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {300, 690});
    QVERIFY(selection.current() == Selected{});
}

void TestScheduleView::selection_fromElsewhere_scrollsIntoView()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(500, 300);
    const auto graph = chainGraph(200);
    view.setSchedule(graph, chain(*graph));
    view.show();
    QVERIFY(!view.viewport()->rect().contains(view.stageRect(150).center()));
    selection.set({OperatorId::fromIndex(150), 150});
    QVERIFY(view.viewport()->rect().contains(view.operatorRect(OperatorId::fromIndex(150))));
    selection.set({std::nullopt, 3});
    QVERIFY(view.viewport()->rect().contains(view.stageRect(3).center()));
}

void TestScheduleView::keys_arrows_walkStagesAndOperators()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(600, 500);
    view.setSchedule(m_sample.graph, m_sample.schedule);
    QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(*selection.current().stage, std::size_t{0});
    QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(*selection.current().stage, std::size_t{1});
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(selection.current().op == m_sample.op("ac"));
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(selection.current().op == m_sample.op("d"));
    QCOMPARE(*selection.current().stage, std::size_t{2});
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(selection.current() == Selected{});
    QTest::keyClick(&view, Qt::Key_Up);
    QCOMPARE(*selection.current().stage, std::size_t{3});
}

void TestScheduleView::setSchedule_null_showsTheHint()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(400, 300);
    view.show();
    view.setHint(QStringLiteral("Open a model"));
    // Text in the middle, nothing else.
    const QRect middle = view.viewport()->rect().adjusted(24, 24, -24, -24);
    const QImage hint = view.viewport()->grab().toImage();
    QVERIFY(test::inkOf(hint) > 0);
    QCOMPARE(test::inkOf(hint.copy(middle)), test::inkOf(hint));
    view.setHint({});
    QCOMPARE(test::inkOf(view.viewport()->grab().toImage()), 0);
    view.setSchedule(m_sample.graph, m_sample.schedule);
    view.setSchedule(nullptr, nullptr);
    QVERIFY(view.stageRect(0).isEmpty());
    QTest::keyClick(&view, Qt::Key_Down);
    QVERIFY(selection.current() == Selected{});
}

void TestScheduleView::fitAll_largeSchedule_showsAll()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(600, 800);
    const auto graph = chainGraph(60);
    view.setSchedule(graph, chain(*graph));
    view.show();
    QVERIFY(view.verticalScrollBar()->maximum() > 0);
    view.fitAll();
    QCOMPARE(view.verticalScrollBar()->maximum(), 0);
    QVERIFY(view.viewport()->rect().contains(view.stageRect(59).center()));
}

void TestScheduleView::paint_largeSchedule_showsEveryStage()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(900, 900);
    const auto graph = chainGraph(200);
    view.setSchedule(graph, chain(*graph));
    view.show();
    view.fitAll();
    const QImage picture = view.viewport()->grab().toImage();
    const QColor page = picture.pixelColor(0, 0);
    for (std::size_t i = 0; i < graph->size(); ++i) {
        const QPoint box = view.operatorRect(OperatorId::fromIndex(i)).center();
        QVERIFY2(picture.rect().contains(box) && picture.pixelColor(box) != page, qPrintable(QString::number(i)));
    }
}

QTEST_MAIN(TestScheduleView)
#include "tst_schedule_view.moc"
