#include "desktop/frame/panels.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QMenu>
#include <QSettings>

#include <algorithm>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kPlacesVersion = 11;
constexpr int kNarrow = 1200; // device-independent pixels; this or less is narrow
constexpr int kTight = 880;   // less than this in either direction is tight
constexpr int kTightHeight = 480;
constexpr std::size_t kBelow = 3;       // the first panel below the schedule
constexpr std::size_t kWithWidest = 12; // a panel that shares the place of the first, which has the most width

// Keys of a panel that states none: the row of digits, in order. Later panels have none.
QString keysAt(std::size_t place)
{
    constexpr std::string_view kRow("1234567890-=");
    return place < kRow.size() ? QStringLiteral("Alt+%1").arg(QLatin1Char(kRow[place])) : QString();
}

QString keyOf(WindowRoom room)
{
    switch (room) {
    case WindowRoom::Wide: return QStringLiteral("window/layout");
    case WindowRoom::Narrow: return QStringLiteral("window/layout_narrow");
    case WindowRoom::Tight: return QStringLiteral("window/layout_tight");
    }
    return {};
}

} // namespace

WindowRoom roomOf(QSize window)
{
    if (window.width() < kTight || window.height() < kTightHeight)
        return WindowRoom::Tight;
    return window.width() <= kNarrow ? WindowRoom::Narrow : WindowRoom::Wide;
}

Panels::Panels(QMainWindow *window) : QObject(window), m_window(window)
{
    window->setDockNestingEnabled(true);
    for (const Qt::Corner corner : {Qt::BottomLeftCorner, Qt::BottomRightCorner})
        window->setCorner(corner, Qt::BottomDockWidgetArea);
}

void Panels::add(const QString &title, const char *name, QWidget *content, const QString &keys)
{
    auto *dock = new QDockWidget(title, m_window);
    dock->setObjectName(QLatin1String(name));
    dock->setWidget(content);
    dock->installEventFilter(this);
    QAction *toggle = dock->toggleViewAction();
    toggle->setShortcut(keys.isEmpty() ? keysAt(m_docks.size()) : keys);
    m_docks.push_back(dock);
    // A panel behind another tab comes to the front first. Queued: closing a panel is told before its action is.
    connect(
        dock, &QDockWidget::visibilityChanged, this, [this, dock](bool isInFront) { m_isInFront[dock] = isInFront; },
        Qt::QueuedConnection);
    connect(toggle, &QAction::triggered, this, [this, dock](bool isShown) {
        if (isShown || !m_isInFront[dock])
            show(dock->widget());
    });
    m_window->addDockWidget(Qt::BottomDockWidgetArea, dock);
}

QDockWidget *Panels::dockOf(const QWidget *content) const
{
    const auto found =
        std::ranges::find_if(m_docks, [&](const QDockWidget *dock) { return dock->widget() == content; });
    return found != m_docks.end() ? *found : nullptr;
}

void Panels::show(const QWidget *content)
{
    if (QDockWidget *dock = dockOf(content)) {
        if (dock != m_only)
            showAll();
        dock->show();
        dock->raise();
    }
}

void Panels::fillMenu(QMenu *menu) const
{
    for (const QDockWidget *dock : m_docks)
        menu->addAction(dock->toggleViewAction());
}

void Panels::showOnly(QWidget *area)
{
    const auto *alone = qobject_cast<QDockWidget *>(area);
    if (alone && alone->isFloating()) // it has a window of its own
        return;
    showAll();
    m_all = m_window->saveState(kPlacesVersion);
    m_only = area;
    m_isPlacing = true;
    for (QDockWidget *dock : m_docks) {
        if (!dock->isFloating())
            dock->setVisible(dock == area);
    }
    m_window->centralWidget()->setVisible(area == m_window->centralWidget());
    m_isPlacing = false;
    emit placed();
    emit onlyChanged();
}

void Panels::showAll()
{
    if (!std::exchange(m_only, nullptr))
        return;
    m_isPlacing = true;
    m_window->centralWidget()->show();
    m_window->restoreState(m_all, kPlacesVersion);
    m_isPlacing = false;
    emit placed();
    emit onlyChanged();
}

void Panels::restore(const QSettings &settings)
{
    m_room = roomOf(m_window->size());
    for (const WindowRoom room : {WindowRoom::Wide, WindowRoom::Narrow, WindowRoom::Tight})
        m_places[static_cast<std::size_t>(room)] = settings.value(keyOf(room)).toByteArray();
    m_isPlacing = true;
    m_isArranged = m_window->restoreState(m_places[static_cast<std::size_t>(m_room)], kPlacesVersion);
    m_isPlacing = false;
}

void Panels::save(QSettings &settings)
{
    m_places[static_cast<std::size_t>(m_room)] = m_only ? m_all : m_window->saveState(kPlacesVersion);
    for (const WindowRoom room : {WindowRoom::Wide, WindowRoom::Narrow, WindowRoom::Tight})
        settings.setValue(keyOf(room), m_places[static_cast<std::size_t>(room)]);
}

void Panels::arrangeAtFirst()
{
    if (!m_isArranged)
        arrange();
}

void Panels::arrange()
{
    showAll();
    m_isArranged = true;
    m_room = roomOf(m_window->size());
    m_isPlacing = true;
    for (QDockWidget *dock : m_docks) {
        dock->setFloating(false);
        dock->show();
    }
    place();
    share();
    m_isPlacing = false;
    emit placed();
}

