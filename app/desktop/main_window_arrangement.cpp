// The parts of the window: docks, tool bar, menus, dialogs.

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/write_picture.h"
#include "desktop/dot_process.h"
#include "desktop/drop_hint.h"
#include "desktop/frame/appearance.h"
#include "desktop/frame/icons.h"
#include "desktop/frame/panels.h"
#include "desktop/kept/recent_files.h"
#include "desktop/main_window.h"
#include "desktop/pane_row.h"
#include "desktop/runner_up_times.h"
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
    m_runnerUpTimes = new RunnerUpTimes(m_document, m_jobs, this);
    m_messages = new MessageBar(this);
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
    m_actions.add("open", QStringLiteral("&Open..."), QKeySequence::Open, [this] { chooseModelFile(); });
    createAreaActions();
    createViewActions();
    m_actions["open"]->setIconText(QStringLiteral("Open"));
    m_actions["open"]->setToolTip(QStringLiteral("Open a model (ONNX or IOS JSON) or a session (Ctrl+O)"));
    m_actions.add("open_schedule", QStringLiteral("Open s&chedule..."), QStringLiteral("Ctrl+Shift+O"),
                  [this] { chooseScheduleFile(); });
    createSessionActions();
    m_actions.add("picture", QStringLiteral("Save &picture of the window..."), QStringLiteral("Ctrl+Alt+P"),
                  [this] { savePicture(); });
    m_actions.add("quit", QStringLiteral("&Quit"), QStringLiteral("Ctrl+Q"), [] { QApplication::closeAllWindows(); });

    m_actions.add("search", QStringLiteral("&Search"), QStringLiteral("F5"), [this] { startSearch(); });
    createShelfActions();
    createPaneActions();
    m_actions.add("stop", QStringLiteral("S&top"), QStringLiteral("Shift+F5"), [this] { stopWork(); });
    m_actions.add("compare", QStringLiteral("&Compare all"), QStringLiteral("Ctrl+F5"), [this] { compareAll(); });
    m_actions["compare"]->setIconText(QStringLiteral("Compare"));
    m_actions["compare"]->setToolTip(
        QStringLiteral("Search with every strategy and compare the five schedules (Ctrl+F5)"));
    auto *group = new QActionGroup(this);
    for (std::size_t i = 0; i < kScheduleKinds.size(); ++i) {
        const std::string_view text = title(kScheduleKinds[i]);
        m_showKind[i] = m_actions.add("show_" + std::to_string(i),
                                      QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size())),
                                      QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)),
                                      [this, i] { m_document->setCurrent(m_document->newest(kScheduleKinds[i])); });
        m_showKind[i]->setCheckable(true);
        group->addAction(m_showKind[i]);
    }

    m_actions.add("find", QStringLiteral("&Find operator..."), QKeySequence::Find, [this] {
        m_panels->show(m_graph);
        m_graph->showFindBar();
    });
    m_actions["find"]->setIconText(QStringLiteral("Find"));
    m_actions.add("fit_graph", QStringLiteral("Fit &graph"), QStringLiteral("Ctrl+0"), [this] { m_graph->fitAll(); });
    m_actions.add("fit_schedule", QStringLiteral("Fit &schedule"), QStringLiteral("Ctrl+Shift+0"),
                  [this] { schedulePane()->view()->fitAll(); });
    m_actions.add("fold_all", QStringLiteral("Fold all &blocks"), QStringLiteral("Ctrl+Shift+F"),
                  [this] { m_graph->setAllFolded(true); });
    m_actions.add("unfold_all", QStringLiteral("&Unfold all blocks"), QStringLiteral("Ctrl+Shift+U"),
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
        m_colouring[i] = m_actions.add("colouring_" + std::to_string(i), QLatin1String(kColouringEntries[i].text),
                                       QKeySequence(QLatin1String(kColouringEntries[i].keys)),
                                       [this, i] { m_graph->setColouring(static_cast<Colouring>(i)); });
        m_colouring[i]->setCheckable(true);
        colouring->addAction(m_colouring[i]);
    }
    m_colouring[0]->setChecked(true);
    auto *appearance = new QActionGroup(this);
    const std::array appearances{QStringLiteral("As the des&ktop"), QStringLiteral("&Light"), QStringLiteral("&Dark")};
    const Appearance chosen =
        appearanceFromString(QSettings().value(QStringLiteral("appearance")).toString()).value_or(Appearance::System);
    for (std::size_t i = 0; i < appearances.size(); ++i) {
        QAction *action = m_actions.add(
            "appearance_" + std::to_string(i), appearances[i], QStringLiteral("Ctrl+Alt+%1").arg(i + 7), [i] {
                QSettings().setValue(QStringLiteral("appearance"), toString(static_cast<Appearance>(i)));
                applyAppearance(*qApp, static_cast<Appearance>(i));
            });
        action->setCheckable(true);
        action->setChecked(i == static_cast<std::size_t>(chosen));
        appearance->addAction(action);
    }
}

