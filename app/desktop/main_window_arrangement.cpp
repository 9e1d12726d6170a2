// The parts of the window: docks, tool bar, menus, dialogs.

#include "desktop/dialogs/about.h"
#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/help_window.h"
#include "desktop/dialogs/what_if_window.h"
#include "desktop/dialogs/write_picture.h"
#include "desktop/dot_process.h"
#include "desktop/drop_hint.h"
#include "desktop/frame/action_maker.h"
#include "desktop/frame/appearance.h"
#include "desktop/frame/icons.h"
#include "desktop/frame/panels.h"
#include "desktop/kept/recent_files.h"
#include "desktop/main_window.h"
#include "desktop/pane_row.h"
#include "desktop/schedule_editing.h"
#include "desktop/schedule_pane.h"
#include "flow/open_model.h"
#include "widgets/base/elided_label.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/charts/latency_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/roofline_chart.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/comparison/difference_table.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector.h"
#include "widgets/passes/passes_panel.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QStatusBar>

namespace stagecraft {

void MainWindow::createViews()
{
    m_graph = new GraphView(m_selection, this);
    m_graph->setDot([] { return std::make_unique<DotProcess>(); });
    m_inspector = new Inspector(m_selection, this);
    m_shelf = new ShelfView(m_document->shelf(), this);
    m_panes = new PaneRow(m_document, m_selection, this);
    m_editing = new ScheduleEditing(m_document, m_jobs, m_panes, this);
    m_timeline = new TimelineView(m_selection, this);
    m_chart = new LatencyChart(m_selection, this);
    m_roofline = new RooflineChart(m_selection, this);
    m_memory = new MemoryChart(m_selection, this);
    m_passes = new PassesPanel(m_selection, this);
    m_passes->setDot([] { return std::make_unique<DotProcess>(); });
    m_comparison = new ComparisonTable(this);
    m_difference = new DifferenceTable(this);
    m_blocks = new BlocksTable(m_selection, this);
    m_searchPanel = new SearchPanel(this);
    createStudies();
    m_messages = new MessageBar(this);
    m_help = new HelpWindow(this);
    m_whatIf = new WhatIfWindow(this);
    m_dropHint = new DropHint(this);
    m_statusProvenance = new QLabel(this);
    m_statusDevice = new ElidedLabel({}, this);
    m_statusModel = new ElidedLabel({}, this);
    m_statusSearch = new ElidedLabel({}, this);
    QStringList samples;
    for (const BuiltInModel &model : builtInModels())
        samples << QString::fromStdString(model.name);
    m_graph->setSamples(samples);
    m_comparison->setRows(m_document->comparison());
    statusBar()->addWidget(m_statusProvenance);
    statusBar()->addWidget(m_statusDevice);
    statusBar()->addWidget(m_statusModel);
    statusBar()->addPermanentWidget(m_statusSearch);
    m_statusProvenance->setContentsMargins(8, 2, 0, 2);
    for (ElidedLabel *label : {m_statusDevice, m_statusModel, m_statusSearch}) {
        label->setElideMode(Qt::ElideRight);
        label->setContentsMargins(8, 2, 8, 2);
    }
}

void MainWindow::createActions()
{
    const ActionMaker make(this);
    m_actions.open = make(QStringLiteral("&Open..."), QKeySequence::Open, [this] { chooseModelFile(); });
    createAreaActions();
    createViewActions();
    m_actions.open->setIconText(QStringLiteral("Open"));
    m_actions.open->setToolTip(QStringLiteral("Open a model (ONNX or IOS JSON) or a session (Ctrl+O)"));
    m_actions.openSchedule =
        make(QStringLiteral("Open s&chedule..."), QStringLiteral("Ctrl+Shift+O"), [this] { chooseScheduleFile(); });
    createSessionActions();
    m_actions.picture =
        make(QStringLiteral("Save &picture of the window..."), QStringLiteral("Ctrl+Alt+P"), [this] { savePicture(); });
    m_actions.device =
        make(QStringLiteral("&Device from file..."), QStringLiteral("Ctrl+D"), [this] { loadDeviceFile(); });
    m_actions.quit = make(QStringLiteral("&Quit"), QStringLiteral("Ctrl+Q"), [] { QApplication::closeAllWindows(); });

    m_actions.search = make(QStringLiteral("&Search"), QStringLiteral("F5"), [this] { startSearch(); });
    createShelfActions();
    createPaneActions();
    createStudyActions();
    m_actions.stop = make(QStringLiteral("S&top"), QStringLiteral("Shift+F5"), [this] { stopWork(); });
    m_actions.compare = make(QStringLiteral("&Compare all"), QStringLiteral("Ctrl+F5"), [this] { compareAll(); });
    m_actions.compare->setIconText(QStringLiteral("Compare"));
    m_actions.compare->setToolTip(
        QStringLiteral("Search with every strategy and compare the five schedules (Ctrl+F5)"));
    createLayoutChoiceAction();
    m_actions.whatIf = make({}, QStringLiteral("F7"), [this] { showWhatIf(); });
    auto *group = new QActionGroup(this);
    for (std::size_t i = 0; i < kScheduleKinds.size(); ++i) {
        const std::string_view text = title(kScheduleKinds[i]);
        m_actions.show[i] = make(QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size())),
                                 QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)),
                                 [this, i] { m_document->setCurrent(m_document->newest(kScheduleKinds[i])); });
        m_actions.show[i]->setCheckable(true);
        group->addAction(m_actions.show[i]);
    }

    m_actions.find = make(QStringLiteral("&Find operator..."), QKeySequence::Find, [this] {
        m_panels->show(m_graph);
        m_graph->showFindBar();
    });
    m_actions.find->setIconText(QStringLiteral("Find"));
    m_actions.fitGraph = make(QStringLiteral("Fit &graph"), QStringLiteral("Ctrl+0"), [this] { m_graph->fitAll(); });
    m_actions.fitSchedule = make(QStringLiteral("Fit &schedule"), QStringLiteral("Ctrl+Shift+0"),
                                 [this] { schedulePane()->view()->fitAll(); });
    m_actions.foldAll = make(QStringLiteral("Fold all &blocks"), QStringLiteral("Ctrl+Shift+F"),
                             [this] { m_graph->setAllFolded(true); });
    m_actions.unfoldAll = make(QStringLiteral("&Unfold all blocks"), QStringLiteral("Ctrl+Shift+U"),
                               [this] { m_graph->setAllFolded(false); });
    auto *colouring = new QActionGroup(this);
    struct ColouringEntry {
        const char *text;
        const char *keys;
    };
    constexpr std::array<ColouringEntry, kColourings> kColouringEntries{{{"By &stage", "Ctrl+Alt+1"},
                                                                         {"By &latency", "Ctrl+Alt+2"},
                                                                         {"By operator &type", "Ctrl+Alt+3"},
                                                                         {"By &FLOPs", "Ctrl+Alt+4"},
                                                                         {"By &bytes", "Ctrl+Alt+5"},
                                                                         {"By &utilisation", "Ctrl+Alt+6"},
                                                                         {"By time l&ost", "Ctrl+Alt+0"},
                                                                         {"By what &moved", "Ctrl+Alt+V"},
                                                                         {"By la&yout", "Ctrl+Alt+Y"}}};
    for (std::size_t i = 0; i < kColouringEntries.size(); ++i) {
        m_actions.colouring[i] =
            make(QLatin1String(kColouringEntries[i].text), QKeySequence(QLatin1String(kColouringEntries[i].keys)),
                 [this, i] { m_graph->setColouring(static_cast<Colouring>(i)); });
        m_actions.colouring[i]->setCheckable(true);
        colouring->addAction(m_actions.colouring[i]);
    }
    m_actions.colouring[0]->setChecked(true);
    auto *appearance = new QActionGroup(this);
    const std::array appearances{QStringLiteral("As the des&ktop"), QStringLiteral("&Light"), QStringLiteral("&Dark")};
    const Appearance chosen =
        appearanceFromString(QSettings().value(QStringLiteral("appearance")).toString()).value_or(Appearance::System);
    for (std::size_t i = 0; i < appearances.size(); ++i) {
        m_actions.appearance[i] = make(appearances[i], QStringLiteral("Ctrl+Alt+%1").arg(i + 7), [i] {
            QSettings().setValue(QStringLiteral("appearance"), toString(static_cast<Appearance>(i)));
            applyAppearance(*qApp, static_cast<Appearance>(i));
        });
        m_actions.appearance[i]->setCheckable(true);
        m_actions.appearance[i]->setChecked(i == static_cast<std::size_t>(chosen));
        appearance->addAction(m_actions.appearance[i]);
    }

    m_actions.help = make(QStringLiteral("&Help"), QKeySequence::HelpContents, [this] { m_help->showPage(); });
    m_actions.help->setToolTip(QStringLiteral("What the words mean, how to use the window, keys (F1)"));
    m_actions.keys = make(QStringLiteral("&Keys and mouse"), QStringLiteral("Shift+F1"),
                          [this] { m_help->showPage(QStringLiteral("keys")); });
    m_actions.paper = make(QStringLiteral("The paper &reproduced"), QStringLiteral("Ctrl+F1"),
                           [this] { m_help->showPage(QStringLiteral("reproduction.html")); });
    m_actions.paper->setToolTip(
        QStringLiteral("Every table and figure of the IOS paper beside what the simulated V100 says"));
    m_actions.about = make(QStringLiteral("&About Stagecraft"), {}, [this] { showAbout(); });
}

