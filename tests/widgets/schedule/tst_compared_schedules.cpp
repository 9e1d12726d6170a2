// Compared schedules as values: what is level, what folds, which stages are counterparts.

#include "search/streams/relaxed.h"
#include "support/schedule_making.h"
#include "support/suite.h"
#include "support/timing_making.h"
#include "widgets/schedule/compared_schedules.h"
#include "widgets/schedule/edit_geometry.h"
#include "widgets/schedule/row_places.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/span_change.h"
#include "widgets/schedule/streams_page.h"

#include <QTest>

using namespace stagecraft;

namespace tst_compared_schedules {

class TestComparedSchedules : public QObject {
    Q_OBJECT

private slots:
    void init();
    void spans_ofBothSides_haveTheSameOperators();
    void counterpart_ofEqualStage_isTheSameStage();
    void counterpart_whereThereIsNone_isNothing();
    void links_countSharedOperators();
    void nextDifference_goesBothWays();
    void placeRows_spans_startLevel();
    void placeRows_streamsBeside_startLevelAtCommonCuts();
    void placeRows_folded_takeOneLine();
    void equalRuns_stayInTheirBlock();
    void layout_folded_hasNoBoxes();
    void layout_narrowPane_keepsAllLanesInSight();
    void layout_narrowPane_isAnOperatorALine();
    void spanText_ofDifferingSpans_saysTimesAndBarriers();
    void layout_withoutPlaces_isAsBefore();

private:
    [[nodiscard]] Stage stageOf(std::size_t block, std::vector<std::vector<const char *>> groups) const
    {
        Stage stage;
        stage.block = block;
        for (const auto &names : groups) {
            std::vector<OperatorId> ids;
            for (const char *name : names)
                ids.push_back(m_sample.op(name));
            stage.groups.push_back(ids);
        }
        return stage;
    }

