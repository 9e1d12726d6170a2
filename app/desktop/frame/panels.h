#pragma once

// The panels around the schedule: their docks, and their arrangement by window size and by the user. Each size class
// remembers its own arrangement; which panels are shown is the same in all. Lives on the UI thread.

#include <QMainWindow>
#include <QObject>

#include <array>
#include <map>
#include <vector>

class QAction;
class QDockWidget;
class QMenu;
class QSettings;

namespace stagecraft {

enum class WindowRoom {
    Wide,
    Narrow, // graph and inspector share a tab, and all panels are below the schedule
    Tight,  // all panels share one tab
};

[[nodiscard]] WindowRoom roomOf(QSize window);

class Panels : public QObject {
    Q_OBJECT

public:
    explicit Panels(QMainWindow *window);

    // Call in this order: the shelf, the graph, the inspector, then the panels below the schedule. `keys`: where the
    // row of digits has none left.
    void add(const QString &title, const char *name, QWidget *content, const QString &keys = {});
    [[nodiscard]] const std::vector<QDockWidget *> &docks() const { return m_docks; }
    [[nodiscard]] QDockWidget *dockOf(const QWidget *content) const;
    void show(const QWidget *content); // raises it in its tab
    void fillMenu(QMenu *menu) const;

    // One panel, or the centre of the window, with all the room. Everything comes back as it was with showAll(), and
    // when another panel is shown; what is saved is the arrangement of all.
    void showOnly(QWidget *area);
    void showAll();
    [[nodiscard]] QWidget *only() const { return m_only; } // null: everything is there

    void restore(const QSettings &settings);
    void save(QSettings &settings);
    void arrangeAtFirst(); // if nothing was restored
    void arrange();        // the default arrangement
    void fitRoom();        // the window has been resized

signals:
    void placed(); // the docks have been arranged for the window's size
    void onlyChanged();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void place();
    void share(); // sizes in proportion to the window
    void keepWidths(const QDockWidget *changed);
    void switchRoom();

    QMainWindow *m_window;
    std::vector<QDockWidget *> m_docks;
    std::array<QByteArray, 3> m_places; // the last arrangement of each size class
    WindowRoom m_room = WindowRoom::Wide;
    std::map<const QDockWidget *, int> m_widths;     // of closed docks
    std::map<const QDockWidget *, bool> m_isInFront; // shown, and not behind another tab
    QWidget *m_only = nullptr;
    QByteArray m_all; // the arrangement while one is shown alone
    bool m_isArranged = false;
    bool m_isPlacing = false;
};

} // namespace stagecraft