void MainWindow::createMenus()
{
    QMenu *file = menuBar()->addMenu(QStringLiteral("&File"));
    file->addAction(m_sessionActions.newWindow);
    file->addAction(m_actions.open);
    fillSamples(file->addMenu(QStringLiteral("S&amples")));
    QMenu *recent = file->addMenu(QStringLiteral("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] {
        recent->clear();
        fillRecent(recent);
    });
    file->addSeparator();
    file->addAction(m_actions.save);
    file->addAction(m_sessionActions.saveAs);
    file->addAction(m_sessionActions.findModel);
    file->addAction(m_sessionActions.reading);
    file->addSeparator();
    file->addAction(m_actions.openSchedule);
    file->addAction(m_actions.exportResult);
    file->addAction(m_actions.exportAs);
    file->addAction(m_actions.picture);
    file->addSeparator();
    file->addAction(m_actions.device);
    file->addSeparator();
    file->addAction(m_actions.quit);

    QMenu *edit = menuBar()->addMenu(QStringLiteral("&Edit"));
    edit->addAction(m_actions.undo);
    edit->addAction(m_actions.redo);
    edit->addAction(m_viewActions.copyPage);
    edit->addAction(m_studyActions.copyPruning);
    edit->addAction(m_studyActions.copySpecialization);
    edit->addSeparator();
    m_editing->fillMenu(edit);

    QMenu *view = menuBar()->addMenu(QStringLiteral("&View"));
    view->addAction(m_actions.find);
    view->addSeparator();
    view->addAction(m_actions.fitGraph);
    view->addAction(m_actions.fitSchedule);
    view->addAction(m_actions.foldAll);
    view->addAction(m_actions.unfoldAll);
    QMenu *colour = view->addMenu(QStringLiteral("&Colour the graph"));
    for (QAction *action : m_actions.colouring)
        colour->addAction(action);
    view->addMenu(QStringLiteral("&Operators in the graph"))->addActions(m_graph->viewActions());
    view->addAction(m_viewActions.lengths);
    QMenu *timeline = view->addMenu(QStringLiteral("&Timeline"));
    timeline->addAction(m_viewActions.wholeTimeline);
    timeline->addAction(m_viewActions.align);
    timeline->addSeparator();
    timeline->addActions(m_timeline->viewActions());
    view->addSeparator();
    view->addMenu(m_panelsMenu);
    view->addAction(m_frameActions.enlarge);
    view->addAction(m_frameActions.comparisonOnly);
    view->addAction(m_frameActions.nextArea);
    view->addAction(m_frameActions.previousArea);
    view->addAction(m_frameActions.resetArrangement);
    view->addAction(m_frameActions.foldShelf);
    QMenu *appearance = view->addMenu(QStringLiteral("&Appearance"));
    for (QAction *action : m_actions.appearance)
        appearance->addAction(action);

    QMenu *schedule = menuBar()->addMenu(QStringLiteral("&Schedule"));
    schedule->addAction(m_actions.search);
    schedule->addAction(m_actions.stop);
    schedule->addAction(m_searchPanel->singleSourceAction());
    schedule->addAction(m_actions.compare);
    schedule->addAction(m_actions.layouts);
    schedule->addAction(m_studyActions.pruning);
    schedule->addAction(m_studyActions.specialization);
    schedule->addSeparator();
    schedule->addAction(m_actions.whatIf);
    schedule->addSeparator();
    for (QAction *action : m_actions.show)
        schedule->addAction(action);

    QMenu *results = menuBar()->addMenu(QStringLiteral("&Results"));
    fillShelfMenu(results);
    fillResultMenu(results);
    fillPanesMenu(menuBar()->addMenu(QStringLiteral("&Panes")));

    QMenu *help = menuBar()->addMenu(QStringLiteral("&Help"));
    help->addAction(m_actions.help);
    help->addAction(m_actions.keys);
    help->addAction(m_actions.paper);
    help->addSeparator();
    help->addAction(m_actions.about);
}

