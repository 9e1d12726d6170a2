// The panel Passes by itself: its rows, what it asks for, and the graphs before and after.

#include "model/rewrite/form_units.h"
#include "support/device_networks.h"
#include "support/picture.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/graph/graph_view.h"
#include "widgets/passes/before_after.h"
#include "widgets/passes/change_list.h"
#include "widgets/passes/pass_list.h"
#include "widgets/passes/passes_panel.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_passes_panel {

namespace {

// A chain of convolutions, each with a Relu behind it and a second reader of every third.
std::shared_ptr<const Graph> chain(std::size_t convs)
{
    NetworkMaker m(Shape{{1, 8, 6, 6}});
    TensorId x = m.x();
    for (std::size_t i = 0; i < convs; ++i)
        x = m.activation({{m.conv({{x}}, 8, window(3))}}, kRelu);
    return m.build();
}

std::shared_ptr<const Model> modelOf(const std::shared_ptr<const Graph> &graph, const Reading &reading = {})
{
    auto formed = formUnits(Graph(*graph), {}, reading);
    Model model;
    model.name = "chain";
    model.graph = std::make_shared<const Graph>(std::move(formed->graph));
    model.report.passes = std::move(formed->reports);
    model.reading = reading;
    return std::make_shared<const Model>(std::move(model));
}

QModelIndex rowOf(const PassesPanel &panel, const QString &pass)
{
    const PassListModel *rows = panel.passes()->rows();
    for (int i = 0; i < rows->rowCount(); ++i) {
        if (rows->row(i).name == pass)
            return rows->index(i);
    }
    return {};
}

// The panel with a chain, answered as the window does.
struct PanelOfChain {
    explicit PanelOfChain(std::size_t convs) : graph(chain(convs))
    {
        QObject::connect(&panel, &PassesPanel::stepsWanted, &panel, [this](const QString &pass) {
            panel.setSteps(model, pass, passSteps(Graph(*graph), {}, model->reading, pass.toStdString()));
        });
        panel.setModel(model);
        panel.resize(1200, 500);
        panel.show();
    }

    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const Model> model = modelOf(graph);
    Selection selection;
    PassesPanel panel{&selection};
};

} // namespace

class TestPassesPanel : public QObject {
    Q_OBJECT

private slots:
    void rows_model_sayWhatEachPassDid();
    void rows_otherUnits_cannotBeSwitchedAndSayWhy();
    void switch_box_asksAndKeepsTheTruth();
    void changes_pass_areGroupedByUnit();
    void changes_filter_findsNamesAndTypes();
    void passChangeRows_hundredThousand_groupsByUnit();
    void steps_hidden_areNotAskedFor();
    void steps_shown_markWhatWentAndWhatTookOver();
    void steps_ofAnotherPass_arePassedOver();
    void graphs_large_showTheNeighbourhood();
    void graphs_clickAfter_choosesTheUnit();
    void selection_unit_choosesItsChange();
    void graphs_passWithoutChanges_saySoWheneverShown();
    void empty_withoutPasses_offersToOpen();
};

void TestPassesPanel::rows_model_sayWhatEachPassDid()
{
    Selection selection;
    PassesPanel panel(&selection);
    panel.setModel(modelOf(chain(3), {.units = Units::Ios, .without = {"fold-pads"}}));
    QCOMPARE(panel.passes()->rows()->rowCount(), static_cast<int>(passes().size()));
    const PassRow &fused = panel.passes()->rows()->row(rowOf(panel, "fuse-activations").row());
    QCOMPARE(fused.outcome, QString("3 operators"));
    QVERIFY(fused.isOn && fused.canSwitch && fused.whyNot.isEmpty());
    const PassRow &pads = panel.passes()->rows()->row(rowOf(panel, "fold-pads").row());
    QCOMPARE(pads.outcome, QString("off"));
    QVERIFY(!pads.isOn && pads.whyNot.startsWith("Switched off"));
    QCOMPARE(panel.passes()->current(), QString("fuse-activations")); // the one that did most
    QVERIFY(panel.statusText().contains("An activation goes into"));
    QVERIFY(panel.emptyText().isEmpty());
}