void MainWindow::createMenus()
{
    m_actions.add("single_source", m_searchPanel->singleSourceAction());
    m_actions.addEntries("samples", [this](QMenu *menu) { fillSamples(menu->addMenu(QStringLiteral("S&amples"))); });
    m_actions.addEntries("recent", [this](QMenu *menu) {
        QMenu *recent = menu->addMenu(QStringLiteral("Open &recent"));
        connect(recent, &QMenu::aboutToShow, this, [this, recent] {
            recent->clear();
            fillRecent(recent);
        });
    });
    m_actions.addEntries("edits", [this](QMenu *menu) { m_editing->fillMenu(menu); });
    m_actions.addEntries("colouring", [this](QMenu *menu) {
        menu = menu->addMenu(QStringLiteral("&Colour the graph"));
        for (QAction *action : m_colouring)
            menu->addAction(action);
    });
    m_actions.addEntries("graph_view", [this](QMenu *menu) { menu->addActions(m_graph->viewActions()); });
    m_actions.addEntries("timeline_view", [this](QMenu *menu) { menu->addActions(m_timeline->viewActions()); });
    m_actions.addEntries("panels", [this](QMenu *menu) { menu->addMenu(m_panelsMenu); });
    m_actions.addEntries("show", [this](QMenu *menu) {
        for (QAction *action : m_showKind)
            menu->addAction(action);
    });
    const auto submenu = [this](std::string_view name, const QString &title,
                                std::initializer_list<std::string_view> names) {
        m_actions.addEntries(name, [this, title, entries = std::vector(names)](QMenu *menu) {
            m_actions.fill(menu->addMenu(title), entries);
        });
    };
    submenu("graph_operators", QStringLiteral("&Operators in the graph"), {"graph_view"});
    submenu("timeline", QStringLiteral("&Timeline"), {"whole_timeline", "align", "-", "timeline_view"});
    submenu("appearance", QStringLiteral("&Appearance"), {"appearance_0", "appearance_1", "appearance_2"});

    const auto add = [this](const QString &title, std::initializer_list<std::string_view> names) {
        m_actions.fill(menuBar()->addMenu(title), names);
    };
    add(QStringLiteral("&File"),
        {"new_window", "open", "samples", "recent", "-", "save", "save_as", "find_model", "reading", "-",
         "open_schedule", "export_result", "export_as", "picture", "-", "device", "-", "quit"});
    add(QStringLiteral("&Edit"), {"undo", "redo", "copy_page", "copy_pruning", "copy_specialization", "-", "edits"});
    add(QStringLiteral("&View"), {"find", "-", "fit_graph", "fit_schedule", "fold_all", "unfold_all", "colouring",
                                  "graph_operators", "lengths", "timeline", "-", "panels", "enlarge", "comparison_only",
                                  "next_area", "previous_area", "reset_arrangement", "fold_shelf", "appearance"});
    add(QStringLiteral("&Schedule"), {"search", "stop", "single_source", "compare", "layouts", "pruning",
                                      "specialization", "-", "what_if", "-", "show"});
    add(QStringLiteral("&Results"),
        {"shelf", "-", "measure_stage", "published", "today", "-", "forget_device", "forget_model"});
    add(QStringLiteral("&Panes"), {"panes"});
    add(QStringLiteral("&Help"), {"help", "keys", "paper", "-", "about"});
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
    set(m_actions["open"], "open");
    set(m_actions["save"], "save");
    set(m_actions["picture"], "picture");
    set(m_actions["compare"], "compare");
    set(m_actions["search"], "search");
    set(m_actions["stop"], "stop");
    set(m_actions["find"], "find");
    set(m_actions["fit_graph"], "fit");
    set(m_actions["help"], "help");
    set(m_actions["link_panes"], "link");
    set(m_actions["about"], "info");
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

} // namespace stagecraft