void MainWindow::fillSamples(QMenu *menu)
{
    for (const BuiltInModel &model : builtInModels()) {
        const QString name = QString::fromStdString(model.name);
        menu->addAction(QString::fromStdString(model.title), this, [this, name] { openModel(name); });
    }
}

void MainWindow::fillRecent(QMenu *menu)
{
    const QStringList files = recentFiles();
    if (files.isEmpty())
        menu->addAction(QStringLiteral("Nothing opened yet"))->setEnabled(false);
    for (const QString &spec : files) {
        QAction *action = menu->addAction(QFileInfo(spec).fileName(), this, [this, spec] { openPath(spec); });
        action->setToolTip(spec);
    }
    if (!files.isEmpty()) {
        menu->addSeparator();
        menu->addAction(QStringLiteral("Clear this list"), this, [] { clearRecentFiles(); });
    }
}

void MainWindow::applyIcons()
{
    const Theme theme = themeFor(palette());
    const auto set = [&](QAction *action, const char *name) { action->setIcon(icon(QLatin1String(name), theme.text)); };
    set(m_actions.open, "open");
    set(m_actions.save, "save");
    set(m_actions.picture, "picture");
    set(m_actions.compare, "compare");
    set(m_actions.search, "search");
    set(m_actions.stop, "stop");
    set(m_actions.find, "find");
    set(m_actions.fitGraph, "fit");
    set(m_actions.help, "help");
    set(m_actions.linkPanes, "link");
    set(m_actions.about, "info");
    m_searchPanel->setIcons(icon(QStringLiteral("search"), Qt::white), icon(QStringLiteral("stop"), Qt::white));
}

