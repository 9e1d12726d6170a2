// Actions on the shelf's results: show, name, note, pin, compare, measure again, export, remove, and undo.

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/main_window.h"
#include "desktop/pane_row.h"
#include "desktop/schedule_pane.h"
#include "desktop/waiting_line.h"
#include "flow/open_model.h"
#include "results/files/schedule_json.h"
#include "support/output_file.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"

#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QStatusBar>

#include <algorithm>

namespace stagecraft {

void MainWindow::createShelfActions()
{
    const auto onChosen = [this](auto &&act) {
        return [this, act] {
            for (const ResultId id : chosenResults())
                act(id);
        };
    };
    m_actions.add("undo", QStringLiteral("&Undo"), QKeySequence::Undo, [this] { m_document->undo(); });
    m_actions.add("redo", QStringLiteral("&Redo"), QStringLiteral("Ctrl+Shift+Z"), [this] { m_document->redo(); });
    m_actions.add("show_result", QStringLiteral("&Show\tEnter"), {},
                  [this] { m_document->setCurrent(m_shelf->chosen()); });
    m_actions.add("rename", QStringLiteral("&Rename"), QStringLiteral("F2"), [this] {
        findChild<QDockWidget *>(QStringLiteral("shelf"))->show();
        m_shelf->startRename();
    });
    m_actions.add("note", QStringLiteral("&Note..."), QStringLiteral("Ctrl+Shift+N"), [this] {
        findChild<QDockWidget *>(QStringLiteral("shelf"))->show();
        m_shelf->startNote();
    });
    m_actions.add("pin", QStringLiteral("&Pin to the top"), QStringLiteral("Ctrl+P"), onChosen([this](ResultId id) {
                      m_document->setPinned(id, !m_document->shelf().find(id)->isPinned);
                  }));
    m_actions["pin"]->setCheckable(true);
    m_actions.add("baseline", QStringLiteral("Set as base&line"), QStringLiteral("Ctrl+B"), [this] {
        if (const auto ids = chosenResults(); ids.size() == 1)
            m_document->chooseBaseline(ids.front());
    });
    m_actions.add("measure_again", QStringLiteral("&Measure again"), QStringLiteral("Ctrl+M"),
                  onChosen([this](ResultId id) { measureAgain(id); }));
    m_actions.add("stop_result", QStringLiteral("Stop &it"), QStringLiteral("Ctrl+Shift+X"),
                  onChosen([this](ResultId id) { stopResult(id); }));
    m_actions.add("export_as", QStringLiteral("Expor&t..."), QStringLiteral("Ctrl+Alt+E"), [this] { exportAs(); });
    m_actions.add("export_result", QStringLiteral("&Export schedule..."), QStringLiteral("Ctrl+Shift+E"), [this] {
        if (const auto ids = chosenResults(); ids.size() == 1)
            exportResult(ids.front());
    });
    m_actions.add("remove", QStringLiteral("Remo&ve"), QKeySequence::Delete, [this] { removeResults(); });
    m_actions.add("filter", QStringLiteral("&Filter the shelf"), QStringLiteral("Ctrl+L"), [this] {
        findChild<QDockWidget *>(QStringLiteral("shelf"))->show();
        m_shelf->focusFilter();
    });
    // These keys apply only while the shelf has the focus.
    for (QAction *action : {m_actions["rename"], m_actions["remove"]}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_shelf->addAction(action);
    }
    m_actions.addEntries("shelf", [this](QMenu *menu) {
        m_actions.fill(menu, {"show_result", "open_beside", "-", "rename", "note", "pin", "baseline", "-",
                              "measure_again", "stop_result", "export_result", "-", "remove", "filter"});
    });
}

void MainWindow::connectShelf()
{
    connect(m_shelf, &ShelfView::showRequested, m_document, &Document::setCurrent);
    connect(m_shelf, &ShelfView::renameRequested, m_document, &Document::rename);
    connect(m_shelf, &ShelfView::noteRequested, m_document, &Document::annotate);
    connect(m_shelf, &ShelfView::measureAgainRequested, this, &MainWindow::measureAgain);
    connect(m_shelf, &ShelfView::openRequested, this, &MainWindow::chooseModelFile);
    connect(m_shelf, &ShelfView::selectionChanged, this, &MainWindow::refreshShelfActions);
    connect(m_shelf, &ShelfView::menuRequested, this, [this](const QPoint &at) {
        if (chosenResults().empty())
            return;
        auto *menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        m_actions.fill(menu, {"shelf"});
        menu->popup(at);
    });
}

void MainWindow::refreshShelf()
{
    ShelfContext context;
    context.isOpen = m_document->model() != nullptr;
    context.chosen = m_document->settings();
    const SearchOptions options = m_searchPanel->options();
    context.asked.r = options.r;
    context.asked.s = options.s;
    context.asked.singleSource = options.singleSource;
    context.shown = m_document->current();
    context.waits = m_waiting->texts();
    for (std::size_t i = 0; i < m_panes->count(); ++i) {
        const ResultId id = m_panes->pane(i)->result();
        if (const QString letters = m_panes->lettersOf(id); !letters.isEmpty())
            context.letters[id] = letters;
    }
    for (const ScheduleResult &result : m_document->shelf().results()) {
        const PlannedMemory *planned = m_document->memoryOf(result.id);
        if (planned && planned->memory)
            context.livePeakBytes[result.id] = planned->memory->use.livePeakBytes();
    }
    for (const DeviceInfo &info : m_devices)
        context.deviceTitles[info.id] = QString::fromStdString(info.title);
    m_shelf->refresh(context);
}

std::vector<ResultId> MainWindow::chosenResults() const
{
    std::vector<ResultId> ids = m_shelf->selected();
    if (ids.empty() && m_document->current().isValid())
        ids.push_back(m_document->current());
    return ids;
}

void MainWindow::refreshShelfActions()
{
    const Shelf &shelf = m_document->shelf();
    const auto words = [](const QString &verb, const std::string &what) {
        return what.empty() ? verb : QStringLiteral("%1: %2").arg(verb, QString::fromStdString(what));
    };
    m_actions["undo"]->setText(words(QStringLiteral("&Undo"), shelf.undoWords()));
    m_actions["undo"]->setEnabled(!shelf.undoWords().empty());
    m_actions["redo"]->setText(words(QStringLiteral("&Redo"), shelf.redoWords()));
    m_actions["redo"]->setEnabled(!shelf.redoWords().empty());
    const std::vector<ResultId> ids = chosenResults();
    const bool one = ids.size() == 1;
    const ScheduleResult *result = one ? shelf.find(ids.front()) : nullptr;
    const bool made = result && result->schedule;
    m_actions["show_result"]->setEnabled(one);
    m_actions["rename"]->setEnabled(one);
    m_actions["note"]->setEnabled(one);
    m_actions["pin"]->setEnabled(!ids.empty());
    m_actions["pin"]->setChecked(result && result->isPinned);
    const bool isBaseline = result && shelf.baseline(result->settings) == result->id;
    m_actions["baseline"]->setEnabled((made || (result && result->origin == Origin::Stated)) && !isBaseline);
    m_actions["baseline"]->setText(isBaseline ? QStringLiteral("Set as base&line (it is)")
                                              : QStringLiteral("Set as base&line"));
    m_actions["export_result"]->setEnabled(made);
    const auto canBeMeasured = [&](ResultId id) {
        const ScheduleResult *each = shelf.find(id);
        return each && each->schedule && !each->isUnderWay() && !m_document->isModelMissing(id);
    };
    m_actions["measure_again"]->setEnabled(!ids.empty() && std::ranges::all_of(ids, canBeMeasured));
    const auto isUnderWay = [&](ResultId id) { return shelf.find(id) && shelf.find(id)->isUnderWay(); };
    m_actions["stop_result"]->setEnabled(std::ranges::any_of(ids, isUnderWay));
    m_actions["stop_result"]->setText(result && result->state == ResultState::Waiting
                                          ? QStringLiteral("Take &it out of the line")
                                          : QStringLiteral("Stop &it"));
    m_actions["remove"]->setEnabled(!ids.empty());
    m_actions["remove"]->setText(ids.size() > 1 ? QStringLiteral("Remo&ve %1 results").arg(ids.size())
                                                : QStringLiteral("Remo&ve"));
}

void MainWindow::measureAgain(ResultId id)
{
    const ScheduleResult *result = m_document->shelf().find(id);
    if (!result || !result->schedule || result->isUnderWay() || m_document->isModelMissing(id))
        return;
    const SchedulePtr schedule = result->schedule;
    m_document->setWaiting(id);
    m_jobs->measureAgain(m_document->targetOf(id), id, schedule);
}

// Ends what makes or measures a result, which stays as it was before or with the best so far; one that has nothing yet
// goes, but for a baseline, which says why it has none.
void MainWindow::stopResult(ResultId id)
{
    const ScheduleResult *result = m_document->shelf().find(id);
    if (!result || !result->isUnderWay())
        return;
    const auto isIt = [id](const ResultToMake &other) { return other.id == id; };
    if (std::ranges::any_of(m_search.results, isIt)) {
        m_jobs->stopSearch();
    } else if (result->isFound()) {
        takeOutOfLine(id);
    } else if (m_jobs->dropMeasuring(id)) {
        if (result->schedule)
            m_document->setDone(id);
        else if (result->origin == Origin::Baseline)
            m_document->setFailed(id, QStringLiteral("stopped before it was measured"));
        else
            m_document->drop(id);
    }
}

// Those of what was shown before; they are measured when it is opened again.
void MainWindow::dropBaselinesInLine()
{
    for (const ResultId id : m_jobs->dropBaselinesInLine())
        m_document->drop(id);
}

// Running results are stopped and queued ones dropped; removing finished ones can be undone.
void MainWindow::removeResults()
{
    const std::vector<ResultId> ids = chosenResults();
    for (const ResultId id : ids) {
        const ScheduleResult *result = m_document->shelf().find(id);
        if (result && result->isUnderWay())
            takeOutOfLine(id);
    }
    m_document->remove(ids);
    if (const std::string words = m_document->shelf().undoWords(); words.starts_with("Remove"))
        statusBar()->showMessage(QStringLiteral("%1: Ctrl+Z brings it back").arg(QString::fromStdString(words)), 8000);
}

void MainWindow::takeOutOfLine(ResultId id)
{
    if (m_jobs->dropMeasuring(id))
        m_document->setDone(id);
    const auto isIt = [id](const ResultToMake &other) { return other.id == id; };
    for (PlannedSearch &planned : m_plannedSearches) {
        if (std::erase_if(planned.results, isIt) > 0)
            m_document->drop(id);
    }
    std::erase_if(m_plannedSearches, [](const PlannedSearch &planned) { return planned.results.empty(); });
    if (std::ranges::any_of(m_search.results, isIt)) {
        m_jobs->cancelSearch();
        endSearch();
    }
}

void MainWindow::exportResult(ResultId id)
{
    const ScheduleResult *result = m_document->shelf().find(id);
    const ModelPtr model = m_document->targetOf(id).model;
    if (!result || !result->schedule)
        return;
    const SchedulePtr shown = m_document->shown(id).schedule;
    const SchedulePtr schedule = shown ? shown : result->schedule; // results of missing models are not shown
    const QString suggested = QStringLiteral("%1/%2-%3.schedule.json")
                                  .arg(dialogFolder(), QString::fromStdString(result->settings.model.name),
                                       QString::fromStdString(result->shownName()).toLower());
    const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save the schedule"), suggested,
                                                      QStringLiteral("Schedules (*.schedule.json)"));
    if (path.isEmpty())
        return;
    const std::string file = QFile::encodeName(path).toStdString();
    const auto differs = model ? refuseOverwritingModel(file, *model) : Result<void>{};
    const auto saved =
        differs.and_then([&] { return writeFile(file, toJson(m_document->operatorNames(id), *schedule)); });
    if (saved)
        m_document->freeze(id);
    if (saved)
        statusBar()->showMessage(QStringLiteral("Saved %1").arg(path), 5000);
    else
        refuse(saved.error());
}

} // namespace stagecraft
