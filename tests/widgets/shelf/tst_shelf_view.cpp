// The shelf with mouse and keys: showing, selecting, naming, notes, filter, chip, empty state.

#include "core/results/result_making.h"
#include "support/suite.h"
#include "widgets/shelf/shelf_view.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_shelf_view {

namespace {

ShelfContext contextFor(const std::string &device, ResultId shown = {})
{
    ShelfContext context;
    context.isOpen = true;
    context.chosen = settingsOf(device);
    context.asked = recordOf("ios-both");
    context.shown = shown;
    return context;
}

QStringList namesIn(const ShelfView &view)
{
    QStringList names;
    for (const ShelfRowGroup &group : view.rows()) {
        for (const ShelfRow &row : group.rows)
            names << row.name;
    }
    return names;
}

// Three results on the V100 and one on the K80, in a window.
struct Shown {
    Shelf shelf;
    ResultId sequential = addSequential(shelf, 300);
    ResultId both = addSearched(shelf, "IOS-Both", recordOf("ios-both"), 3, 100);
    ResultId merge = addSearched(shelf, "IOS-Merge", recordOf("ios-merge"), 5, 200);
    ResultId elsewhere = addSequential(shelf, 900, settingsOf("sim:k80"));
    ShelfView view{shelf};

    Shown()
    {
        view.resize(280, 500);
        view.refresh(contextFor("sim:v100", both));
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
    }
    void click(ResultId id, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(view.list()->viewport(), Qt::LeftButton, modifiers, view.rowRect(id).center());
    }
};

} // namespace

class TestShelfView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qRegisterMetaType<ResultId>("stagecraft::ResultId"); }
    void click_row_asksToShowIt();
    void click_withCtrlAndShift_selectsSeveral();
    void keys_upDownEnter_walkAndShow();
    void refresh_newValues_keepSelectionAndPlace();
    void refresh_otherShown_selectsIt();
    void rename_typed_isAskedFor();
    void rename_escape_changesNothing();
    void note_typed_isAskedFor();
    void chip_pressed_measuresAgain();
    void filter_typed_leavesWhatFits();
    void order_chosen_sorts();
    void empty_shelf_offersToOpen();
    void contextMenu_onARow_isAskedFor();
    void row_doesNotFit_isDrawnGrey();
    void row_longName_isNotDrawnOutside();
    void row_narrow_keepsTheName();
    void row_otherR_isNotGrey();
    void group_pressed_foldsAndUnfolds();
    void group_keys_foldAndUnfold();
    void group_folded_unfoldsForWhatIsShown();
    void refresh_rowsAdded_keepsTheCurrentInSight();
    void refresh_running_isBroughtIntoSight();
    void accessible_rows_haveNames();
};

void TestShelfView::click_row_asksToShowIt()
{
    Shown shown;
    QSignalSpy asked(&shown.view, &ShelfView::showRequested);
    shown.click(shown.merge);
    QCOMPARE(asked.count(), 1);
    QVERIFY(asked[0][0].value<ResultId>() == shown.merge);
    QVERIFY(shown.view.chosen() == shown.merge);
    shown.click(shown.elsewhere); // greyed-out rows open, too
    QVERIFY(asked.last()[0].value<ResultId>() == shown.elsewhere);
}

void TestShelfView::click_withCtrlAndShift_selectsSeveral()
{
    Shown shown;
    QSignalSpy asked(&shown.view, &ShelfView::showRequested);
    shown.click(shown.sequential);
    shown.click(shown.merge, Qt::ControlModifier);
    QCOMPARE(shown.view.selected(), (std::vector{shown.sequential, shown.merge}));
    shown.click(shown.sequential);
    shown.click(shown.merge, Qt::ShiftModifier);
    QCOMPARE(shown.view.selected(), (std::vector{shown.sequential, shown.both, shown.merge}));
    QCOMPARE(asked.count(), 2); // selecting does not show
}

