// Two models together in the window: the plan for both, what each takes with it and alone, the plot to choose from, a
// deadline, stopping, and what a session keeps.

#include "app/desktop/window_test.h"
#include "desktop/frame/message_bar.h"
#include "support/picture.h"
#include "support/suite.h"
#include "widgets/study/front_plot.h"
#include "widgets/study/together_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QImage>
#include <QPushButton>
#include <QTableWidget>

#include <memory>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_together_window {

namespace {

const QString kPair = QStringLiteral("sample+sample");

QAction *planAction(const TestedWindow &window)
{
    for (QAction *each : window.findChildren<QAction *>()) {
        if (each->shortcut() == QKeySequence(QStringLiteral("Ctrl+Alt+J")))
            return each;
    }
    return nullptr;
}

TogetherView *viewOf(const TestedWindow &window)
{
    return window.findChild<TogetherView *>();
}

const ScheduleResult *named(const TestedWindow &window, const std::string &title)
{
    const ScheduleResult *found = nullptr;
    for (const ScheduleResult &result : window.document()->results()->shelf().results()) {
        if (result.title == title)
            found = &result;
    }
    return found;
}

} // namespace

class TestTogetherWindow : public WindowTest {
    Q_OBJECT

private:
    static void planBoth(TestedWindow &window)
    {
        window.resize(1500, 900);
        window.show();
        openAndWait(window, kPair);
        planAction(window)->trigger();
        QVERIFY(QTest::qWaitFor([&] { return isIdle(window) && named(window, "Both together"); }, 120'000));
    }

    // Planned once, since it takes seconds: tests leave its results.
    TestedWindow &planned()
    {
        if (!m_planned) {
            m_planned = std::make_unique<TestedWindow>(installedServices());
            planBoth(*m_planned);
        }
        return *m_planned;
    }

    std::unique_ptr<TestedWindow> m_planned;

private slots:
    void cleanupTestCase() { m_planned.reset(); }
    void plan_oneModel_isDisabledWithTheReason();
    void plan_two_putsThreeResultsOnTheShelf();
    void panel_shownPlan_hasLatenciesTogetherAndAlone();
    void plot_click_showsThePlan();
    void plot_keys_goFromPlanToPlan();
    void deadline_met_endsThatModelInTime();
    void deadline_notMet_isRefused();
    void stop_beforeAnything_leavesNoResult();
    void session_keepsWhatEachTakes();
    void edit_ofStagesOverBoth_isPossible();
    void copy_hasAllPlans();
    void themes_bothDraw();
};

void TestTogetherWindow::plan_oneModel_isDisabledWithTheReason()
{
    TestedWindow window(installedServices());
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(!planAction(window)->isEnabled());
    QVERIFY(planAction(window)->text().contains(QStringLiteral("Add model")));
    openAndWait(window, QStringLiteral("sample+sample+sample"));
    QVERIFY(!planAction(window)->isEnabled());
    QVERIFY(planAction(window)->text().contains(QStringLiteral("3 are open")));
    openAndWait(window, kPair);
    QVERIFY(planAction(window)->isEnabled());
}

void TestTogetherWindow::plan_two_putsThreeResultsOnTheShelf()
{
    TestedWindow &window = planned();
    const ScheduleResult *together = named(window, "Both together");
    const ScheduleResult *inTurn = named(window, "One after another");
    const ScheduleResult *apart = named(window, "Side by side, no plan");
    QVERIFY(together && inTurn && apart && together->schedule && inTurn->schedule && apart->schedule);
    QCOMPARE(window.document()->results()->current(), together->id);
    QVERIFY(*together->schedule->latencyUs() <= *inTurn->schedule->latencyUs());
    QVERIFY(*together->schedule->latencyUs() <= *apart->schedule->latencyUs());
    QCOMPARE(together->models.size(), std::size_t{2});
    QCOMPARE(together->models[1].name, std::string("sample#2"));
    const double last = std::max(together->models[0].endsAt, together->models[1].endsAt);
    QVERIFY(last > 0.9 && last <= 1);
}

void TestTogetherWindow::panel_shownPlan_hasLatenciesTogetherAndAlone()
{
    TestedWindow &window = planned();
    window.document()->results()->setCurrent(named(window, "Both together")->id);
    const TogetherFacts &facts = viewOf(window)->facts();
    QVERIFY(facts.shown.has_value());
    QVERIFY(facts.aloneUs[0] > 0 && facts.aloneUs[0] == facts.aloneUs[1]);
    const TogetherPlan &shown = facts.plans[*facts.shown];
    QVERIFY(shown.endsUs[0] >= facts.aloneUs[0] * 0.99 && shown.isOnFront);
    QVERIFY(facts.inTurnUs >= shown.latencyUs);
    QCOMPARE(facts.times.size(), std::size_t{2});
    const auto tables = viewOf(window)->findChildren<QTableWidget *>();
    QCOMPARE(tables.size(), 2);
    QCOMPARE(tables[0]->item(0, 0)->text(), QStringLiteral("sample"));
    QCOMPARE(tables[0]->columnCount(), 4);
    QVERIFY(tables[1]->rowCount() > 1);
    for (const QWidget *each : viewOf(window)->findChildren<QTableWidget *>())
        QVERIFY(!each->accessibleName().isEmpty());
}

void TestTogetherWindow::plot_click_showsThePlan()
{
    TestedWindow &window = planned();
    FrontPlot *plot = viewOf(window)->plot();
    const TogetherFacts before = viewOf(window)->facts();
    for (std::size_t i = 0; i < before.plans.size(); ++i) {
        if (i == before.shown || before.plans[i].name.startsWith(QStringLiteral("Both")))
            continue;
        const std::size_t all = window.document()->results()->shelf().results().size();
        emit plot->chosen(i);
        const TogetherFacts &now = viewOf(window)->facts();
        QVERIFY(now.shown.has_value());
        QCOMPARE(now.plans[*now.shown].endsUs, before.plans[i].endsUs);
        QVERIFY(window.document()->results()->shelf().results().size() <= all + 1);
        QCOMPARE(now.plans.size(), before.plans.size());
        return;
    }
    QFAIL("there is one plan only");
}

void TestTogetherWindow::plot_keys_goFromPlanToPlan()
{
    TestedWindow &window = planned();
    FrontPlot *plot = viewOf(window)->plot();
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Home);
    const auto first = plot->current();
    QVERIFY(first.has_value() && plot->accessibleDescription().contains(QStringLiteral("sample")));
    QTest::keyClick(plot, Qt::Key_End);
    QVERIFY(plot->current() != first);
    QTest::keyClick(plot, Qt::Key_Return);
    const TogetherFacts &now = viewOf(window)->facts();
    QVERIFY(now.shown.has_value());
    QTest::keyClick(plot, Qt::Key_Escape);
    QVERIFY(!plot->current());
}

void TestTogetherWindow::deadline_met_endsThatModelInTime()
{
    TestedWindow &window = planned();
    const double aloneUs = viewOf(window)->facts().aloneUs[0];
    viewOf(window)->setDeadline(TogetherView::Deadline{1, aloneUs * 1.05});
    QCOMPARE(viewOf(window)->deadline()->model, std::size_t{1});
    viewOf(window)->findChild<QPushButton *>(QStringLiteral("go"))->click();
    QVERIFY(QTest::qWaitFor([&] { return isIdle(window); }, 120'000));
    const TogetherFacts &facts = viewOf(window)->facts();
    QVERIFY(facts.shown.has_value());
    QVERIFY(facts.plans[*facts.shown].endsUs[1] <= aloneUs * 1.05 + 0.001);
}

void TestTogetherWindow::deadline_notMet_isRefused()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, kPair);
    viewOf(window)->setDeadline(TogetherView::Deadline{0, 1});
    planAction(window)->trigger();
    QVERIFY(QTest::qWaitFor([&] { return isIdle(window); }, 120'000));
    QVERIFY(window.findChild<MessageBar *>()->text().contains(QStringLiteral("no plan has its result within")));
    QVERIFY(!named(window, "Both together"));
}

void TestTogetherWindow::stop_beforeAnything_leavesNoResult()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("inception_v3+squeezenet"));
    planAction(window)->trigger();
    QVERIFY(named(window, "Both together"));
    window.findChild<ResultQueue *>()->stopSearch();
    QVERIFY(QTest::qWaitFor([&] { return isIdle(window); }, 60'000));
    const ScheduleResult *left = named(window, "Both together");
    QVERIFY(!left || left->schedule);
}

void TestTogetherWindow::session_keepsWhatEachTakes()
{
    const QString path = m_folder.filePath(QStringLiteral("both.stagecraft"));
    std::vector<ModelShare> models;
    {
        TestedWindow &window = planned();
        models = named(window, "Both together")->models;
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.show();
    window.openSession(path);
    QTRY_VERIFY(named(window, "Both together") && isIdle(window));
    const ScheduleResult *kept = named(window, "Both together");
    QVERIFY(kept && kept->schedule);
    QCOMPARE(kept->models.size(), models.size());
    for (std::size_t i = 0; i < models.size(); ++i) {
        QCOMPARE(kept->models[i].name, models[i].name);
        QVERIFY(std::abs(kept->models[i].endsAt - models[i].endsAt) < 1e-9);
    }
    QVERIFY(viewOf(window)->facts().plans.size() >= 3);
}

// Its stages have operators of blocks of both models.
void TestTogetherWindow::edit_ofStagesOverBoth_isPossible()
{
    const QString path = m_folder.filePath(QStringLiteral("stages.stagecraft"));
    ResultId edited;
    {
        TestedWindow &window = planned();
        const TogetherFacts &facts = viewOf(window)->facts();
        const auto isOfStages = [](const TogetherPlan &plan) { return plan.name.startsWith(QStringLiteral("stages")); };
        auto plan = std::find_if(facts.plans.begin(), facts.plans.end(), isOfStages);
        if (plan != facts.plans.end())
            emit viewOf(window)->plot()->chosen(static_cast<std::size_t>(plan - facts.plans.begin()));
        const Results &results = *window.document()->results();
        const ResultId id = results.current();
        const auto schedule = results.shelf().find(id)->schedule;
        QVERIFY(!schedule->streams);
        std::optional<SplitStage> split;
        for (std::size_t i = 0; i < schedule->stages.size() && !split; ++i) {
            if (!schedule->stages[i].isMerged() && schedule->stages[i].groups.size() > 1)
                split = SplitStage{i, {schedule->stages[i].groups.front().front()}};
        }
        QVERIFY(split.has_value());
        const auto made = window.document()->editor()->edit(id, *split);
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        QVERIFY(QTest::qWaitFor([&] { return isIdle(window); }, 60'000));
        edited = *made;
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.openSession(path);
    QTRY_VERIFY(window.document()->next()->model() && isIdle(window));
    const ScheduleResult *again = window.document()->results()->shelf().find(edited);
    QVERIFY(again && again->schedule && !window.document()->results()->isModelMissing(edited));
}

void TestTogetherWindow::copy_hasAllPlans()
{
    TestedWindow &window = planned();
    const QString text = togetherText(viewOf(window)->facts());
    QVERIFY(text.startsWith(QStringLiteral("plan\tboth, us\tsample, us\tsample#2, us\tfront\n")));
    QVERIFY(text.contains(QStringLiteral("Both together\t")) && text.contains(QStringLiteral("\nalone\t")));
    QVERIFY(!viewOf(window)->picture().isNull());
}

void TestTogetherWindow::themes_bothDraw()
{
    TestedWindow &window = planned();
    FrontPlot *plot = viewOf(window)->plot();
    QVERIFY(plot->picture().pixelColor(2, 2).lightness() > 200);
    QPalette dark = plot->palette();
    dark.setColor(QPalette::Window, QColor(30, 30, 30));
    dark.setColor(QPalette::Base, QColor(30, 30, 30));
    dark.setColor(QPalette::WindowText, Qt::white);
    dark.setColor(QPalette::Text, Qt::white);
    plot->setPalette(dark);
    QCoreApplication::processEvents();
    QVERIFY(plot->picture().pixelColor(2, 2).lightness() < 80);
}

STAGECRAFT_SUITE(TestTogetherWindow)

} // namespace tst_together_window
#include "tst_together_window.moc"