void MainWindow::chooseModelFile()
{
    const QString path = QFileDialog::getOpenFileName(
        this, QStringLiteral("Open a model or a session"), dialogFolder(),
        QStringLiteral("Models and sessions (*.onnx *.json *.stagecraft);;Sessions (*.stagecraft);;"
                       "Schedules (*.schedule.json);;All files (*)"));
    if (path.isEmpty())
        return;
    keepDialogFolder(path);
    openPath(path);
}

void MainWindow::chooseScheduleFile()
{
    const QString path = QFileDialog::getOpenFileName(this, QStringLiteral("Open a schedule"), dialogFolder(),
                                                      QStringLiteral("Schedules (*.schedule.json);;"
                                                                     "Graphs with stages of the IOS project (*.json);;"
                                                                     "All files (*)"));
    if (path.isEmpty())
        return;
    keepDialogFolder(path);
    m_openingScheduleFor = m_document->settings();
    m_jobs->openSchedule(m_document->target(), path);
}

void MainWindow::savePicture()
{
    const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save a picture of the window"),
                                                      dialogFolder() + QStringLiteral("/stagecraft.png"),
                                                      QStringLiteral("Pictures (*.png)"));
    if (path.isEmpty())
        return;
    const auto model = m_document->model();
    const auto differs = model ? refuseOverwritingModel(QFile::encodeName(path).toStdString(), *model) : Result<void>{};
    if (const auto saved = differs.and_then([&] { return writePicture(grab(), path); }); !saved)
        refuse(saved.error());
}

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    box->setWindowTitle(QStringLiteral("About Stagecraft"));
    box->setIconPixmap(applicationIcon().pixmap(64, 64));
    box->setText(aboutTitle());
    box->setInformativeText(aboutText());
    box->show();
}

} // namespace stagecraft
