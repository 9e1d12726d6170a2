#include "desktop/main_window.h"

#include "desktop/areas/areas.h"
#include "desktop/areas/device_area.h"
#include "desktop/areas/help_area.h"
#include "desktop/areas/open_area.h"
#include "desktop/areas/panes_area.h"
#include "desktop/areas/search_area.h"
#include "desktop/areas/session_area.h"
#include "desktop/areas/shelf_area.h"
#include "desktop/frame/appearance.h"
#include "desktop/frame/area_cycle.h"
#include "desktop/frame/drop_hint.h"
#include "desktop/frame/icons.h"
#include "desktop/frame/message_bar.h"
#include "desktop/frame/own_keys.h"
#include "desktop/frame/panels.h"
#include "desktop/frame/tip_keys.h"
#include "desktop/frame/tool_overflow.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDragLeaveEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QUrl>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

constexpr QSize kLeastWindow{880, 480};
constexpr QSize kWindowFrame{16, 40}; // space that a window manager may use around a window

constexpr int kShelfLeast = 200; // of the shelf when it is unfolded
constexpr int kShelfMost = 300;

QString unfoldedKey()
{
    return QStringLiteral("shelf/unfolded_when_narrow");
}

QStringList localFiles(const QMimeData &dragged)
{
    QStringList paths;
    for (const QUrl &url : dragged.urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    return paths;
}

} // namespace

MainWindow::MainWindow(const Services &services, QWidget *parent) : QMainWindow(parent)
{
    setObjectName(QStringLiteral("MainWindow"));
    setAcceptDrops(true);
    m_messages = new MessageBar(this);
    m_panels = new Panels(this);
    m_areas = new Areas(services, *this, m_actions, *m_messages, *m_panels);
    m_dropHint = new DropHint(this);
    createActions();
    createToolBar();
    createMenus();
    applyIcons();
    m_actions.setKeys(OwnKeys::ofProgram().all());
    connect(&OwnKeys::ofProgram(), &OwnKeys::changed, this, [this] { m_actions.setKeys(OwnKeys::ofProgram().all()); });
    new TipKeys(m_actions, this);
    connect(m_messages, &MessageBar::shown, m_messageTools, &QWidget::show);
    connect(m_messages, &MessageBar::dismissed, m_messageTools, &QWidget::hide);
    connect(m_panels, &Panels::placed, this, [this] {
        fitShelf();
        m_messageTools->setVisible(!m_messages->text().isEmpty()); // an arrangement has the tool bars of its time
    });
    connect(m_panels, &Panels::onlyChanged, this, &MainWindow::showWhetherAlone);
    connect(m_areas, &Areas::settled, this, &MainWindow::settled);
    connect(m_areas->open(), &OpenArea::opened, this, &MainWindow::opened);
    restoreArrangement();
}

MainWindow::~MainWindow()
{
    delete std::exchange(m_areas, nullptr);
}

SessionArea *MainWindow::session() const
{
    return m_areas->session();
}

Document *MainWindow::document() const
{
    return m_areas->document();
}

Selection *MainWindow::selection() const
{
    return m_areas->selection();
}

bool MainWindow::isSettled() const
{
    return m_areas->isSettled();
}

void MainWindow::openPaths(const QStringList &paths)
{
    m_areas->open()->openPaths(paths);
}

void MainWindow::openPath(const QString &path)
{
    m_areas->open()->openPath(path);
}

void MainWindow::chooseDevice(const QString &id, const std::function<void(bool isChosen)> &then)
{
    m_areas->device()->choose(id, then);
}

void MainWindow::startSearch()
{
    m_areas->search()->start();
}

void MainWindow::createActions()
{
    m_actions.add("quit", QStringLiteral("&Quit"), QStringLiteral("Ctrl+Q"), [] { QApplication::closeAllWindows(); });
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
    createAreaActions();
}

void MainWindow::createMenus()
{
    m_actions.addEntries("panels",
                         [this](QMenu *menu) { m_panels->fillMenu(menu->addMenu(QStringLiteral("&Panels"))); });
    m_actions.addEntries("appearance", [this](QMenu *menu) {
        m_actions.fill(menu->addMenu(QStringLiteral("&Appearance")), {"appearance_0", "appearance_1", "appearance_2"});
    });
    const auto add = [this](const QString &title, std::initializer_list<std::string_view> names) {
        m_actions.fill(menuBar()->addMenu(title), names);
    };
    add(QStringLiteral("&File"), {"new_window", "open",         "samples", "generator",     "recent",
                                  "add_model",  "remove_model", "-",       "save",          "save_as",
                                  "find_model", "reading",      "-",       "open_schedule", "export_result",
                                  "export_as",  "picture",      "-",       "device",        "devices_elsewhere",
                                  "-",          "quit"});
    add(QStringLiteral("&Edit"), {"undo", "redo", "copy_page", "copy_pruning", "copy_specialization", "copy_sizes", "-",
                                  "edits", "-", "split_operator", "cut_block", "join_blocks", "keep_apart"});
    add(QStringLiteral("&View"), {"find",       "palette",       "-",
                                  "fit_graph",  "fit_schedule",  "fold_all",
                                  "unfold_all", "colouring",     "graph_operators",
                                  "lengths",    "timeline",      "-",
                                  "panels",     "enlarge",       "comparison_only",
                                  "next_area",  "previous_area", "reset_arrangement",
                                  "fold_shelf", "appearance"});
    add(QStringLiteral("&Schedule"),
        {"search", "stop", "single_source", "launch_order", "compare", "plan_together", "layouts", "pruning",
         "specialization", "sizes", "-", "device_options", "what_if", "-", "show"});
    add(QStringLiteral("&Results"),
        {"shelf", "-", "measure_stage", "published", "today", "-", "forget_device", "forget_model"});
    add(QStringLiteral("&Panes"), {"panes"});
    add(QStringLiteral("&Help"), {"help", "tour", "pane_keys", "keys", "change_keys", "paper", "-", "about"});
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
}

