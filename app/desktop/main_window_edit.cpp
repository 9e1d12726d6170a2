// Manual editing: the menu of a schedule, and searches that keep pinned stages.

#include "desktop/main_window.h"
#include "desktop/pane_row.h"
#include "desktop/schedule_editing.h"
#include "widgets/inspector/inspector.h"
#include "widgets/search/search_panel.h"

#include <QMenu>
#include <QStatusBar>

namespace stagecraft {

void MainWindow::connectEditing()
{
    connect(m_editing, &ScheduleEditing::told, this,
            [this](const QString &text) { statusBar()->showMessage(text, 8000); });
    connect(m_editing, &ScheduleEditing::improveRequested, this, &MainWindow::improve);
    connect(m_panes, &PaneRow::takePressed, m_editing, &ScheduleEditing::take);
    connect(m_inspector, &Inspector::tryRequested, m_editing, &ScheduleEditing::tryStage);
    connect(m_panes, &PaneRow::menuRequested, this, [this](const QPoint &at) {
        auto *menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        m_editing->fillMenu(menu);
        menu->addSeparator();
        m_actions.fill(menu->addMenu(QStringLiteral("Panes")), {"panes"});
        menu->popup(at);
    });
}

// Searches on the result's device with r and s of the tool bar.
void MainWindow::improve(ResultId from)
{
    PlannedSearch search{m_document->targetOf(from), {}, m_searchPanel->options()};
    search.options.pinned = m_document->pinnedStages(from);
    if (!checkPruning(search.options))
        return;
    search.results = {m_document->addPinnedSearch(from, kindOf(search.options.strategies), search.options)};
    m_plannedSearches.push_back(std::move(search));
    startNextSearch();
}

} // namespace stagecraft
