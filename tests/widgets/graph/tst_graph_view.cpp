#include "search/stages/search.h"
#include "support/inception_like.h"
#include "support/picture.h"
#include "support/suite.h"
#include "timing/timeline/timeline.h"
#include "widgets/base/find_bar.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/overlay/graph_legend.h"
#include "widgets/graph/paint/graph_painter.h"
#include "widgets/graph/paint/small_names.h"

#include <QImage>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_graph_view {

namespace {

std::shared_ptr<const TimedSchedule> greedy(const ModelOfModules &model)
{
    auto schedule = std::make_shared<TimedSchedule>(greedySchedule(*model.graph, model.blocks));
    for (std::size_t i = 0; i < schedule->stages.size(); ++i)
        schedule->measured.stages.push_back(Timing::ofLatency(10.0 + static_cast<double>(i)));
    schedule->measured.provenance = Provenance::Simulated;
    return schedule;
}

// Text is darker than anything else in the light theme's graph.
bool hasDarkText(const QImage &image)
{
    int dark = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            dark += qGray(image.pixel(x, y)) < 70 ? 1 : 0;
    }
    return dark > 100;
}

std::size_t colours(const QImage &image)
{
    std::set<QRgb> seen;
    for (int y = 0; y < image.height(); y += 2) {
        for (int x = 0; x < image.width(); x += 2)
            seen.insert(image.pixel(x, y));
    }
    return seen.size();
}

} // namespace

