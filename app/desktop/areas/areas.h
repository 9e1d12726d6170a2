#pragma once

// All areas of the window, what they share, and who tells whom. Lives on the UI thread.

#include <QObject>

#include <memory>
#include <vector>

class QMainWindow;
class QWidget;

namespace stagecraft {

class Actions;
class Area;
class DeviceArea;
class Document;
class HelpArea;
class MessageBar;
class OpenArea;
class Panels;
class PanesArea;
class ResultQueue;
class SearchArea;
class Selection;
class SessionArea;
class ShelfArea;
struct AreaContext;
struct Services;

class Areas : public QObject {
    Q_OBJECT

public:
    // The panes become the centre of the window, and the panels its docks.
    Areas(const Services &services, QMainWindow &window, Actions &actions, MessageBar &messages, Panels &panels);
    ~Areas() override;

    void changePalette();
    void cancel();                        // all work
    [[nodiscard]] bool isSettled() const; // no work is running and all views show the result

    [[nodiscard]] Document *document() const { return m_document; }
    [[nodiscard]] Selection *selection() const { return m_selection; }
    [[nodiscard]] DeviceArea *device() const { return m_device; }
    [[nodiscard]] HelpArea *help() const { return m_help; }
    [[nodiscard]] OpenArea *open() const { return m_open; }
    [[nodiscard]] SearchArea *search() const { return m_search; }
    [[nodiscard]] SessionArea *session() const { return m_session; }
    [[nodiscard]] PanesArea *panes() const { return m_panes; }
    [[nodiscard]] ShelfArea *shelf() const { return m_shelf; }
    [[nodiscard]] QWidget *searchPanel() const { return m_searchPanel; } // for the tool bar

signals:
    void settled();

private:
    void makeAreas(const AreaContext &context);
    void addDocks(QMainWindow &window, Panels &panels);
    void refresh();
    void refreshAndCheck();
    void checkSettled();

    std::unique_ptr<Services> m_services;
    Document *m_document;
    ResultQueue *m_queue;
    Selection *m_selection;
    std::vector<Area *> m_all;
    DeviceArea *m_device = nullptr;
    HelpArea *m_help = nullptr;
    OpenArea *m_open = nullptr;
    SearchArea *m_search = nullptr;
    SessionArea *m_session = nullptr;
    PanesArea *m_panes = nullptr;
    ShelfArea *m_shelf = nullptr;
    QWidget *m_searchPanel = nullptr;
};

} // namespace stagecraft
