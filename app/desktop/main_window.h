#pragma once

// The main window: a frame with menu bar, docks, tool bar and events around its areas (areas/areas.h), which show the
// open data, start work and do what menus say.

#include "desktop/frame/actions.h"

#include <QMainWindow>

#include <functional>
#include <vector>

class QToolBar;
class QToolButton;

namespace stagecraft {

class AreaCycle;
class Areas;
class Document;
class DropHint;
class MessageBar;
class Panels;
class Selection;
class SessionArea;
class ToolOverflow;
struct Services;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(const Services &services, QWidget *parent = nullptr);
    ~MainWindow() override;

    void openPaths(const QStringList &paths); // one after the other, schedules and profiles last
    void openPath(const QString &path); // a built-in name, a model, a session, a schedule for the open model, a device
    // Where there is none, a message says so.
    void chooseDevice(const QString &id, const std::function<void(bool isChosen)> &then = {});
    void startSearch();

    // True if no work is running and all views show the result.
    [[nodiscard]] bool isSettled() const;

    [[nodiscard]] SessionArea *session() const;
    [[nodiscard]] Document *document() const;
    [[nodiscard]] Selection *selection() const;
    [[nodiscard]] MessageBar *messages() const { return m_messages; }

signals:
    void opened(); // a model
    void settled();

protected:
    void closeEvent(QCloseEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragLeaveEvent(QDragLeaveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void createActions();
    void createAreaActions();
    void createMenus();
    void createToolBar();
    void applyIcons();
    void fitToolBar();
    void fitScreen();
    void fitShelf();
    void showOnly(QWidget *area); // or everything again, if it is shown alone
    [[nodiscard]] QWidget *areaWithKeys() const;
    void showWhetherAlone();
    void restoreArrangement();
    void saveArrangement();

    Actions m_actions{this};
    Panels *m_panels = nullptr;
    MessageBar *m_messages = nullptr;
    Areas *m_areas = nullptr;
    QToolBar *m_messageTools = nullptr;
    DropHint *m_dropHint = nullptr;
    std::vector<QToolButton *> m_toolButtons;
    ToolOverflow *m_overflow = nullptr;
    AreaCycle *m_cycle = nullptr; // panes and panels, by F6
};

} // namespace stagecraft