void TestPassesPanel::rows_otherUnits_cannotBeSwitchedAndSayWhy()
{
    Selection selection;
    PassesPanel panel(&selection);
    panel.setModel(modelOf(chain(3)));
    const QModelIndex byClass = rowOf(panel, "fuse-by-class");
    QCOMPARE(byClass.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
    QVERIFY(!(panel.passes()->rows()->flags(byClass) & Qt::ItemIsUserCheckable));
    const QString tip = byClass.data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains("Runs for the units tvm; these are ios"), qPrintable(tip));
    QSignalSpy switched(&panel, &PassesPanel::switchRequested);
    QVERIFY(!panel.passes()->rows()->setData(byClass, Qt::Checked, Qt::CheckStateRole));
    QVERIFY(switched.isEmpty());
}

void TestPassesPanel::switch_box_asksAndKeepsTheTruth()
{
    PanelOfChain chained(3);
    PassesPanel &panel = chained.panel;
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QSignalSpy switched(&panel, &PassesPanel::switchRequested);
    const QModelIndex row = rowOf(panel, "fuse-activations");
    panel.passes()->scrollTo(row);
    const QRect place = panel.passes()->visualRect(row);
    QTest::mouseClick(panel.passes()->viewport(), Qt::LeftButton, {}, place.topLeft() + QPoint(10, 12));
    QCOMPARE(switched.count(), 1);
    QCOMPARE(switched.front().at(0).toString(), QString("fuse-activations"));
    QCOMPARE(switched.front().at(1).toBool(), false);
    QCOMPARE(row.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked)); // until it was read
    panel.setReading("Reading chain again ...");
    QCOMPARE(panel.statusText(), QString("Reading chain again ..."));
    QTest::keyClick(panel.passes(), Qt::Key_Space);
    QCOMPARE(switched.count(), 1); // one at a time
    panel.setReading({});
    QTest::keyClick(panel.passes(), Qt::Key_Space);
    QCOMPARE(switched.count(), 2);
    panel.setModel(modelOf(chained.graph, {.units = Units::Ios, .without = {"fuse-activations"}}));
    QCOMPARE(panel.passes()->current(), QString("fuse-activations")); // stays chosen
    QCOMPARE(panel.passes()->currentIndex().data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
    QVERIFY(panel.graphs()->text().startsWith("Switched off"));
}

void TestPassesPanel::changes_pass_areGroupedByUnit()
{
    Selection selection;
    PassesPanel panel(&selection);
    panel.setModel(modelOf(chain(2), {.units = Units::Tvm, .without = {}}));
    panel.passes()->choose("fuse-by-class");
    const ChangeListModel *rows = panel.changes()->rows();
    QCOMPARE(rows->rowCount(), 2);
    QCOMPARE(rows->index(0).data(ChangeListModel::BeforeRole).toString(), QString("Activation1 Activation"));
    QCOMPARE(rows->index(0).data(ChangeListModel::AfterRole).toString(), QString("Conv0 Conv-Relu"));
    QCOMPARE(panel.changes()->countsText(), QString("Filter 2 changes by name or type"));
    panel.passes()->choose("fold-pads");
    QCOMPARE(rows->rowCount(), 0);
    QVERIFY(panel.graphs()->text().contains("nothing to do"));
}

void TestPassesPanel::changes_filter_findsNamesAndTypes()
{
    Selection selection;
    PassesPanel panel(&selection);
    panel.setModel(modelOf(chain(12)));
    auto *filter = panel.changes()->findChild<QLineEdit *>();
    filter->setText("activation11");
    QCOMPARE(panel.changes()->rows()->rowCount(), 1);
    QCOMPARE(panel.changes()->countsText(), QString("1 of 12 changes"));
    filter->setText("conv-relu");
    QCOMPARE(panel.changes()->rows()->rowCount(), 12);
    filter->setText("nothing of the kind");
    QCOMPARE(panel.changes()->rows()->rowCount(), 0);
}