void TestShelfView::keys_upDownEnter_walkAndShow()
{
    Shown shown;
    QSignalSpy asked(&shown.view, &ShelfView::showRequested);
    shown.view.list()->setFocus();
    QVERIFY(shown.view.chosen() == shown.both);
    QTest::keyClick(shown.view.list(), Qt::Key_Down);
    QVERIFY(shown.view.chosen() == shown.merge);
    QTest::keyClick(shown.view.list(), Qt::Key_Down); // skips the title of the next group
    QVERIFY(shown.view.chosen() == shown.elsewhere);
    QTest::keyClick(shown.view.list(), Qt::Key_Return);
    QCOMPARE(asked.count(), 1);
    QVERIFY(asked[0][0].value<ResultId>() == shown.elsewhere);
}

void TestShelfView::refresh_newValues_keepSelectionAndPlace()
{
    Shown shown;
    for (int i = 0; i < 30; ++i)
        addSearched(shown.shelf, "IOS-Both", recordOf("ios-both", 1, i + 1), 3, 100);
    shown.view.refresh(contextFor("sim:v100", shown.both));
    shown.click(shown.merge);
    QScrollBar *bar = shown.view.list()->verticalScrollBar();
    bar->setValue(bar->maximum() / 2);
    const int place = bar->value();
    QVERIFY(place > 0);
    shown.shelf.rename(shown.sequential, "one by one");
    shown.view.refresh(contextFor("sim:v100", shown.both));
    QVERIFY(shown.view.chosen() == shown.merge);
    QCOMPARE(bar->value(), place);
    addSearched(shown.shelf, "IOS-Both", recordOf("ios-both", 2, 2), 4, 110); // rows move
    shown.view.refresh(contextFor("sim:v100", shown.both));
    QCOMPARE(shown.view.selected(), std::vector{shown.merge});
    QCOMPARE(namesIn(shown.view).front(), QStringLiteral("one by one"));
}

void TestShelfView::refresh_otherShown_selectsIt()
{
    Shown shown;
    shown.click(shown.merge);
    shown.view.refresh(contextFor("sim:v100", shown.sequential));
    QCOMPARE(shown.view.selected(), std::vector{shown.sequential});
}

