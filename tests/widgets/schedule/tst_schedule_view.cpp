// The schedule on a page: positions, selection both ways, keys, and painting.

#include "support/picture.h"
#include "support/schedule_making.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/base/time_change.h"
#include "widgets/schedule/operator_labels.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_painter.h"
#include "widgets/schedule/schedule_view.h"

#include <QAccessible>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace stagecraft;

namespace tst_schedule_view {

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
    void labels_sharedParts_areCutFirst_data();
    void labels_sharedParts_areCutFirst();
    void labels_controlCharacters_stayOnOneLine();
    void header_narrow_keepsTheLatency();
    void header_barriers_areParts();
    void screenReader_readsStagesAndOperators();
    void screenReader_focus_isWhatIsSelected();

private:
    static std::shared_ptr<const TimedSchedule> chain(const Graph &graph)
    {
        TimedSchedule schedule;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            schedule.stages.push_back({i / 20, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
            schedule.measured.stages.push_back(Timing::ofLatency(1.0 + static_cast<double>(i % 7)));
        }
        schedule.measured.whole = Timing::ofLatency(1);
        schedule.measured.provenance = Provenance::Simulated;
        return std::make_shared<const TimedSchedule>(schedule);
    }

    static std::shared_ptr<const Graph> chainGraph(std::size_t length)
    {
        GraphBuilder builder("chain");
        TensorId last = test::take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
        for (std::size_t i = 0; i < length; ++i)
            last = test::take(builder.add(test::conv("op" + std::to_string(i), {{last}}, 8)));
        return std::make_shared<const Graph>(test::take(builder.build()));
    }

    // Operators of these names, one after another.
    static std::shared_ptr<const Graph> graphOf(const QStringList &names)
    {
        GraphBuilder builder("named");
        TensorId last = test::take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
        for (const QString &name : names)
            last = test::take(builder.add(test::conv(name.toStdString(), {{last}}, 8)));
        return std::make_shared<const Graph>(test::take(builder.build()));
    }

    test::Sample m_sample = test::makeSample();
};

void TestScheduleView::layout_groups_lieSideBySide()
{
    const SchedulePage layout = schedulePage(*m_sample.schedule, 600, 1);
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
    const SchedulePage layout = schedulePage(*m_sample.schedule, 600, 1);
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
    const SchedulePage layout = schedulePage(*m_sample.schedule, 600, 1);
    QCOMPARE(layout.headers.size(), std::size_t{2});
    QCOMPARE(layout.headers[0].operators, std::size_t{4});
    QCOMPARE(layout.headers[0].stages, std::size_t{2});
    QCOMPARE(layout.headers[0].parts->latencyUs(), 45.0);
    QCOMPARE(layout.headers[1].parts->latencyUs(), 40.0);
    TimedSchedule unmeasured = *m_sample.schedule;
    unmeasured.measured.stages.clear();
    QVERIFY(!schedulePage(unmeasured, 600, 1).headers[0].parts);
}

void TestScheduleView::layout_everyOperator_isFoundWhereItLies()
{
    for (const double zoom : {0.1, 0.5, 1.0, 2.0}) {
        const SchedulePage layout = schedulePage(*m_sample.schedule, 500, zoom);
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
    TimedSchedule wide;
    Stage stage;
    for (std::size_t i = 0; i < graph->size(); ++i)
        stage.groups.push_back({OperatorId::fromIndex(i)});
    wide.stages = {stage};
    const SchedulePage layout = schedulePage(wide, 400, 1);
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

void TestScheduleView::labels_sharedParts_areCutFirst_data()
{
    QTest::addColumn<QStringList>("names"); // of a stage
    QTest::addColumn<QStringList>("more");  // of its block
    QTest::addColumn<QStringList>("texts"); // of the first
    QTest::addRow("cells of a network") << QStringList{"cell0/branch0/conv1x1", "cell0/branch7/conv1x1"}
                                        << QStringList{"cell0/concat"}
                                        << QStringList{"cell0/branch0/conv1x1", "branch0/conv1x1", "branch0"};
    QTest::addRow("alone in its stage") << QStringList{"cell0/branch0/conv1x1"} << QStringList{"cell0/branch7/conv1x1"}
                                        << QStringList{"cell0/branch0/conv1x1", "branch0/conv1x1", "branch0"};
    QTest::addRow("exported") << QStringList{"/layer1/conv1/Conv", "/layer1/conv2/Conv"} << QStringList{"/fc/Gemm"}
                              << QStringList{"/layer1/conv1/Conv", "layer1/conv1/Conv", "conv1"};
    QTest::addRow("words") << QStringList{"mixed_5b_branch1x1", "mixed_5b_pool"} << QStringList{}
                           << QStringList{"mixed_5b_branch1x1", "branch1x1"};
    QTest::addRow("one is the front of the other")
        << QStringList{"a/b", "a/b/c"} << QStringList{} << QStringList{"a/b", "b"};
    QTest::addRow("nothing in common") << QStringList{"conv", "pool"} << QStringList{} << QStringList{"conv"};
    QTest::addRow("single") << QStringList{"features/conv"} << QStringList{} << QStringList{"features/conv"};
}

void TestScheduleView::labels_sharedParts_areCutFirst()
{
    QFETCH(QStringList, names);
    QFETCH(QStringList, more);
    const auto graph = graphOf(names + more);
    TimedSchedule schedule;
    Stage stage;
    for (qsizetype i = 0; i < names.size(); ++i)
        stage.groups.push_back({OperatorId::fromIndex(static_cast<std::size_t>(i))});
    schedule.stages.push_back(stage);
    for (qsizetype i = names.size(); i < names.size() + more.size(); ++i)
        schedule.stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(static_cast<std::size_t>(i))}}});
    const OperatorLabels labels(graph, std::make_shared<const TimedSchedule>(schedule));
    QFETCH(QStringList, texts);
    QCOMPARE(labels.texts(OperatorId(0), 0), texts);
    const QFontMetrics metrics(QFont{});
    QCOMPARE(labels.fitted(OperatorId(0), 0, metrics, 2000), texts.front());
    int widest = 0; // of what tells them apart
    for (std::size_t i = 0; i < stage.groups.size(); ++i)
        widest = std::max(widest, metrics.horizontalAdvance(labels.texts(OperatorId::fromIndex(i), 0).back()));
    QCOMPARE(labels.fitted(OperatorId(0), 0, metrics, widest), texts.back());
    for (std::size_t i = 1; i < stage.groups.size(); ++i) { // the others differ, at every width
        for (int width = widest; width < 300; width += 10)
            QVERIFY(labels.fitted(OperatorId::fromIndex(i), 0, metrics, width) !=
                    labels.fitted(OperatorId(0), 0, metrics, width));
    }
}