void TestPassesPanel::passChangeRows_hundredThousand_groupsByUnit()
{
    PassReport report{"fuse-activations", {}};
    constexpr std::size_t kChanges = 100'000;
    for (std::size_t i = 0; i < kChanges; ++i)
        report.changes.push_back({"relu" + std::to_string(i), "Relu", {}, OperatorId::fromIndex(i / 2)});
    const std::vector<PassChangeRow> rows = passChangeRows(report);
    QCOMPARE(rows.size(), kChanges / 2);
    QCOMPARE(rows.back().changes.size(), std::size_t(2));
    QCOMPARE(beforeText(report, rows[7]), QString("relu14 Relu, relu15 Relu"));
}

void TestPassesPanel::steps_hidden_areNotAskedFor()
{
    Selection selection;
    PassesPanel panel(&selection);
    QSignalSpy wanted(&panel, &PassesPanel::stepsWanted);
    const auto graph = chain(3);
    panel.setModel(modelOf(graph));
    QVERIFY(wanted.isEmpty());
    panel.show();
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted.front().front().toString(), QString("fuse-activations"));
    QVERIFY(panel.isBusy() && panel.graphs()->text().startsWith("Reading chain"));
    panel.hide();
    QVERIFY(!panel.isBusy());
    panel.show();
    QCOMPARE(wanted.count(), 2);
}

void TestPassesPanel::steps_shown_markWhatWentAndWhatTookOver()
{
    PanelOfChain chained(3);
    PassesPanel &panel = chained.panel;
    const ShownStep &shown = panel.graphs()->shown();
    QVERIFY(panel.graphs()->text().isEmpty());
    QVERIFY(shown.before.isWhole && shown.before.graph->size() == 6 && shown.after.graph->size() == 3);
    using enum OperatorMark;
    QVERIFY((shown.before.marks == std::vector{None, Gone, None, Gone, None, Gone}));
    QVERIFY((shown.after.marks == std::vector{TakesOver, TakesOver, TakesOver}));
    QCOMPARE(panel.graphs()->beforeTitle(), QString("Before: 6 operators"));
    panel.changes()->list()->setCurrentIndex(panel.changes()->rows()->index(1));
    QCOMPARE(shown.before.change.size(), std::size_t(1));
    QCOMPARE(shown.before.graph->op(shown.before.change.front()).name, std::string("Activation3"));
    QCOMPARE(shown.after.graph->op(shown.after.change.front()).name, std::string("Conv2"));
    // Both marks are painted, and in other colours.
    QTRY_VERIFY(!panel.isBusy() && !panel.graphs()->before()->isMoving() && !panel.graphs()->after()->isMoving());
    const Theme theme = themeFor(panel.palette());
    const auto has = [](QWidget *view, const QColor &colour) {
        const QImage image = view->grab().toImage();
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (image.pixelColor(x, y) == colour)
                    return true;
            }
        }
        return false;
    };
    QVERIFY(has(panel.graphs()->before(), markFill(theme, Gone)));
    QVERIFY(!has(panel.graphs()->before(), markFill(theme, TakesOver)));
    QVERIFY(has(panel.graphs()->after(), markFill(theme, TakesOver)));
    QVERIFY(!has(panel.graphs()->after(), markFill(theme, Gone)));
}

void TestPassesPanel::steps_ofAnotherPass_arePassedOver()
{
    Selection selection;
    PassesPanel panel(&selection);
    const auto graph = chain(3);
    const auto model = modelOf(graph);
    panel.setModel(model);
    panel.show();
    panel.setSteps(model, "fold-pads", {});
    panel.setSteps(modelOf(graph), "fuse-activations", {});
    QVERIFY(panel.isBusy());
    panel.setNoSteps(model, "fuse-activations", "chain.onnx: the file has changed");
    QVERIFY(!panel.isBusy());
    QVERIFY(panel.graphs()->text().contains("the file has changed"));
}