class TestGraphView : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_selection = std::make_unique<Selection>();
        m_view = std::make_unique<GraphView>(m_selection.get());
        m_view->resize(900, 700);
        m_view->show();
    }

    void cleanup()
    {
        m_view.reset();
        m_selection.reset();
    }

    void paint_withoutModel_offersToOpenOne()
    {
        QSignalSpy opened(m_view.get(), &GraphView::openRequested);
        auto *button = m_view->findChild<QPushButton *>();
        QVERIFY(button && button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(opened.count(), 1);
        QVERIFY(colours(grabbed()) > 4);
    }

    void setModel_laidOut_paintsCardsInStageColours()
    {
        const ModelOfModules model = open(3);
        m_view->setSchedule(greedy(model));
        const Theme theme = themeFor(m_view->palette());
        QVERIFY(shows(grabbed(), theme.stageFill(0)));
        QVERIFY(shows(grabbed(), theme.stageFill(1)));
    }

    void setModel_null_goesBackToEmpty()
    {
        open(2);
        m_view->setModel(nullptr, {});
        QVERIFY(m_view->findChild<QPushButton *>()->isVisible());
        QVERIFY(!m_view->isBusy());
    }

    void setModel_twiceAtOnce_showsOnlyTheLast()
    {
        const ModelOfModules large = inceptionLike(60);
        const ModelOfModules small = inceptionLike(1);
        QSignalSpy done(m_view.get(), &GraphView::drawingFinished);
        m_view->setModel(large.graph, large.blocks);
        m_view->setModel(small.graph, small.blocks);
        QTRY_COMPARE(done.count(), 1);
        QCOMPARE(m_view->graph(), small.graph);
        const ModelOfModules next = inceptionLike(2); // layouts come in turn: a late one would come first
        m_view->setModel(next.graph, next.blocks);
        QTRY_COMPARE(m_view->isBusy(), false);
        QCOMPARE(done.count(), 2);
        QCOMPARE(m_view->graph(), next.graph);
    }

    void setColouring_heatAndType_changesTheColours()
    {
        const ModelOfModules model = open(2);
        m_view->setSchedule(greedy(model));
        const Theme theme = themeFor(m_view->palette());
        QSignalSpy changed(m_view.get(), &GraphView::colouringChanged);
        m_view->setColouring(Colouring::Heat);
        QVERIFY(shows(graphArea(grabbed()), theme.heat(1)));
        QVERIFY(!shows(graphArea(grabbed()), theme.stageFill(1)));
        m_view->setColouring(Colouring::Type);
        QVERIFY(!shows(graphArea(grabbed()), theme.heat(1)));
        for (const Operator &op : model.graph->operators())
            QVERIFY2(shows(graphArea(grabbed()), theme.stageFill(typeFamily(op))), op.name.c_str());
        QCOMPARE(changed.count(), 2);
    }

    void setColouring_allKinds_paintValuesOrSayWhatIsMissing()
    {
        const ModelOfModules model = open(2);
        const auto schedule = greedy(model);
        m_view->setSchedule(schedule);
        const Theme theme = themeFor(m_view->palette());
        for (const Colouring colouring : {Colouring::Flops, Colouring::Bytes}) {
            m_view->setColouring(colouring);
            QVERIFY(shows(graphArea(grabbed()), theme.heat(1)));
        }
        m_view->setColouring(Colouring::Lost);
        QVERIFY(!shows(graphArea(grabbed()), theme.heat(1))); // without a timeline
        auto timeline = std::make_shared<Timeline>();
        timeline->streams = 1;
        timeline->durationNs = 30;
        timeline->stages = {{0, 0, 30}};
        timeline->kernels.resize(1);
        timeline->kernels[0].operators = {*model.graph->find("m0/a")};
        timeline->kernels[0].startNs = 10;
        timeline->kernels[0].endNs = 30;
        m_view->setTimeline(std::make_shared<const TimelineIndex>(timeline));
        QVERIFY(shows(graphArea(grabbed()), theme.heat(1)));
    }

    void paint_zoomedOut_hasNamesInTheSizeOfTheWindow()
    {
        open(30);
        m_view->fitAll();
        QTRY_VERIFY(hasDarkText(graphArea(grabbed()))); // once the view has come to rest
        // Each name is as wide as it may be and starts where no card is.
        FittedNames names(m_view->font());
        const QString whole = QStringLiteral("module_17/branch_pool");
        for (const int width : {20, 40, 80, 200})
            QVERIFY(names.metrics().horizontalAdvance(names.at(1, whole, width)) <= width);
        QCOMPARE(names.at(1, whole, 200), whole);
        QVERIFY(whole.endsWith(names.at(1, whole, 80).section(QLatin1Char('/'), -1)));
        QVERIFY(whole.endsWith(names.at(1, whole, 30).mid(1)) && names.at(1, whole, 30).size() > 2); // not its middle
    }

    void setColouring_heat_isKeptWhenFolded()
    {
        const ModelOfModules model = open(2);
        m_view->setSchedule(greedy(model));
        m_view->setColouring(Colouring::Heat);
        const Theme theme = themeFor(m_view->palette());
        QSignalSpy done(m_view.get(), &GraphView::drawingFinished);
        m_view->setAllFolded(true);
        QTRY_COMPARE(done.count(), 1);
        QVERIFY(shows(graphArea(grabbed()), theme.heat(1))); // the block with the hottest operator
    }

    void setComparedSchedule_moved_coloursWhatDiffers()
    {
        const ModelOfModules model = open(2);
        const auto schedule = greedy(model);
        m_view->setSchedule(schedule);
        m_view->setColouring(Colouring::Moved);
        const Theme theme = themeFor(m_view->palette());
        const QColor moved = changeFill(theme, StageChange::Moved);
        QVERIFY(!shows(graphArea(grabbed()), moved));
        auto other = std::make_shared<TimedSchedule>(sequentialSchedule(*model.graph, model.blocks));
        m_view->setComparedSchedule(other, QStringLiteral("B Sequential"));
        QVERIFY(shows(graphArea(grabbed()), moved));
        m_view->setComparedSchedule(nullptr, {});
        QVERIFY(!shows(graphArea(grabbed()), moved));
    }

    void keys_ancestorsDescendantsAndPaths_chooseOperators()
    {
        const ModelOfModules model = open(2);
        const auto names = [&] {
            QStringList found;
            for (const OperatorId op : m_view->chosen())
                found << QString::fromStdString(model.graph->op(op).name);
            return found.join(QLatin1Char(' '));
        };
        m_view->setFocus();
        m_selection->set({*model.graph->find("m0/c2"), std::nullopt});
        QTest::keyClick(m_view.get(), Qt::Key_Up, Qt::ShiftModifier);
        QCOMPARE(names(), QStringLiteral("m0/c1"));
        QTest::keyClick(m_view.get(), Qt::Key_Down, Qt::ShiftModifier);
        QVERIFY(names().startsWith(QStringLiteral("m0/c3 m0/concat m1/a")));
        m_selection->set({*model.graph->find("m0/concat"), std::nullopt});
        QVERIFY(m_view->chosen().empty());
        QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(names(), QStringLiteral("m0/c2 m0/c3 m0/concat"));
        QTest::keyClick(m_view.get(), Qt::Key_Escape); // first what is chosen, then the selection
        QVERIFY(m_view->chosen().empty() && m_selection->current().op);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_selection->current().op);
    }

    void shiftClick_showsThePaths()
    {
        const ModelOfModules model = open(2);
        const QPoint at = centreOf("m0/concat");
        QVERIFY(!at.isNull());
        m_selection->set({*model.graph->find("m0/b1"), std::nullopt});
        QTRY_VERIFY(!m_view->isMoving());
        const QPoint now = centreOf("m0/concat");
        m_selection->set({*model.graph->find("m0/b1"), std::nullopt});
        QTRY_VERIFY(!m_view->isMoving());
        QTest::mouseClick(m_view.get(), Qt::LeftButton, Qt::ShiftModifier, now);
        QCOMPARE(m_view->chosen().size(), std::size_t{3}); // b1, b2, concat
    }

    void isolate_showsOnlyWhatIsChosen()
    {
        const ModelOfModules model = open(2);
        m_view->setSchedule(greedy(model));
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_I); // nothing is selected
        QVERIFY(!m_view->isIsolated());
        const int before = inkOf(graphArea(grabbed()));
        m_selection->set({*model.graph->find("m0/c1"), std::nullopt});
        QTest::keyClick(m_view.get(), Qt::Key_I);
        QVERIFY(m_view->isIsolated());
        QTRY_VERIFY(!m_view->isMoving());
        QVERIFY(centreOf("m0/b1").isNull()); // what is not shown cannot be pressed
        m_selection->set({*model.graph->find("m0/c1"), std::nullopt});
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->isIsolated());
        m_view->setAllFolded(false); // a press on its title folds a block, while looking for the operator, too
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QTRY_VERIFY(!m_view->isMoving());
        QVERIFY(before > 0 && !centreOf("m0/b1").isNull());
    }

    void keys_wasd_zoomAndPan()
    {
        open(6);
        m_view->setFocus();
        const double before = m_view->zoom();
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QTRY_VERIFY(m_view->zoom() > before * 1.2);
        QTest::keyClick(m_view.get(), Qt::Key_S);
        QTRY_VERIFY(qFuzzyCompare(m_view->zoom(), before));
    }

    void click_onCard_selectsOperatorWithItsStage()
    {
        const ModelOfModules model = open(2);
        const auto schedule = greedy(model);
        m_view->setSchedule(schedule);
        const OperatorId op = *model.graph->find("m0/b1");
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, centreOf("m0/b1"));
        QCOMPARE(m_selection->current().op, std::optional(op));
        const auto &stage = schedule->stages[*m_selection->current().stage];
        QVERIFY(
            std::ranges::any_of(stage.groups, [&](const auto &group) { return std::ranges::count(group, op) == 1; }));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(30, 300)); // on empty canvas
        QCOMPARE(m_selection->current(), Selected{});
    }

    void select_operatorElsewhere_scrollsToIt()
    {
        const ModelOfModules model = open(30);
        const QColor accent = themeFor(m_view->palette()).accent;
        const int before = pixelsOf(graphArea(grabbed()), accent);
        m_selection->set({*model.graph->find("m29/concat"), std::nullopt});
        QTRY_VERIFY(!m_view->isMoving());
        QVERIFY(pixelsOf(graphArea(grabbed()), accent) > before);
        QVERIFY(m_view->accessibleDescription().contains("m29/concat"));
        QVERIFY(!centreOf("m29/concat").isNull());
    }

    void select_stage_stepsOthersBack()
    {
        const ModelOfModules model = open(1);
        m_view->setSchedule(greedy(model));
        const Theme theme = themeFor(m_view->palette());
        QVERIFY(shows(grabbed(), theme.stageFill(1)));
        m_selection->set({std::nullopt, 0});
        QTRY_VERIFY(!m_view->isMoving());
        QVERIFY(shows(grabbed(), theme.stageFill(0)));
        QVERIFY(!shows(graphArea(grabbed()), theme.stageFill(1)));
    }

    void arrowKeys_withSelection_walkAlongEdges()
    {
        const ModelOfModules model = open(2);
        m_selection->set({*model.graph->find("m0/c1"), std::nullopt});
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QCOMPARE(m_selection->current().op, model.graph->find("m0/c2"));
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QTest::keyClick(m_view.get(), Qt::Key_Up);
        QCOMPARE(m_selection->current().op, model.graph->find("m0/c2"));
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QCOMPARE(m_selection->current(), Selected{});
    }

    void zoom_byKeysWheelAndFit_changesTheZoom()
    {
        open(6);
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QTRY_VERIFY(!m_view->isMoving());
        const double whole = m_view->zoom();
        QTest::keyClick(m_view.get(), Qt::Key_Plus);
        QTRY_VERIFY(qFuzzyCompare(m_view->zoom(), whole * 1.25));
        QWheelEvent wheel(QPointF(300, 300), m_view->mapToGlobal(QPointF(300, 300)), {}, QPoint(0, 120), Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_view.get(), &wheel);
        QTRY_VERIFY(!m_view->isMoving() && m_view->zoom() > whole * 1.3);
        QTest::keyClick(m_view.get(), Qt::Key_0);
        QTRY_VERIFY(qFuzzyCompare(m_view->zoom(), whole));
    }

    void drag_onCanvas_pans()
    {
        open(6);
        // What was 120 pixels further down before; legend, minimap and buttons are outside this part.
        const auto part = [&](int top) { return grabbed().copy(260, top, 360, 300); };
        const QImage before = part(220);
        QVERIFY(inkOf(before) > 0);
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, QPoint(60, 300));
        QTest::mouseMove(m_view.get(), QPoint(60, 260));
        QTest::mouseMove(m_view.get(), QPoint(60, 180));
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, QPoint(60, 180));
        QCOMPARE(part(100), before);
        QCOMPARE(m_selection->current(), Selected{}); // a drag does not select
    }

    void fold_block_hidesItsOperators()
    {
        const ModelOfModules model = open(2);
        m_view->setSchedule(greedy(model));
        QSignalSpy done(m_view.get(), &GraphView::drawingFinished);
        m_view->setBlockFolded(0, true);
        QTRY_COMPARE(done.count(), 1);
        QVERIFY(m_view->isBlockFolded(0));
        QVERIFY(!m_view->isBlockFolded(1));
        m_view->setAllFolded(false);
        QTRY_COMPARE(done.count(), 2);
        QVERIFY(!m_view->isBlockFolded(0));
    }

    void click_onBlockTitle_foldsTheBlock()
    {
        open(1);
        // The title is somewhere on the upper border of the only frame.
        for (int y = 60; y < 300 && !m_view->isBlockFolded(0); y += 8) {
            for (int x = 250; x < 600 && !m_view->isBlockFolded(0); x += 24)
                QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(x, y));
        }
        QVERIFY(m_view->isBlockFolded(0));
    }

    void keys_withControl_areLeftToTheWindow()
    {
        open(6);
        const double before = m_view->zoom();
        QTest::keyClick(m_view.get(), Qt::Key_F, Qt::AltModifier);
        QVERIFY(!m_view->isMoving());
        QCOMPARE(m_view->zoom(), before);
    }

    void find_text_countsAndSteps()
    {
        open(4);
        QSignalSpy matches(m_view.get(), &GraphView::matchesChanged);
        m_view->find("concat");
        QCOMPARE(m_view->matchCount(), 4);
        QCOMPARE(m_view->currentMatch(), 0);
        m_view->findPrevious();
        QCOMPARE(m_view->currentMatch(), 3);
        m_view->findNext();
        QCOMPARE(m_view->currentMatch(), 0);
        m_view->find("winograd");
        QCOMPARE(m_view->matchCount(), 0);
        QCOMPARE(m_view->currentMatch(), -1);
        QCOMPARE(matches.count(), 4);
    }

    void findBar_typing_searches()
    {
        open(3);
        QTest::keyClick(m_view.get(), Qt::Key_F, Qt::ControlModifier);
        auto *line = m_view->findChild<QLineEdit *>();
        QVERIFY(line && line->isVisible());
        QTest::keyClicks(line, "b2");
        QCOMPARE(m_view->matchCount(), 3);
        QTest::keyClick(line, Qt::Key_Return); // selects everywhere, then goes on
        QCOMPARE(m_view->currentMatch(), 0);
        QCOMPARE(m_selection->current().op, m_model.graph->find("m0/b2"));
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(m_view->currentMatch(), 1);
        QCOMPARE(m_selection->current().op, m_model.graph->find("m1/b2"));
        QTest::keyClick(line, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(m_selection->current().op, m_model.graph->find("m0/b2"));
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(!line->isVisible());
        QCOMPARE(m_view->matchCount(), 0);
    }

    void find_numbers_areListedWithTheirValues()
    {
        open(3);
        m_view->showFindBar();
        QLineEdit *line = m_view->findChild<QLineEdit *>();
        QTest::keyClicks(line, "conv flops > 0.1M");
        const QAbstractItemModel *rows = findBar()->hits()->model();
        QVERIFY(m_view->matchCount() > 2 && findBar()->hits()->isVisible());
        QCOMPARE(rows->rowCount(), m_view->matchCount());
        QVERIFY2(rows->index(1, 0).data().toString().contains("FLOP"), qPrintable(rows->index(1, 0).data().toString()));
        QVERIFY(m_view->rect().contains(findBar()->geometry()));
        findBar()->hits()->setCurrentIndex(rows->index(2, 0));
        QTest::keyClick(findBar()->hits(), Qt::Key_Return);
        QCOMPARE(m_view->currentMatch(), 2);
        QVERIFY(m_selection->current().op);
        const QString name = QString::fromStdString(m_model.graph->op(*m_selection->current().op).name);
        QVERIFY2(rows->index(2, 0).data().toString().startsWith(name), qPrintable(name));
        line->setText("flop > 1");
        QVERIFY(!findBar()->hits()->isVisible() && findBar()->countText().isEmpty());
        QVERIFY2(findBar()->troubleText().contains("Did you mean flops?"), qPrintable(findBar()->troubleText()));
    }

    void find_latency_isLookedForAgainWithTheSchedule()
    {
        const ModelOfModules model = open(3);
        m_view->find("latency > 10.5us");
        QVERIFY(findBar()->troubleText().contains("search first (F5)"));
        m_view->setSchedule(greedy(model));
        QVERIFY(m_view->matchCount() > 0 && findBar()->troubleText().isEmpty());
    }

    void overlays_atEverySize_lieOverNoOperator_data()
    {
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(900, 700), QSize(420, 640), QSize(320, 420), QSize(240, 300)})
            QTest::addRow("%d x %d", size.width(), size.height()) << size;
    }

    void overlays_atEverySize_lieOverNoOperator()
    {
        QFETCH(const QSize, size);
        m_view->resize(size);
        const ModelOfModules model = open(6);
        m_view->setSchedule(greedy(model));
        for (std::size_t colouring = 0; colouring < kColourings; ++colouring) {
            m_view->setColouring(static_cast<Colouring>(colouring));
            QVERIFY(legend()->isVisible() && m_view->rect().contains(legend()->geometry()));
            for (int x = 4; x < size.width(); x += 8) {
                QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(x, legend()->geometry().center().y()));
                QVERIFY(!m_selection->current().op);
            }
        }
        for (int y = 4; size.width() >= 300 && y < legend()->y(); y += 8) { // the strip of the minimap
            QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(size.width() - 8, y));
            QVERIFY(!m_selection->current().op);
        }
    }

    void legend_types_areAllNamedInANarrowView()
    {
        m_view->resize(320, 400);
        open(3);
        m_view->setColouring(Colouring::Type);
        QVERIFY(legend()->isVisible());
        QVERIFY2(legend()->texts().size() >= 2, qPrintable(legend()->texts().join(' ')));
        QCOMPARE(legend()->accessibleDescription(), legend()->texts().join("; "));
        const QImage seen = const_cast<GraphLegend *>(legend())->grab().toImage();
        const Theme theme = themeFor(m_view->palette());
        QVERIFY(shows(seen, theme.stageFill(0)) && inkOf(seen) > 300);
    }

    void setModel_wideBlock_isFittedInWidth()
    {
        m_view->resize(330, 700);
        open(6);
        QVERIFY2(m_view->zoom() < 0.36 && m_view->zoom() >= 0.2, qPrintable(QString::number(m_view->zoom())));
        const double first = m_view->zoom();
        m_view->fitAll();
        QTRY_VERIFY(!m_view->isMoving() && m_view->zoom() < first); // there is more below
    }

    void changePalette_toDark_repaintsDark()
    {
        open(2);
        QPalette dark;
        dark.setColor(QPalette::Window, QColor(0x1e, 0x24, 0x2c));
        dark.setColor(QPalette::WindowText, Qt::white);
        m_view->setPalette(dark);
        QCOMPARE(grabbed().pixelColor(20, 350).rgb(), themeFor(dark).canvas.rgb());
    }