void MainWindow::createToolBar()
{
    auto *tools = addToolBar(QStringLiteral("Search"));
    tools->setObjectName(QStringLiteral("tools"));
    tools->setMovable(false);
    tools->setIconSize({20, 20});
    const auto button = [this, tools](QAction *action) {
        auto *made = new QToolButton(tools);
        made->setDefaultAction(action);
        made->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        m_toolButtons.push_back(made);
        return made;
    };
    QToolButton *open = button(m_actions["open"]);
    open->setPopupMode(QToolButton::MenuButtonPopup);
    auto *menu = new QMenu(open);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        m_actions.fill(menu, {"sample_list", "-", "recent_list"});
    });
    open->setMenu(menu);
    tools->addWidget(open);
    tools->addSeparator();
    m_areas->searchPanel()->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    tools->addWidget(m_areas->searchPanel());
    m_overflow = new ToolOverflow(tools);
    for (QAction *action : {m_actions["compare"], m_actions["save"], m_actions["find"], m_actions["help"]})
        m_overflow->add(button(action));
    m_overflow->finish();
    tools->toggleViewAction()->setEnabled(false);

    addToolBarBreak();
    m_messageTools = addToolBar(QStringLiteral("Message"));
    m_messageTools->setObjectName(QStringLiteral("messages"));
    m_messageTools->setMovable(false);
    m_messages->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_messageTools->addWidget(m_messages);
    m_messageTools->setStyleSheet(QStringLiteral("QToolBar { padding: 0; spacing: 0; }"));
    m_messageTools->hide();
    m_messageTools->toggleViewAction()->setEnabled(false);
    setContextMenuPolicy(Qt::NoContextMenu);
}

// The search has priority: tools that do not fit next to it go into a menu.
void MainWindow::fitToolBar()
{
    const auto style = roomOf(size()) == WindowRoom::Wide ? Qt::ToolButtonTextUnderIcon : Qt::ToolButtonIconOnly;
    for (QToolButton *button : m_toolButtons)
        button->setToolButtonStyle(style);
    constexpr int kMargins = 80; // separator, spacing, margins of the bar
    int left = 0;
    for (int tightness = 0; tightness <= 2; ++tightness) {
        m_areas->search()->setTightness(tightness);
        left = width() - kMargins - m_toolButtons.front()->sizeHint().width() -
               m_areas->searchPanel()->minimumSizeHint().width();
        if (left >= m_overflow->button()->sizeHint().width())
            break;
    }
    m_overflow->fit(left);
}

void MainWindow::fitScreen()
{
    const QSize least = kLeastWindow.boundedTo(screen()->availableSize() - kWindowFrame);
    setMinimumSize(least);
    m_areas->panes()->setTight(roomOf(size()) == WindowRoom::Tight);
}

// In a narrow window the shelf is folded to badges unless the user unfolds it.
void MainWindow::fitShelf()
{
    QDockWidget *dock = m_panels->docks().front();
    const Qt::DockWidgetArea area = dockWidgetArea(dock);
    const bool isAtSide = !dock->isFloating() && (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea) &&
                          tabifiedDockWidgets(dock).isEmpty() && !m_panels->only();
    const bool canFold = roomOf(size()) == WindowRoom::Narrow && isAtSide;
    const bool folded = canFold && !QSettings().value(unfoldedKey()).toBool();
    m_actions["fold_shelf"]->setEnabled(canFold);
    m_actions["fold_shelf"]->setChecked(folded);
    m_actions["fold_shelf"]->setText(canFold ? QStringLiteral("Fold the s&helf to badges")
                                             : QStringLiteral("Fold the s&helf to badges (in narrow windows)"));
    const bool isChanged = folded != m_areas->shelf()->isFolded();
    m_areas->shelf()->setFolded(folded);
    // Without the button that floats it, its title fits.
    dock->setFeatures(folded ? QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable
                             : QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                                   QDockWidget::DockWidgetFloatable);
    if (isChanged && isAtSide && !folded)
        resizeDocks({dock}, {std::clamp(width() / 5, kShelfLeast, kShelfMost)}, Qt::Horizontal);
}

