// The frame of the window: panels, tool bar, and the keys that go from area to area.

#include "desktop/main_window.h"

#include "desktop/areas/area.h"
#include "desktop/frame/area_cycle.h"
#include "desktop/frame/panels.h"
#include "desktop/frame/tool_overflow.h"
#include "desktop/pane_row.h"
#include "desktop/schedule_pane.h"
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
#include <QApplication>
#include <QDockWidget>
#include <QMenu>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <iterator>

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

} // namespace

void MainWindow::createDocks()
{
    setCentralWidget(m_panes);
    std::vector<Dock> docks{
        {1, QStringLiteral("Shelf"), "shelf", m_shelf},
        {2, QStringLiteral("Graph"), "graph", m_graph},
        {3, QStringLiteral("Inspector"), "inspector", m_inspector},
        {4, QStringLiteral("Timeline"), "timeline", m_timeline},
        {5, QStringLiteral("Stage latency"), "stage_latency", m_chart},
        {6, QStringLiteral("Comparison"), "comparison", m_comparison},
        {7, QStringLiteral("Difference"), "difference", m_difference},
        {8, QStringLiteral("Blocks"), "blocks", m_blocks},
        {11, QStringLiteral("Roofline"), "roofline", m_roofline},
        {12, QStringLiteral("Memory"), "memory", m_memory},
        {13, QStringLiteral("Passes"), "passes", m_passes, QStringLiteral("Alt+Shift+P")},
    };
    for (const Area *area : m_areaList)
        std::ranges::copy(area->docks(), std::back_inserter(docks));
    std::ranges::sort(docks, {}, &Dock::place);
    for (const Dock &dock : docks)
        m_panels->add(dock.title, dock.name, dock.view, dock.keys);
    connect(m_panels, &Panels::placed, this, [this] {
        fitShelf();
        m_messageTools->setVisible(!m_messages->text().isEmpty()); // an arrangement has the tool bars of its time
    });
    connect(m_panels, &Panels::onlyChanged, this, &MainWindow::showWhetherAlone);
    m_panelsMenu = new QMenu(QStringLiteral("&Panels"), this);
    m_panels->fillMenu(m_panelsMenu);
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
        fillSamples(menu);
        menu->addSeparator();
        fillRecent(menu);
    });
    open->setMenu(menu);
    tools->addWidget(open);
    tools->addSeparator();
    m_searchPanel->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    tools->addWidget(m_searchPanel);
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
        m_searchPanel->setTightness(tightness);
        left =
            width() - kMargins - m_toolButtons.front()->sizeHint().width() - m_searchPanel->minimumSizeHint().width();
        if (left >= m_overflow->button()->sizeHint().width())
            break;
    }
    m_overflow->fit(left);
}

void MainWindow::fitScreen()
{
    const QSize least = kLeastWindow.boundedTo(screen()->availableSize() - kWindowFrame);
    setMinimumSize(least);
    m_panes->setLeastWidth(roomOf(size()) == WindowRoom::Tight ? PaneRow::kNarrowestPane : PaneRow::kLeastTogether);
}

// In a narrow window the shelf is folded to badges unless the user unfolds it.
void MainWindow::fitShelf()
{
    QDockWidget *dock = m_panels->dockOf(m_shelf);
    const Qt::DockWidgetArea area = dockWidgetArea(dock);
    const bool isAtSide = !dock->isFloating() && (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea) &&
                          tabifiedDockWidgets(dock).isEmpty() && !m_panels->only();
    const bool canFold = roomOf(size()) == WindowRoom::Narrow && isAtSide;
    const bool folded = canFold && !QSettings().value(unfoldedKey()).toBool();
    m_actions["fold_shelf"]->setEnabled(canFold);
    m_actions["fold_shelf"]->setChecked(folded);
    m_actions["fold_shelf"]->setText(canFold ? QStringLiteral("Fold the s&helf to badges")
                                             : QStringLiteral("Fold the s&helf to badges (in narrow windows)"));
    const bool isChanged = folded != m_shelf->isFolded();
    m_shelf->setFolded(folded);
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
        for (std::size_t i = 0; i < m_panes->count() && !m_panes->isHidden(); ++i)
            all.push_back(m_panes->pane(i));
        for (std::size_t i = 1; i < m_panels->docks().size(); ++i)
            addDock(m_panels->docks()[i]);
        return all;
    };
    m_areas = new AreaCycle(this, areas);
    m_actions.add("next_area", QStringLiteral("&Next area"), QStringLiteral("F6"), [this] { m_areas->step(1); });
    m_actions["next_area"]->setToolTip(QStringLiteral("The keys go to the next pane or panel (F6)"));
    m_actions.add("previous_area", QStringLiteral("Pre&vious area"), QStringLiteral("Shift+F6"),
                  [this] { m_areas->step(-1); });
    m_actions.add("reset_arrangement", QStringLiteral("&Reset layout"), QStringLiteral("Ctrl+Alt+R"),
                  [this] { m_panels->arrange(); });
    m_actions.add("fold_shelf", QStringLiteral("Fold the s&helf to badges"), QStringLiteral("Ctrl+Alt+B"), [this] {
        QSettings().setValue(unfoldedKey(), m_shelf->isFolded());
        fitShelf();
    });
    m_actions["fold_shelf"]->setCheckable(true);
    connect(m_shelf, &ShelfView::unfoldRequested, m_actions["fold_shelf"], &QAction::trigger);
    m_actions.add("enlarge", QStringLiteral("&Enlarge the panel in use"), QStringLiteral("F11"),
                  [this] { showOnly(m_panels->only() ? m_panels->only() : areaWithKeys()); });
    m_actions["enlarge"]->setCheckable(true);
    m_actions.add("comparison_only", QStringLiteral("Co&mparison only: the panes"), QStringLiteral("Shift+F11"),
                  [this] { showOnly(m_panes); });
    m_actions["comparison_only"]->setCheckable(true);
}

QWidget *MainWindow::areaWithKeys() const
{
    const QWidget *focus = QApplication::focusWidget();
    for (QDockWidget *dock : m_panels->docks()) {
        if (dock == m_areas->framed() || (focus && dock->isAncestorOf(focus)))
            return dock;
    }
    return m_panes;
}

void MainWindow::showOnly(QWidget *area)
{
    if (m_panels->only() == area)
        m_panels->showAll();
    else
        m_panels->showOnly(area);
    const QWidget *focus = QApplication::focusWidget();
    if (area == m_panes && (!focus || !focus->isVisible()))
        schedulePane()->view()->setFocus(Qt::ShortcutFocusReason);
    showWhetherAlone(); // pressing an entry has checked it
}

void MainWindow::showWhetherAlone()
{
    const QWidget *only = m_panels->only();
    m_actions["enlarge"]->setChecked(only && only != m_panes);
    m_actions["comparison_only"]->setChecked(only == m_panes);
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

} // namespace stagecraft