void TestPassesPanel::graphs_large_showTheNeighbourhood()
{
    PanelOfChain chained(200);
    PassesPanel &panel = chained.panel;
    const ShownStep &shown = panel.graphs()->shown();
    QVERIFY(!shown.before.isWhole);
    panel.changes()->list()->setCurrentIndex(panel.changes()->rows()->index(100));
    // The convolution and its Relu, and two operators on either side.
    QCOMPARE(shown.before.graph->size(), std::size_t(6));
    QCOMPARE(shown.after.graph->size(), std::size_t(3));
    QVERIFY(shown.before.graph->find("Activation201") && shown.before.graph->find("Conv198"));
    QVERIFY(panel.graphs()->beforeTitle().startsWith("Before: 6 of 400 operators"));
    QVERIFY(panel.graphs()->afterTitle().startsWith("After: 3 of 200 operators"));
}

void TestPassesPanel::graphs_clickAfter_choosesTheUnit()
{
    PanelOfChain chained(3);
    PassesPanel &panel = chained.panel;
    QTRY_VERIFY(!panel.isBusy());
    QSignalSpy chosen(&panel, &PassesPanel::unitChosen);
    for (GraphView *view : {panel.graphs()->after(), panel.graphs()->before()}) {
        view->setFocus();
        view->find(view == panel.graphs()->after() ? "Conv2" : "Activation3");
        view->selectMatch(1);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chained.model->graph->op(chosen.takeFirst().front().value<OperatorId>()).name, std::string("Conv2"));
    }
}

void TestPassesPanel::selection_unit_choosesItsChange()
{
    PanelOfChain chained(5);
    PassesPanel &panel = chained.panel;
    QSignalSpy chosen(&panel, &PassesPanel::unitChosen);
    chained.selection.set({chained.model->graph->find("Conv4"), {}});
    QVERIFY(chosen.isEmpty()); // it was chosen elsewhere
    QVERIFY(panel.changes()->current());
    QVERIFY(panel.changes()->current()->unit == *chained.model->graph->find("Conv4"));
    const ShownStep &shown = panel.graphs()->shown();
    QCOMPARE(shown.after.graph->op(shown.after.change.front()).name, std::string("Conv4"));
    panel.changes()->list()->setCurrentIndex(panel.changes()->rows()->index(0));
    QCOMPARE(chosen.count(), 1);
}

void TestPassesPanel::graphs_passWithoutChanges_saySoWheneverShown()
{
    Selection selection;
    PassesPanel panel(&selection);
    panel.setModel(modelOf(chain(3)));
    panel.passes()->choose("fold-pads");
    for (int i = 0; i < 2; ++i) {
        panel.show();
        QCOMPARE(panel.graphs()->text(), QString("fold-pads found nothing to do here."));
        panel.hide();
    }
    panel.passes()->choose("fuse-by-class");
    panel.show();
    QVERIFY2(panel.graphs()->text().startsWith("Runs for the units tvm"), qPrintable(panel.graphs()->text()));
}

void TestPassesPanel::empty_withoutPasses_offersToOpen()
{
    Selection selection;
    PassesPanel panel(&selection);
    panel.show();
    QVERIFY(panel.emptyText().contains("pass by pass"));
    Model builtIn;
    builtIn.name = "sample";
    builtIn.graph = chain(1);
    panel.setModel(std::make_shared<const Model>(std::move(builtIn)));
    QVERIFY(panel.emptyText().contains("sample consists of schedule units already"));
    QSignalSpy opened(&panel, &PassesPanel::openRequested);
    auto *button = panel.findChild<QPushButton *>("open");
    QVERIFY(button && button->isVisible());
    button->click();
    QCOMPARE(opened.count(), 1);
}

STAGECRAFT_SUITE(TestPassesPanel)

} // namespace tst_passes_panel
#include "tst_passes_panel.moc"