void TestScheduleView::labels_controlCharacters_stayOnOneLine()
{
    const auto graph = graphOf({QString::fromUtf8("conv\nleft\u202eright"), "b"});
    const OperatorLabels labels(graph, chain(*graph));
    QCOMPARE(labels.fitted(OperatorId(0), 0, QFontMetrics(QFont{}), 1000), QStringLiteral("conv\\nleft\\u202eright"));
}

void TestScheduleView::header_narrow_keepsTheLatency()
{
    const SchedulePage layout = schedulePage(*m_sample.schedule, 600, 1);
    const StageMarks noMarks;
    const OperatorLabels labels(m_sample.graph, m_sample.schedule);
    const std::vector<TimeChange> changes{{60, 45, false}, {40, 40, false}};
    const SchedulePicture picture{*m_sample.graph, *m_sample.schedule, layout, {}, {}, {}, false, noMarks, labels,
                                  changes};
    const QFontMetrics metrics(QFont{});
    const QString minus(QChar(0x2212));
    const HeaderText wide = headerText(picture, 0, metrics, 2000);
    QCOMPARE(wide.latency, QString::fromUtf8("45.0 µs"));
    QCOMPARE(wide.change, minus + QString::fromUtf8("15.0 µs, ") + minus + QStringLiteral("25.0 %"));
    QVERIFY2(wide.facts.startsWith(QStringLiteral("4 operators, 2 stages")), qPrintable(wide.facts));
    QVERIFY(headerText(picture, 1, metrics, 2000).change.isEmpty()); // the same
    for (int width = 400; width > 0; width -= 10) {
        const HeaderText said = headerText(picture, 0, metrics, width);
        QCOMPARE(said.latency, wide.latency);
        const int used = metrics.horizontalAdvance(said.latency) + metrics.horizontalAdvance(said.change) +
                         metrics.horizontalAdvance(said.facts);
        QVERIFY2(used <= width || (said.change.size() < 2 && said.facts.isEmpty()), qPrintable(said.change));
    }
    const int little = metrics.horizontalAdvance(wide.latency + minus + QStringLiteral("25.0 %")) + 40;
    QCOMPARE(headerText(picture, 0, metrics, little).change, minus + QStringLiteral("25.0 %"));
}