void TestShelfView::rename_typed_isAskedFor()
{
    Shown shown;
    QSignalSpy renamed(&shown.view, &ShelfView::renameRequested);
    shown.click(shown.merge);
    shown.view.startRename();
    auto *editor = shown.view.list()->findChild<QLineEdit *>();
    QVERIFY(editor);
    QCOMPARE(editor->text(), QStringLiteral("IOS-Merge"));
    QTest::keyClicks(editor, QStringLiteral("mine"));
    // Meanwhile a search ends: a new row appears and another one is shown.
    const ResultId found = addSearched(shown.shelf, "IOS-Both", recordOf("ios-both", 1), 4, 120);
    shown.view.refresh(contextFor("sim:v100", found));
    QCOMPARE(editor->text(), QStringLiteral("mine"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(renamed.count(), 1);
    QTRY_COMPARE(shown.view.selected(), std::vector{found});
    QVERIFY(renamed[0][0].value<ResultId>() == shown.merge);
    QCOMPARE(renamed[0][1].toString(), QStringLiteral("mine"));
}

void TestShelfView::rename_escape_changesNothing()
{
    Shown shown;
    QSignalSpy renamed(&shown.view, &ShelfView::renameRequested);
    shown.click(shown.merge);
    shown.view.startRename();
    auto *editor = shown.view.list()->findChild<QLineEdit *>();
    QTest::keyClicks(editor, QStringLiteral("mine"));
    QTest::keyClick(editor, Qt::Key_Escape);
    QCoreApplication::processEvents();
    QCOMPARE(renamed.count(), 0);
}

void TestShelfView::note_typed_isAskedFor()
{
    Shown shown;
    QSignalSpy noted(&shown.view, &ShelfView::noteRequested);
    shown.click(shown.merge);
    shown.view.startNote();
    auto *field = qobject_cast<QLineEdit *>(shown.view.focusWidget());
    QVERIFY(field && field->isVisible());
    QTest::keyClicks(field, QStringLiteral("warm machine"));
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(noted.count(), 0);
    QVERIFY(!field->isVisible());
    shown.view.startNote();
    QVERIFY(field->text().isEmpty());
    QTest::keyClicks(field, QStringLiteral("cold machine"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(noted.count(), 1);
    QVERIFY(noted[0][0].value<ResultId>() == shown.merge);
    QCOMPARE(noted[0][1].toString(), QStringLiteral("cold machine"));
    QVERIFY(!field->isVisible());
}

void TestShelfView::chip_pressed_measuresAgain()
{
    Shown shown;
    QVERIFY(shown.view.chipRect(shown.merge).isEmpty());
    const int before = shown.view.rowRect(shown.merge).height();
    TimedSchedule disturbed = *shown.shelf.find(shown.merge)->schedule;
    disturbed.measured.whole = {200, 200, 80, 10, {}};
    shown.shelf.setMade(shown.merge, std::make_shared<const TimedSchedule>(disturbed), {}, 0);
    shown.view.refresh(contextFor("sim:v100", shown.both));
    QTRY_VERIFY(shown.view.rowRect(shown.merge).height() > before); // one more line for the chip
    const QRect chip = shown.view.chipRect(shown.merge);
    QVERIFY(shown.view.rowRect(shown.merge).contains(chip));
    QSignalSpy again(&shown.view, &ShelfView::measureAgainRequested);
    QSignalSpy show(&shown.view, &ShelfView::showRequested);
    QTest::mouseClick(shown.view.list()->viewport(), Qt::LeftButton, {}, chip.center());
    QCOMPARE(again.count(), 1);
    QVERIFY(again[0][0].value<ResultId>() == shown.merge);
    QCOMPARE(show.count(), 0);
}

void TestShelfView::filter_typed_leavesWhatFits()
{
    Shown shown;
    shown.view.focusFilter();
    QTest::keyClicks(shown.view.focusWidget(), QStringLiteral("merge"));
    QCOMPARE(namesIn(shown.view), QStringList{QStringLiteral("IOS-Merge")});
    QTest::keyClicks(shown.view.focusWidget(), QStringLiteral(" nothing"));
    QVERIFY(namesIn(shown.view).isEmpty());
    QVERIFY(!shown.view.list()->isVisible());
    auto *clear = shown.view.findChild<QPushButton *>();
    QCOMPARE(clear->text(), QStringLiteral("Clear the filter"));
    QTest::mouseClick(clear, Qt::LeftButton);
    QCOMPARE(namesIn(shown.view).size(), 4);
}

void TestShelfView::order_chosen_sorts()
{
    Shown shown;
    auto *order = shown.view.findChild<QComboBox *>();
    order->setCurrentIndex(order->findText(QStringLiteral("fastest")));
    QCOMPARE(namesIn(shown.view).first(3).join(' '), QStringLiteral("IOS-Both IOS-Merge Sequential"));
    order->setCurrentIndex(order->findText(QStringLiteral("newest")));
    QCOMPARE(namesIn(shown.view).first(3).join(' '), QStringLiteral("IOS-Merge IOS-Both Sequential"));
}

void TestShelfView::empty_shelf_offersToOpen()
{
    const Shelf shelf;
    ShelfView view(shelf);
    view.resize(260, 400);
    view.refresh({});
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    auto *hint = view.findChild<QLabel *>(QStringLiteral("hint"));
    QVERIFY(hint->isVisible());
    QVERIFY2(hint->text().contains(QStringLiteral("stays here")), qPrintable(hint->text()));
    QSignalSpy open(&view, &ShelfView::openRequested);
    QTest::mouseClick(view.findChild<QPushButton *>(), Qt::LeftButton);
    QCOMPARE(open.count(), 1);
}

void TestShelfView::contextMenu_onARow_isAskedFor()
{
    Shown shown;
    QSignalSpy menu(&shown.view, &ShelfView::menuRequested);
    const QPoint at = shown.view.rowRect(shown.merge).center();
    QTest::mouseClick(shown.view.list()->viewport(), Qt::RightButton, {}, at);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, shown.view.list()->viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(shown.view.list()->viewport(), &event);
    QCOMPARE(menu.count(), 1);
    QVERIFY(shown.view.chosen() == shown.merge);
}

// The best result does not turn grey because the tool bar describes another search.
void TestShelfView::row_otherR_isNotGrey()
{
    Shown shown;
    const auto colours = [&] { // of the first line: the name
        QRect line = shown.view.rowRect(shown.merge);
        line.setHeight(line.height() / 2 - 4);
        return shown.view.list()->viewport()->grab(line).toImage();
    };
    const QImage before = colours();
    ShelfContext context = contextFor("sim:v100", shown.both);
    context.asked = recordOf("ios-both", 1, 1);
    shown.view.refresh(context);
    QVERIFY(shown.view.rows()[0].rows[2].detail.contains(QStringLiteral("tool bar")));
    QCOMPARE(colours(), before);
}

void TestShelfView::group_pressed_foldsAndUnfolds()
{
    Shown shown;
    const auto press = [&] {
        QTest::mouseClick(shown.view.list()->viewport(), Qt::LeftButton, {},
                          shown.view.groupRect(shown.sequential).center());
    };
    const int place = shown.view.rowRect(shown.elsewhere).top();
    press();
    QVERIFY(shown.view.isGroupFolded(shown.sequential) && !shown.view.isGroupFolded(shown.elsewhere));
    QCOMPARE(namesIn(shown.view), QStringList{QStringLiteral("Sequential")}); // that of the K80
    QVERIFY(shown.view.rowRect(shown.both).isEmpty());
    QVERIFY(shown.view.rowRect(shown.elsewhere).top() < place);
    const QString title = shown.view.list()->model()->index(0, 0).data(Qt::AccessibleTextRole).toString();
    QVERIFY2(title.contains(QStringLiteral("3 results, folded")), qPrintable(title));
    shown.view.refresh(contextFor("sim:v100", shown.both)); // new values do not unfold it
    QVERIFY(shown.view.isGroupFolded(shown.sequential));
    press();
    QCOMPARE(namesIn(shown.view).size(), 4);
    QCOMPARE(shown.view.rowRect(shown.elsewhere).top(), place);
}

void TestShelfView::group_keys_foldAndUnfold()
{
    Shown shown;
    shown.view.list()->setFocus();
    QTest::keyClick(shown.view.list(), Qt::Key_Left);
    QVERIFY(shown.view.isGroupFolded(shown.both));
    QTest::keyClick(shown.view.list(), Qt::Key_Down);
    QVERIFY(shown.view.chosen() == shown.elsewhere);
    QTest::keyClick(shown.view.list(), Qt::Key_Up); // to the title
    QVERIFY(!shown.view.chosen().isValid());
    QTest::keyClick(shown.view.list(), Qt::Key_Right);
    QVERIFY(!shown.view.isGroupFolded(shown.both));
    QCOMPARE(namesIn(shown.view).size(), 4);
}

void TestShelfView::group_folded_unfoldsForWhatIsShown()
{
    Shown shown;
    shown.view.setGroupFolded(shown.elsewhere, true);
    QCOMPARE(namesIn(shown.view).size(), 3);
    shown.view.refresh(contextFor("sim:k80", shown.elsewhere));
    QCOMPARE(namesIn(shown.view).size(), 4);
    QVERIFY(shown.view.chosen() == shown.elsewhere);
}

void TestShelfView::refresh_rowsAdded_keepsTheCurrentInSight()
{
    Shown shown;
    for (int i = 0; i < 40; ++i)
        addSearched(shown.shelf, "IOS-Both", recordOf("ios-both", 1, i + 1), 3, 100);
    const ResultId last = shown.shelf.results().back().id;
    shown.view.refresh(contextFor("sim:v100", last));
    const auto inSight = [&](ResultId id) {
        return shown.view.list()->viewport()->rect().contains(shown.view.rowRect(id).center());
    };
    QVERIFY(inSight(last));
    addSequential(shown.shelf, 900, settingsOf("sim:a100")); // in another group
    shown.view.refresh(contextFor("sim:v100", last));
    QVERIFY(inSight(last));
}

void TestShelfView::refresh_running_isBroughtIntoSight()
{
    Shown shown;
    for (int i = 0; i < 40; ++i)
        addSearched(shown.shelf, "IOS-Both", recordOf("ios-both", 1, i + 1), 3, 100);
    const ResultId last = shown.shelf.results().back().id;
    shown.view.refresh(contextFor("sim:v100", shown.both));
    const auto isInSight = [&] {
        return shown.view.list()->viewport()->rect().contains(shown.view.rowRect(last).center());
    };
    QVERIFY(!isInSight());
    shown.shelf.setRunning(last);
    shown.view.refresh(contextFor("sim:v100", shown.both));
    QVERIFY(isInSight());
    QVERIFY(shown.view.chosen() == shown.both); // nothing else changes
    shown.view.list()->verticalScrollBar()->setValue(0);
    shown.view.refresh(contextFor("sim:v100", shown.both));
    QVERIFY(!isInSight()); // once
}

void TestShelfView::row_doesNotFit_isDrawnGrey()
{
    Shown shown;
    const auto picture = [&] {
        return shown.view.list()->viewport()->grab(shown.view.rowRect(shown.sequential)).toImage();
    };
    const QImage fits = picture();
    const int before = shown.view.rowRect(shown.sequential).height();
    shown.view.refresh(contextFor("sim:k80", shown.both));
    QCOMPARE(shown.view.rowRect(shown.sequential).height(), before); // nothing moves
    QCOMPARE(shown.view.rows()[0].rows[0].reason, QStringLiteral("on sim:v100, not sim:k80"));
    QVERIFY(picture() != fits);
    shown.view.refresh(contextFor("sim:v100", shown.both));
    QVERIFY(picture() == fits); // the picture is restored
}

// The latency at the right keeps its space.
void TestShelfView::row_longName_isNotDrawnOutside()
{
    Shown shown;
    const auto latencyOf = [&] {
        const QRect row = shown.view.rowRect(shown.merge);
        return shown.view.list()->viewport()->grab(QRect(row.right() - 50, row.top(), 50, row.height())).toImage();
    };
    const QImage before = latencyOf();
    shown.shelf.rename(shown.merge, std::string(200, 'W'));
    shown.view.refresh(contextFor("sim:v100", shown.both));
    QVERIFY(latencyOf() == before);
    const QAbstractItemView &list = *shown.view.list();
    const QModelIndex index = list.indexAt(shown.view.rowRect(shown.merge).center());
    QVERIFY(index.data(Qt::ToolTipRole).toString().contains(QString(200, 'W')));
}

// Where name and latency do not fit beside each other, the name is as it is without a latency.
void TestShelfView::row_narrow_keepsTheName()
{
    Shelf shelf;
    const ResultId measured = addSearched(shelf, "IOS-Parallel of mine", recordOf("ios-parallel"), 3, 12345.6);
    ShelfView view(shelf);
    view.resize(170, 400);
    view.refresh(contextFor("sim:v100"));
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const QFontMetrics metrics(view.list()->font());
    const QString name = view.rows().front().rows.front().name;
    const QString latency = view.rows().front().rows.front().latency;
    const QRect row = view.rowRect(measured);
    QVERIFY(metrics.horizontalAdvance(name) < row.width() - 40); // alone it fits
    QVERIFY(metrics.horizontalAdvance(name + latency) > row.width() - 40);
    const QImage line = view.list()->viewport()->grab(row).toImage().copy(12, 5, row.width() - 45, metrics.height());
    QImage alone(line.size(), QImage::Format_ARGB32);
    alone.fill(line.pixelColor(line.width() - 1, 0));
    QPainter painter(&alone);
    painter.setFont(view.list()->font());
    painter.drawText(alone.rect(), Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.end();
    // The last column with ink is where the name ends.
    const auto end = [](const QImage &image) {
        int last = 0;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 0; y < image.height(); ++y) {
                if (std::abs(image.pixelColor(x, y).lightness() - image.pixelColor(image.width() - 1, 0).lightness()) >
                    40)
                    last = x;
            }
        }
        return last;
    };
    QVERIFY(std::abs(end(line) - end(alone)) <= 2);
}

void TestShelfView::accessible_rows_haveNames()
{
    Shown shown;
    for (const QWidget *part :
         {static_cast<QWidget *>(shown.view.list()), static_cast<QWidget *>(shown.view.findChild<QComboBox *>()),
          static_cast<QWidget *>(shown.view.findChild<QLineEdit *>())})
        QVERIFY(!part->accessibleName().isEmpty());
    const QAbstractItemModel &model = *shown.view.list()->model();
    QCOMPARE(model.rowCount(), 6); // including the titles of two groups
    for (int row = 0; row < model.rowCount(); ++row)
        QVERIFY(!model.index(row, 0).data(Qt::AccessibleTextRole).toString().isEmpty());
}

STAGECRAFT_SUITE(TestShelfView)

} // namespace tst_shelf_view
#include "tst_shelf_view.moc"
