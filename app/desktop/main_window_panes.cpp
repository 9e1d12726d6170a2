// Actions on panes: open, close, go from pane to pane and from difference to difference, and copy stages from one to
// another.

#include "desktop/main_window.h"

#include "desktop/pane_row.h"
#include "desktop/schedule_editing.h"
#include "desktop/schedule_pane.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/selection.h"
#include "widgets/comparison/difference_table.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_change.h"
#include "widgets/shelf/shelf_view.h"

#include <QAction>
#include <QLayout>
#include <QMenu>
#include <QStatusBar>

#include <algorithm>

namespace stagecraft {
void MainWindow::createPaneActions()
{
    m_actions.add("open_beside", {}, QStringLiteral("Ctrl+Return"), [this] { openBeside(m_shelf->chosen()); });
    m_actions.add("close_pane", QStringLiteral("&Close pane"), QStringLiteral("Ctrl+W"),
                  [this] { m_panes->close(m_panes->focused()); });
    const auto step = [this](std::size_t by) {
        m_panes->focus((m_panes->focused() + by) % m_panes->count());
        m_panes->focusedPane()->view()->setFocus();
    };
    m_actions.add("next_pane", QStringLiteral("&Next pane"), QStringLiteral("F9"), [step] { step(1); });
    m_actions.add("previous_pane", QStringLiteral("&Previous pane"), QStringLiteral("Shift+F9"),
                  [this, step] { step(m_panes->count() - 1); });
    m_actions.add("link_panes", QStringLiteral("Scroll and zoom &together"), QStringLiteral("Ctrl+K"),
                  [this] { m_panes->setLinked(!m_panes->isLinked()); });
    m_actions["link_panes"]->setCheckable(true);
    m_actions["link_panes"]->setChecked(true);
    m_actions["link_panes"]->setToolTip(QStringLiteral("Scroll, zoom and fold all panes together (Ctrl+K)"));
    m_actions.add("fold_equal", QStringLiteral("&Fold equal stages"), QStringLiteral("Ctrl+E"),
                  [this] { m_panes->setEqualStagesFolded(!m_panes->areEqualStagesFolded()); });
    m_actions["fold_equal"]->setCheckable(true);
    m_actions.add("next_difference", QStringLiteral("Next &difference"), QStringLiteral("F8"),
                  [this] { goToDifference(1); });
    m_actions.add("previous_difference", QStringLiteral("Previous d&ifference"), QStringLiteral("Shift+F8"),
                  [this] { goToDifference(-1); });
    const auto takeAction = [this](std::string_view name, const QKeySequence &keys, int neighbour, bool wholeBlock) {
        return m_actions.add(name, {}, keys, [this, neighbour, wholeBlock] {
            if (const auto take = m_panes->toTake(neighbour, wholeBlock))
                m_editing->take(*take);
        });
    };
    m_take = {takeAction("take_span_of_left", QStringLiteral("Alt+Right"), -1, false),
              takeAction("take_span_of_right", QStringLiteral("Alt+Left"), 1, false),
              takeAction("take_block_of_left", QStringLiteral("Alt+Shift+Right"), -1, true),
              takeAction("take_block_of_right", QStringLiteral("Alt+Shift+Left"), 1, true)};
    m_actions.addEntries("panes", [this](QMenu *menu) {
        m_actions.fill(menu, {"open_beside", "choose_beside", "close_pane", "next_pane", "previous_pane", "-",
                              "link_panes", "fold_equal", "-", "next_difference", "previous_difference", "-",
                              "take_span_of_left", "take_span_of_right", "take_block_of_left", "take_block_of_right"});
    });
}

void MainWindow::connectPanes()
{
    m_panes->setGutterAction(m_actions["link_panes"]);
    connect(m_panes, &PaneRow::panesChanged, this, [this] {
        refreshShelf();
        refreshPaneActions();
    });
    connect(m_panes, &PaneRow::widthChanged, this, &MainWindow::refreshPaneActions);
    connect(m_panes, &PaneRow::comparedChanged, this, &MainWindow::showDifference);
    connect(m_selection, &Selection::changed, this, [this] {
        m_difference->setCurrentSpan(m_panes->currentSpan());
        refreshPaneActions();
    });
    connect(m_shelf, &ShelfView::besideRequested, this, &MainWindow::openBeside);
    connect(m_shelf, &ShelfView::selectionChanged, this, &MainWindow::refreshPaneActions);
    connect(m_difference, &DifferenceTable::spanChosen, m_panes, &PaneRow::showSpan);
    connect(m_difference, &DifferenceTable::stageChosen, m_panes, &PaneRow::showStage);
    connect(m_difference, &DifferenceTable::blockChosen, this, [this](std::size_t block) {
        m_selection->set({std::nullopt, std::nullopt, block});
    });
    const auto popup = [this](const QPoint &at) {
        auto *menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        m_actions.fill(menu, {"panes"});
        menu->popup(at);
    };
    connect(m_difference, &DifferenceTable::menuRequested, this, popup);
    refreshPaneActions();
}

// Why another pane does not fit; empty if it does.
QString MainWindow::whyNoPaneMore() const
{
    if (m_panes->count() >= PaneRow::kMostPanes)
        return QStringLiteral("four are open");
    // Docks at the sides give up as much width as they can.
    const int spare = width() - layout()->minimumSize().width();
    if (spare < PaneRow::widthOfOneMore() &&
        m_panes->width() < static_cast<int>(m_panes->count() + 1) * PaneRow::widthOfOneMore())
        return QStringLiteral("no room: widen the window or close a panel");
    return {};
}

void MainWindow::openBeside(ResultId id)
{
    const ScheduleResult *result = m_document->shelf().find(id);
    if (!result)
        return;
    if (const QString why = whyNoPaneMore(); !why.isEmpty()) {
        statusBar()->showMessage(
            QStringLiteral("%1 cannot be opened beside: %2.").arg(QString::fromStdString(result->shownName()), why),
            8000);
        return;
    }
    m_panes->openBeside(id);
    // Deferred: whether another pane fits is known after the new one is laid out.
    QMetaObject::invokeMethod(this, &MainWindow::refreshPaneActions, Qt::QueuedConnection);
}

void MainWindow::goToDifference(int direction)
{
    const auto span = m_panes->goToDifference(direction);
    if (!span)
        return;
    const ComparedSchedules &compared = *m_panes->compared();
    const auto &spans = compared.spans();
    const auto number = 1 + std::count_if(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(*span),
                                          [](const CommonSpan &each) { return !each.isEqual; });
    QStringList letters;
    for (std::size_t side = 0; side < compared.schedules().size(); ++side)
        letters << paneLetter(m_panes->paneOf(side));
    statusBar()->showMessage(
        QStringLiteral("Difference %1 of %2: %3 of %4, %5")
            .arg(number)
            .arg(compared.differences())
            .arg(stagesText(spans[*span].sides[0]), letters.front(), spanText(compared, *span, letters)),
        8000);
}

void MainWindow::showDifference()
{
    QStringList letters;
    QStringList names;
    const auto &compared = m_panes->compared();
    for (std::size_t side = 0; compared && side < compared->schedules().size(); ++side) {
        letters << paneLetter(m_panes->paneOf(side));
        names << m_panes->pane(m_panes->paneOf(side))->titleText();
    }
    m_difference->setCompared(compared, letters, names);
    m_difference->setCurrentSpan(m_panes->currentSpan());
}

void MainWindow::refreshPaneActions()
{
    const QString why = whyNoPaneMore();
    m_actions["open_beside"]->setText(why.isEmpty() ? QStringLiteral("Open &beside")
                                                    : QStringLiteral("Open &beside (%1)").arg(why));
    const ScheduleResult *chosen = m_document->shelf().find(m_shelf->chosen());
    m_actions["open_beside"]->setEnabled(why.isEmpty() && chosen);
    const bool several = m_panes->count() > 1;
    m_actions["close_pane"]->setEnabled(several);
    m_actions["next_pane"]->setEnabled(several);
    m_actions["previous_pane"]->setEnabled(several);
    const bool compared = m_panes->compared() != nullptr;
    m_actions["link_panes"]->setEnabled(several);
    m_actions["link_panes"]->setChecked(m_panes->isLinked());
    m_actions["fold_equal"]->setEnabled(compared);
    m_actions["fold_equal"]->setChecked(m_panes->areEqualStagesFolded());
    const bool differ = compared && m_panes->compared()->differences() > 0;
    m_actions["next_difference"]->setEnabled(differ);
    m_actions["previous_difference"]->setEnabled(differ);
    for (std::size_t i = 0; i < m_take.size(); ++i) {
        const bool fromLeft = i % 2 == 0;
        const bool wholeBlock = i >= 2;
        const auto take = m_panes->toTake(fromLeft ? -1 : 1, wholeBlock);
        m_take[i]->setEnabled(take.has_value());
        const QString what = wholeBlock ? QStringLiteral("block") : QStringLiteral("span");
        m_take[i]->setText(
            take ? QStringLiteral("Take %1, %2 of %3, into %4")
                       .arg(what, stagesText(take->fromStages), paneLetter(take->from), paneLetter(take->into))
                 : QStringLiteral("Take %1 from the pane at the %2")
                       .arg(what, fromLeft ? QStringLiteral("left") : QStringLiteral("right")));
    }
}

} // namespace stagecraft