void Panels::place()
{
    for (QDockWidget *dock : m_docks)
        m_window->removeDockWidget(dock);
    QDockWidget *shelf = m_docks[0];
    QDockWidget *graph = m_docks[1];
    QDockWidget *inspector = m_docks[2];
    const bool isTight = m_room == WindowRoom::Tight;
    if (isTight) {
        m_window->addDockWidget(Qt::RightDockWidgetArea, shelf);
        m_window->tabifyDockWidget(shelf, inspector);
        m_window->tabifyDockWidget(inspector, graph);
    } else {
        m_window->addDockWidget(Qt::LeftDockWidgetArea, shelf);
        m_window->addDockWidget(Qt::RightDockWidgetArea, inspector);
        if (m_room == WindowRoom::Narrow)
            m_window->tabifyDockWidget(inspector, graph);
        else
            m_window->splitDockWidget(shelf, graph, Qt::Horizontal);
        m_window->addDockWidget(Qt::BottomDockWidgetArea, m_docks[kBelow]);
    }
    for (std::size_t i = isTight ? kBelow : kBelow + 1; i < m_docks.size(); ++i) {
        if (m_room == WindowRoom::Wide && i < kBelow + 3)
            m_window->splitDockWidget(m_docks[i - 1], m_docks[i], Qt::Horizontal);
        else if (m_room == WindowRoom::Wide && i == kWithWidest)
            m_window->tabifyDockWidget(m_docks[kBelow], m_docks[i]);
        else
            m_window->tabifyDockWidget(isTight && i == kBelow ? graph : m_docks[i - 1], m_docks[i]);
    }
    for (QDockWidget *dock : m_docks)
        dock->show();
    if (isTight) {
        shelf->raise();
        return;
    }
    inspector->raise();
    m_docks[kBelow]->raise();
    if (m_room == WindowRoom::Wide)
        m_docks[kBelow + 2]->raise();
}

void Panels::share()
{
    const int width = m_window->width();
    const int height = m_window->height();
    switch (m_room) {
    case WindowRoom::Wide:
        m_window->resizeDocks({m_docks[0], m_docks[1], m_docks[2]},
                              {width * 17 / 100, width * 24 / 100, width * 21 / 100}, Qt::Horizontal);
        m_window->resizeDocks({m_docks[kBelow], m_docks[kBelow + 1], m_docks[kBelow + 2]},
                              {width * 42 / 100, width * 23 / 100, width * 35 / 100}, Qt::Horizontal);
        break;
    case WindowRoom::Narrow:
        m_window->resizeDocks({m_docks[0], m_docks[2]}, {width * 20 / 100, width * 26 / 100}, Qt::Horizontal);
        break;
    case WindowRoom::Tight: m_window->resizeDocks({m_docks[0]}, {width * 40 / 100}, Qt::Horizontal); break;
    }
    if (m_room != WindowRoom::Tight)
        m_window->resizeDocks({m_docks[kBelow]}, {height * 32 / 100}, Qt::Vertical);
}

void Panels::fitRoom()
{
    if (m_isArranged && m_window->isVisible() && roomOf(m_window->size()) != m_room)
        QMetaObject::invokeMethod(this, &Panels::switchRoom, Qt::QueuedConnection);
}

void Panels::switchRoom()
{
    const WindowRoom room = roomOf(m_window->size());
    if (room == m_room)
        return;
    QWidget *only = m_only;
    showAll();
    m_places[static_cast<std::size_t>(m_room)] = m_window->saveState(kPlacesVersion);
    m_room = room;
    std::vector<QDockWidget *> hidden;
    std::ranges::copy_if(m_docks, std::back_inserter(hidden), [](const QDockWidget *dock) { return dock->isHidden(); });
    m_isPlacing = true;
    if (!m_window->restoreState(m_places[static_cast<std::size_t>(room)], kPlacesVersion))
        place();
    for (QDockWidget *dock : m_docks)
        dock->setVisible(std::ranges::find(hidden, dock) == hidden.end());
    share();
    m_isPlacing = false;
    emit placed();
    if (only)
        showOnly(only);
}

// When a panel next to the shelf opens or closes, the schedule's width changes; the other docks keep theirs.
void Panels::keepWidths(const QDockWidget *changed)
{
    QList<QDockWidget *> docks;
    QList<int> widths;
    if (changed->isHidden()) {
        for (const QDockWidget *dock : m_docks)
            m_widths[dock] = dock->width();
    }
    for (QDockWidget *dock : m_docks) {
        const bool isShown = dock == changed ? !dock->isHidden() : dock->isVisible();
        if (isShown && !dock->isFloating() && m_window->dockWidgetArea(dock) == Qt::LeftDockWidgetArea) {
            docks << dock;
            // A dock that reappears may already have taken width from its neighbours.
            widths << (changed->isHidden() ? dock->width()
                                           : std::max(m_widths[dock], dock == changed ? 0 : dock->width()));
        }
    }
    if (!docks.isEmpty())
        QMetaObject::invokeMethod(
            this, [this, docks, widths] { m_window->resizeDocks(docks, widths, Qt::Horizontal); },
            Qt::QueuedConnection);
}

bool Panels::eventFilter(QObject *watched, QEvent *event)
{
    auto *dock = static_cast<QDockWidget *>(watched);
    if (!m_isPlacing && dock == m_only && event->type() == QEvent::HideToParent) // closed
        QMetaObject::invokeMethod(this, &Panels::showAll, Qt::QueuedConnection);
    if (!m_isPlacing && m_isArranged && m_window->isVisible() && !dock->isFloating() &&
        (event->type() == QEvent::HideToParent || event->type() == QEvent::ShowToParent) &&
        m_window->dockWidgetArea(dock) == Qt::LeftDockWidgetArea)
        keepWidths(dock);
    return QObject::eventFilter(watched, event);
}

} // namespace stagecraft