void MainWindow::createAreaActions()
{
    const auto areas = [this] {
        std::vector<QWidget *> all;
        const auto addDock = [&](const QDockWidget *dock) {
            if (!dock->isHidden())
                all.push_back(const_cast<QDockWidget *>(dock));
        };
        addDock(m_panels->docks().front());
        if (!centralWidget()->isHidden())
            std::ranges::copy(m_areas->panes()->inOrder(), std::back_inserter(all));
        for (std::size_t i = 1; i < m_panels->docks().size(); ++i)
            addDock(m_panels->docks()[i]);
        return all;
    };
    m_cycle = new AreaCycle(this, areas);
    m_actions.add("next_area", QStringLiteral("&Next area"), QStringLiteral("F6"), [this] { m_cycle->step(1); });
    m_actions["next_area"]->setToolTip(QStringLiteral("The keys go to the next pane or panel (F6)"));
    m_actions.add("previous_area", QStringLiteral("Pre&vious area"), QStringLiteral("Shift+F6"),
                  [this] { m_cycle->step(-1); });
    m_actions.add("reset_arrangement", QStringLiteral("&Reset layout"), QStringLiteral("Ctrl+Alt+R"),
                  [this] { m_panels->arrange(); });
    m_actions.add("fold_shelf", QStringLiteral("Fold the s&helf to badges"), QStringLiteral("Ctrl+Alt+B"), [this] {
        QSettings().setValue(unfoldedKey(), m_areas->shelf()->isFolded());
        fitShelf();
    });
    m_actions["fold_shelf"]->setCheckable(true);
    m_actions.add("enlarge", QStringLiteral("&Enlarge the panel in use"), QStringLiteral("F11"),
                  [this] { showOnly(m_panels->only() ? m_panels->only() : areaWithKeys()); });
    m_actions["enlarge"]->setCheckable(true);
    m_actions.add("comparison_only", QStringLiteral("Co&mparison only: the panes"), QStringLiteral("Shift+F11"),
                  [this] { showOnly(centralWidget()); });
    m_actions["comparison_only"]->setCheckable(true);
    m_actions.add("pane_keys", QStringLiteral("Keys of this &pane"), QStringLiteral("?"),
                  [this] { m_areas->help()->showKeys(*areaWithKeys()); });
}

QWidget *MainWindow::areaWithKeys() const
{
    const QWidget *focus = QApplication::focusWidget();
    for (QDockWidget *dock : m_panels->docks()) {
        if (dock == m_cycle->framed() || (focus && dock->isAncestorOf(focus)))
            return dock;
    }
    return centralWidget();
}

void MainWindow::showOnly(QWidget *area)
{
    if (m_panels->only() == area)
        m_panels->showAll();
    else
        m_panels->showOnly(area);
    const QWidget *focus = QApplication::focusWidget();
    if (area == centralWidget() && (!focus || !focus->isVisible()))
        m_areas->panes()->takeKeys();
    showWhetherAlone(); // pressing an entry has checked it
}

void MainWindow::showWhetherAlone()
{
    const QWidget *only = m_panels->only();
    m_actions["enlarge"]->setChecked(only && only != centralWidget());
    m_actions["comparison_only"]->setChecked(only == centralWidget());
    if (const auto *dock = qobject_cast<const QDockWidget *>(only))
        statusBar()->showMessage(QStringLiteral("Only %1 is shown: F11 brings the rest back").arg(dock->windowTitle()),
                                 8000);
    else if (only)
        statusBar()->showMessage(QStringLiteral("Only the panes are shown: Shift+F11 brings the rest back"), 8000);
    else
        statusBar()->clearMessage();
}

void MainWindow::restoreArrangement()
{
    resize(QSize(1440, 900).boundedTo(screen()->availableSize() - kWindowFrame));
    const QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    fitScreen();
    m_panels->restore(settings);
    fitShelf();
    m_messageTools->setVisible(!m_messages->text().isEmpty());
}

void MainWindow::saveArrangement()
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_panels->save(settings);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!m_areas->session()->mayClose()) {
        event->ignore();
        return;
    }
    saveArrangement();
    m_areas->session()->end();
    m_areas->cancel();
    event->accept();
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    fitScreen();
    fitToolBar();
    m_panels->arrangeAtFirst();
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    fitScreen();
    fitToolBar();
    m_panels->fitRoom();
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const QStringList paths = localFiles(*event->mimeData());
    if (paths.isEmpty())
        return;
    m_dropHint->showFor(paths);
    event->acceptProposedAction();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent *event)
{
    m_dropHint->hide();
    QMainWindow::dragLeaveEvent(event);
}

void MainWindow::dropEvent(QDropEvent *event)
{
    m_dropHint->hide();
    openPaths(localFiles(*event->mimeData()));
    event->acceptProposedAction();
}

void MainWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_areas) {
        applyIcons();
        m_areas->changePalette();
    }
    QMainWindow::changeEvent(event);
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape) {
        QMainWindow::keyPressEvent(event);
    } else if (m_messages->isVisible()) {
        m_messages->dismiss();
    } else {
        m_areas->selection()->clear();
    }
}

} // namespace stagecraft