private:
    ModelOfModules open(int modules)
    {
        ModelOfModules model = inceptionLike(modules);
        QSignalSpy done(m_view.get(), &GraphView::drawingFinished);
        m_view->setModel(model.graph, model.blocks);
        if (!done.wait(20000))
            qFatal("no drawing came");
        m_model = model;
        return model;
    }

    QImage grabbed() const { return m_view->grab().toImage(); }

    // Without the legend, which contains the same colours.
    QImage graphArea(const QImage &image) const { return image.copy(250, 0, image.width() - 250, legend()->y()); }
    const GraphLegend *legend() const { return m_view->findChild<GraphLegend *>(); }
    FindBar *findBar() const { return m_view->findChild<FindBar *>(); }

    // The centre of a card, found by clicking, as a user would.
    QPoint centreOf(const char *name) const
    {
        const auto wanted = m_model.graph->find(name);
        for (int y = 20; y < legend()->y(); y += 8) {
            for (int x = 250; x < m_view->width() - 120; x += 16) { // not in the minimap
                Selection probe;
                QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(x, y));
                if (m_selection->current().op == wanted) {
                    m_selection->clear();
                    return {x, y};
                }
            }
        }
        return {};
    }

    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<GraphView> m_view;
    ModelOfModules m_model;
};

STAGECRAFT_SUITE(TestGraphView)

} // namespace tst_graph_view
#include "tst_graph_view.moc"