void TestScheduleView::header_barriers_areParts()
{
    TimedSchedule schedule = *m_sample.schedule; // a stage of two groups, then three of one: one barrier
    schedule.measured.whole = Timing::ofLatency(85 + 9);
    const SchedulePage layout = schedulePage(schedule, 600, 1);
    QCOMPARE(layout.headers[0].parts->barriers, std::size_t{1});
    QCOMPARE(layout.headers[0].parts->latencyUs(), 54.0);
    QCOMPARE(layout.headers[1].parts->latencyUs(), 40.0);
    QCOMPARE(partsText(*layout.headers[0].parts), QString::fromUtf8("2 stages 45.0 µs, 1 barrier 9.00 µs"));
    QCOMPARE(partsText(*layout.headers[1].parts), QString::fromUtf8("2 stages 40.0 µs, no barriers"));
    QVERIFY(aboutBarriers(0).contains(QStringLiteral("one stream")));
}

void TestScheduleView::screenReader_readsStagesAndOperators()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(600, 500);
    view.setSchedule(m_sample.graph, m_sample.schedule);
    view.show();
    QAccessibleInterface *root = QAccessible::queryAccessibleInterface(&view);
    QVERIFY(root);
    QVERIFY(root->role() == QAccessible::Tree);
    QCOMPARE(root->childCount(), 4);
    const QAccessibleInterface *first = root->child(0);
    QCOMPARE(first->text(QAccessible::Name), QString::fromUtf8("Stage 1, block 1: 2 groups, 3 operators, 40.0 µs"));
    QCOMPARE(root->child(2)->text(QAccessible::Name),
             QString::fromUtf8("Stage 3, block 2: merged into one operator, 2 operators, 30.0 µs"));
    QCOMPARE(first->childCount(), 3);
    QCOMPARE(first->child(1)->text(QAccessible::Name), QStringLiteral("b, Conv-Relu, group b"));
    QVERIFY(first->child(1)->parent() == first);
    QVERIFY(first->parent() == root);
    QCOMPARE(root->indexOfChild(root->child(3)), 3);
    QCOMPARE(first->indexOfChild(first->child(2)), 2);
    const QPoint middle = first->child(1)->rect().center();
    QVERIFY(root->childAt(middle.x(), middle.y()) == first);
    QVERIFY(first->childAt(middle.x(), middle.y()) == first->child(1));
    selection.set({m_sample.op("b"), 0});
    QVERIFY(first->child(1)->state().selected && !first->state().selected && !first->child(0)->state().selected);
    view.setSchedule(m_sample.graph, nullptr);
    QCOMPARE(root->childCount(), 0);
}

void TestScheduleView::screenReader_focus_isWhatIsSelected()
{
    Selection selection;
    ScheduleView view(&selection);
    view.resize(600, 500);
    view.setSchedule(m_sample.graph, m_sample.schedule);
    const QAccessibleInterface *root = QAccessible::queryAccessibleInterface(&view);
    QVERIFY(!root->focusChild());
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Down);
    QCOMPARE(root->focusChild()->text(QAccessible::Name), QString::fromUtf8("Stage 2, block 1: 1 operator, 5.00 µs"));
    selection.set({m_sample.op("d"), 2});
    QCOMPARE(root->focusChild()->text(QAccessible::Name), QStringLiteral("d, Conv-Relu"));
    QVERIFY(root->focusChild()->state().selected);
    // Those of another schedule are gone.
    const auto graph = chainGraph(3);
    view.setSchedule(graph, chain(*graph));
    QCOMPARE(root->focusChild()->text(QAccessible::Name), QString::fromUtf8("Stage 3, block 1: 1 operator, 3.00 µs"));
    QCOMPARE(root->childCount(), 3);
}

STAGECRAFT_SUITE(TestScheduleView)

} // namespace tst_schedule_view
#include "tst_schedule_view.moc"