    test::Sample m_sample = test::makeSample();
    std::shared_ptr<const TimedSchedule>
        m_other; // a and b apart, c joined with ac's predecessor; block 1 as in the sample
    ComparedSchedules m_compared;
};

void TestComparedSchedules::init()
{
    TimedSchedule other = *m_sample.schedule;
    other.stages = {stageOf(0, {{"b"}}), stageOf(0, {{"a"}, {"c"}}), m_sample.schedule->stages[1],
                    m_sample.schedule->stages[2], m_sample.schedule->stages[3]};
    other.measured.stages = test::timingsOf({20, 25, 5, 30, 10});
    m_other = std::make_shared<const TimedSchedule>(other);
    m_compared = ComparedSchedules(m_sample.graph, {m_sample.schedule, m_other});
}

void TestComparedSchedules::spans_ofBothSides_haveTheSameOperators()
{
    QCOMPARE(m_compared.spans().size(), std::size_t{4});
    QVERIFY(m_compared.spans()[0].sides == (std::vector<StageRange>{{0, 1}, {0, 2}}));
    QVERIFY(!m_compared.spans()[0].isEqual && m_compared.spans()[1].isEqual);
    QCOMPARE(m_compared.differences(), std::size_t{1});
    QVERIFY(m_compared.spanOf(1, 1) == std::size_t{0});
    QVERIFY(m_compared.spanOf(1, 2) == std::size_t{1});
    QVERIFY(!m_compared.spanOf(1, 5));
    QVERIFY(m_compared.rangeOfBlock(1, 0) == (StageRange{0, 3}));
    QVERIFY(m_compared.rangeOfBlock(1, 1) == (StageRange{3, 2}));
}

void TestComparedSchedules::counterpart_ofEqualStage_isTheSameStage()
{
    QVERIFY(m_compared.counterpart(0, 2, 1) == std::size_t{3});
    QVERIFY(m_compared.counterpart(1, 4, 0) == std::size_t{3});
}

void TestComparedSchedules::counterpart_whereThereIsNone_isNothing()
{
    // {a | b, c} shares one operator with {b} and two with {a | c}.
    QVERIFY(m_compared.counterpart(0, 0, 1) == std::size_t{1});
    QVERIFY(!m_compared.counterpart(1, 0, 0));
}

void TestComparedSchedules::links_countSharedOperators()
{
    const std::vector<StageLink> links = m_compared.links(0, 0, 1);
    QCOMPARE(links.size(), std::size_t{2});
    QVERIFY(links[0] == (StageLink{0, 0, 1}));
    QVERIFY(links[1] == (StageLink{0, 1, 2}));
}

void TestComparedSchedules::nextDifference_goesBothWays()
{
    QVERIFY(m_compared.nextDifference({}, 1) == std::size_t{0});
    QVERIFY(m_compared.nextDifference({}, -1) == std::size_t{0});
    QVERIFY(m_compared.nextDifference(3, -1) == std::size_t{0});
    QVERIFY(!m_compared.nextDifference(0, 1));
}

void TestComparedSchedules::placeRows_spans_startLevel()
{
    for (const double zoom : {0.3, 1.0, 1.7}) {
        const auto pages = placeRows(m_compared.stages(), m_compared.spans(), {}, zoom);
        std::vector<SchedulePage> layouts;
        for (std::size_t side = 0; side < 2; ++side)
            layouts.push_back(schedulePage(m_compared.schedule(side), 500, zoom, &pages[side]));
        QCOMPARE(layouts[0].size.height(), layouts[1].size.height());
        for (const CommonSpan &span : m_compared.spans())
            QCOMPARE(layouts[0].rows[span.sides[0].first].rect.top(), layouts[1].rows[span.sides[1].first].rect.top());
        for (std::size_t block = 0; block < 2; ++block)
            QCOMPARE(layouts[0].headers[block].rect, layouts[1].headers[block].rect);
        // Rows never overlap each other or headers.
        for (const SchedulePage &layout : layouts) {
            for (std::size_t i = 1; i < layout.rows.size(); ++i)
                QVERIFY(layout.rows[i - 1].rect.bottom() <= layout.rows[i].rect.top() + 1e-9);
            QVERIFY(layout.rows.back().rect.bottom() <= layout.size.height());
        }
    }
}

void TestComparedSchedules::placeRows_streamsBeside_startLevelAtCommonCuts()
{
    const Streams streams = relaxedStreams(*m_sample.graph, m_other->stages);
    for (const auto &folded : {std::set<std::size_t>(), std::set<std::size_t>{2}}) {
        const StreamsBeside beside = streamsBeside(streams, m_compared.stages(), m_compared.spans());
        QCOMPARE(beside.launches.size(), m_compared.spans().size());
        std::size_t next = 0; // each launch once
        for (const StageRange &launches : beside.launches) {
            QVERIFY(launches.count == 0 || launches.first == next);
            next += launches.count;
        }
        QCOMPARE(next, streams.launches.size());
        const auto pages = placeRows(m_compared.stages(), m_compared.spans(), folded, 1, kAnyWidth, {&beside, 1});
        QCOMPARE(pages.size(), std::size_t{3});
        QCOMPARE(pages[2].height, pages[0].height);
        const StreamsPage page = streamsPage(streams, 500, 1, &pages[2]);
        QVERIFY(page.boxes.back().bottom() <= pages[2].height);
        for (const SpanPlace &span : pages[2].spans) {
            QCOMPARE(span.top, pages[0].spans[span.span].top);
            QCOMPARE(page.boxes[span.stages.first].top() - span.top, page.boxes.front().top() - pages[2].spans[0].top);
        }
        for (std::size_t i = 1; i < page.boxes.size(); ++i) {
            QVERIFY(page.boxes[i].top() >= page.boxes[i - 1].top());
            QVERIFY(page.rows[i] == page.rows[i - 1] || page.boxes[i].top() > page.boxes[i - 1].bottom());
        }
    }
}

void TestComparedSchedules::placeRows_folded_takeOneLine()
{
    const std::vector<EqualRun> runs = equalRuns(m_compared.spans());
    QCOMPARE(runs.size(), std::size_t{1}); // stages of block 1; the single equal stage of block 0 needs no line
    QCOMPARE(runs[0].firstSpan, std::size_t{2});
    QCOMPARE(runs[0].spans, std::size_t{2});
    const auto open = placeRows(m_compared.stages(), m_compared.spans(), {}, 1);
    const auto folded = placeRows(m_compared.stages(), m_compared.spans(), {2}, 1);
    const double rows = rowHeight(m_compared.schedule(0).stages[2], 1) + rowHeight(m_compared.schedule(0).stages[3], 1);
    QCOMPARE(folded[0].height, open[0].height - rows);
    QVERIFY(folded[1].folds[0].isFolded && !open[1].folds[0].isFolded);
    QVERIFY(folded[1].folds[0].stages == (StageRange{3, 2}));
}

void TestComparedSchedules::equalRuns_stayInTheirBlock()
{
    const ComparedSchedules same(m_sample.graph, {m_sample.schedule, m_sample.schedule});
    const std::vector<EqualRun> runs = equalRuns(same.spans());
    QCOMPARE(runs.size(), std::size_t{2});
    QCOMPARE(runs[1].firstSpan, std::size_t{2});
}

void TestComparedSchedules::layout_folded_hasNoBoxes()
{
    const auto pages = placeRows(m_compared.stages(), m_compared.spans(), {2}, 1);
    const SchedulePage layout = schedulePage(*m_other, 500, 1, &pages[1]);
    QCOMPARE(layout.rows.size(), std::size_t{5});
    QCOMPARE(layout.boxes.size(), std::size_t{4});
    QCOMPARE(layout.rows[4].boxCount, std::size_t{0});
    const FoldLine *fold = layout.foldAt(layout.folds[0].rect.center());
    QVERIFY(fold && fold->latencyUs);
    QCOMPARE(*fold->latencyUs, 40.0);
    QVERIFY(!layout.at(fold->rect.center()));
    QVERIFY(!layout.foldAt(layout.rows[0].rect.center()));
}

void TestComparedSchedules::layout_narrowPane_keepsAllLanesInSight()
{
    const auto pages = placeRows(m_compared.stages(), m_compared.spans(), {}, 1);
    QVERIFY(schedulePage(*m_sample.schedule, 220, 1, &pages[0]).size.width() <= 220);
    QVERIFY(schedulePage(*m_sample.schedule, 220, 1).size.width() > 220); // on its own, names are readable
}

// Names need a width: in a narrow pane every operator has the whole of it, and rows stay level.
void TestComparedSchedules::layout_narrowPane_isAnOperatorALine()
{
    const double width = 240;
    const auto pages = placeRows(m_compared.stages(), m_compared.spans(), {}, 1, width);
    std::vector<SchedulePage> layouts;
    for (std::size_t side = 0; side < 2; ++side) {
        layouts.push_back(schedulePage(m_compared.schedule(side), width, 1, &pages[side]));
        QVERIFY(layouts[side].size.width() <= width);
    }
    const SchedulePage &layout = layouts[0];
    QVERIFY(layout.rows[0].isList && layout.rows[2].isList); // two groups; two merged operators
    QVERIFY(!layout.rows[1].isList);                         // a single operator
    double bottom = 0;
    for (std::size_t i = 0; i < 3; ++i) { // a; b, c
        QVERIFY(layout.boxes[i].rect.width() >= 100);
        QVERIFY(layout.boxes[i].rect.top() >= bottom);
        bottom = layout.boxes[i].rect.bottom();
        QVERIFY(layout.at(layout.boxes[i].rect.center())->op == layout.boxes[i].op);
    }
    QVERIFY(bottom <= layout.rows[0].rect.bottom());
    QCOMPARE(layout.rows[0].rect.height(), rowHeight(m_sample.schedule->stages[0], 1, width));
    for (const CommonSpan &span : m_compared.spans())
        QCOMPARE(layouts[0].rows[span.sides[0].first].rect.top(), layouts[1].rows[span.sides[1].first].rect.top());
    // Lanes are found below each other.
    const OperatorBox &c = layout.boxes[2];
    QCOMPARE(laneAt(layout, layout.rows[0], {layout.rows[0].lanes.left() + 2, c.rect.center().y()}),
             std::optional(c.group));
    const auto wide = placeRows(m_compared.stages(), m_compared.spans(), {}, 1, 900);
    QVERIFY(!schedulePage(*m_sample.schedule, 900, 1, wide.data()).rows[0].isList);
}

void TestComparedSchedules::spanText_ofDifferingSpans_saysTimesAndBarriers()
{
    const QStringList letters{"A", "B", "C"};
    const QString minus(QChar(0x2212));
    QCOMPARE(spanText(m_compared, 0, letters), QString::fromUtf8("40.0 → 45.0 µs, +12.5 %; barriers 1 → 2"));
    const ComparedSchedules three(m_sample.graph, {m_other, m_sample.schedule, m_sample.schedule});
    QVERIFY2(spanText(three, 0, letters).startsWith(QString::fromUtf8("B 45.0 → 40.0 µs, ") + minus),
             qPrintable(spanText(three, 0, letters)));
    QVERIFY(spanText(three, 0, letters).contains(QString::fromUtf8(" · C 45.0")));
    TimedSchedule batches = *m_other;
    batches.context.batch = 4;
    const ComparedSchedules perImage(m_sample.graph,
                                     {m_sample.schedule, std::make_shared<const TimedSchedule>(batches)});
    QVERIFY2(spanText(perImage, 0, letters).startsWith(QString::fromUtf8("40.0 → 11.3 µs an image, ")),
             qPrintable(spanText(perImage, 0, letters)));
    batches.measured.stages.clear();
    const ComparedSchedules unmeasured(m_sample.graph,
                                       {m_sample.schedule, std::make_shared<const TimedSchedule>(batches)});
    QVERIFY(spanText(unmeasured, 0, letters).startsWith(QStringLiteral("not measured")));
}

void TestComparedSchedules::layout_withoutPlaces_isAsBefore()
{
    const SchedulePage layout = schedulePage(*m_sample.schedule, 500, 1);
    QVERIFY(layout.folds.empty() && layout.spans.empty());
    QCOMPARE(layout.rows[1].rect.top(), layout.rows[0].rect.bottom());
}

STAGECRAFT_SUITE(TestComparedSchedules)

} // namespace tst_compared_schedules
#include "tst_compared_schedules.moc"
