#pragma once

// The main window: holds the document, starts jobs and connects the views. Display is in widgets, open data in
// Document, long-running work in Jobs.

#include "desktop/document/document.h"
#include "desktop/frame/actions.h"
#include "desktop/frame/message_bar.h"
#include "desktop/kept/autosave_file.h"
#include "desktop/work/jobs.h"
#include "widgets/graph/paint/colouring.h"
#include "widgets/search/search_panel.h"
#include "widgets/search/time_left.h"

#include <QMainWindow>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QAction;
class QLabel;
class QMenu;
class QToolBar;
class QToolButton;

namespace stagecraft {

class Area;
class AreaCycle;
class Autosave;
class BlocksTable;
class ComparisonTable;
class DeviceArea;
class DifferenceTable;
class DropHint;
class ElidedLabel;
class ExportDialog;
class GraphView;
class Inspector;
class LatencyChart;
class RooflineChart;
class LayoutsArea;
class MemoryChart;
class PaneRow;
class PassesPanel;
class Panels;
class ScheduleEditing;
class SchedulePane;
class Selection;
class ShelfView;
class RunnerUpTimes;
class StudiesArea;
class TimelineView;
class ToolOverflow;
class WaitingLine;
struct AreaContext;
struct ReadingProposal;
struct StoredSelection;

[[nodiscard]] bool isSessionFile(const QString &path);

inline constexpr QLatin1String kScheduleEnding(".schedule.json");

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Services services, QWidget *parent = nullptr);
    ~MainWindow() override;

    // Takes a built-in name or a path, like the command line. The open model stays until the new one is read.
    void openModel(const QString &spec);
    void openPath(const QString &path);   // a model, a schedule for the open model, or a device
    void openPaths(QStringList paths);    // one after the other, schedules last
    bool chooseDevice(const QString &id); // false, with a message, if there is no such device
    void startSearch();
    void compareAll();
    void showWhatIf();
    void chooseLayouts(); // for the current result
    void measureAgain(ResultId id);
    ExportDialog *exportAs(); // of the chosen results; null, with a message: there are none

    // Opens a session in this window if it is empty, else emits windowWanted().
    void openSession(const QString &path);
    bool saveSession(); // false: not saved
    bool saveSessionAs();
    void findMissingModelsIn(const QString &path); // the first one in this file, the others next to it
    // Saves the window's session to this file on each change.
    void keepIn(std::unique_ptr<AutosaveFile> file);
    // Also restores the session in the file. Only for empty windows.
    void continueFrom(std::unique_ptr<AutosaveFile> file);
    void showRecent(const std::vector<KeptSession> &left); // on the empty page, with recently opened files
    [[nodiscard]] bool isEmpty() const;
    [[nodiscard]] bool isKept() const; // the current state is saved

    // True if no work is running and all views show the result.
    [[nodiscard]] bool isSettled() const;

    [[nodiscard]] Document *document() const { return m_document; }
    [[nodiscard]] Jobs *jobs() const { return m_jobs; }
    [[nodiscard]] Selection *selection() const { return m_selection; }
    [[nodiscard]] MessageBar *messages() const { return m_messages; }
    [[nodiscard]] SearchPanel *searchPanel() const { return m_searchPanel; }
    [[nodiscard]] ShelfView *shelf() const { return m_shelf; }
    [[nodiscard]] PaneRow *panes() const { return m_panes; }
    [[nodiscard]] SchedulePane *schedulePane() const; // the focused one
    [[nodiscard]] DifferenceTable *difference() const { return m_difference; }
    [[nodiscard]] ComparisonTable *comparison() const { return m_comparison; }
    [[nodiscard]] BlocksTable *blocks() const { return m_blocks; }
    [[nodiscard]] Inspector *inspector() const { return m_inspector; }
    [[nodiscard]] TimelineView *timeline() const { return m_timeline; }
    [[nodiscard]] PassesPanel *passes() const { return m_passes; }
    [[nodiscard]] Panels *panels() const { return m_panels; }
    [[nodiscard]] AreaCycle *areas() const { return m_areas; }
    [[nodiscard]] ToolOverflow *overflow() const { return m_overflow; }

signals:
    void settled();
    void windowWanted(const QString &path);   // another window for this path; empty: an empty window
    void continueWanted(const QString &path); // restores this autosave file

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
    [[nodiscard]] AreaContext context();
    void createAreas();

    // main_window_connections.cpp
    void connectDocument();
    void connectJobs();
    void connectControls();

    // main_window.cpp
    void showModel();
    void showFront();
    void tellModel(); // what its import and costs leave open
    void showStatus();
    void refreshActions();
    void countSpaces();
    void keepSelectionInStep();
    void showModelInViews();
    void showChosenRow();
    void openNextPath();
    void startKinds(const std::vector<ScheduleKind> &kinds, bool comparing);
    void startNextSearch();
    void endSearch();
    void stopWork(); // the search that runs, or else all measuring
    void checkSettled();
    void refuse(const Error &error);

    // main_window_line.cpp: the tool bar's second row
    void showJobLine(std::function<void()> show); // of the search under way, until it ends
    void showSearchLine();                        // of the result shown, while no search runs
    void tellEnded(ResultId id);                  // in the status bar, if it is not shown
    [[nodiscard]] RunningSearch runningSearch(ResultId id) const;

    // main_window_shelf.cpp
    void createShelfActions();
    void connectShelf();
    void refreshShelf();
    void refreshShelfActions();
    [[nodiscard]] std::vector<ResultId> chosenResults() const; // selected on the shelf, else the current one
    void removeResults();
    void takeOutOfLine(ResultId id);
    void stopResult(ResultId id); // keeps what was measured
    void dropBaselinesInLine();
    void exportResult(ResultId id);
    void openEmbeddedSchedule(const SchedulePtr &schedule); // of the model's file, once
    void measureBaselines();

    // main_window_panes.cpp
    void createPaneActions();
    void connectPanes();
    void refreshPaneActions();
    [[nodiscard]] QString whyNoPaneMore() const;
    void openBeside(ResultId id);
    void goToDifference(int direction);
    void showDifference();

    // main_window_edit.cpp
    void connectEditing();
    void improve(ResultId from);

    // main_window_session.cpp
    void createSessionActions();
    void connectSession();
    void refreshSessionActions();
    void touchSession();
    [[nodiscard]] Session sessionNow() const;
    [[nodiscard]] Session sessionToKeep(bool isClosed) const;
    void readSession(const QString &path);
    void showSession(const QString &path, const OpenedSession &opened);
    void refuseSession(const QString &path, Error error);
    void showPanes(const SessionView &view);
    void tellOpened(const OpenedSession &opened, bool wasInterrupted);
    void findMissingModel();
    void measureLeftEdits();
    void showFound(const std::vector<ModelPtr> &found, const std::optional<Error> &why);
    bool writeSession(const QString &path);
    void showTitle();
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] bool mayClose();
    void endSession();

    // main_window_reading.cpp
    void createReadingAction();
    void refreshReadingAction();
    void chooseReading();
    void showReading(const ReadingProposal &proposal, const QString &spec, std::int64_t batch);
    void readAgain(const QString &spec, std::int64_t batch, const SessionReading &reading);
    void offerSizes(const QString &spec, const Error &error, const std::vector<OpenInput> &open);
    bool tellOpenSizes();

    // main_window_passes.cpp
    void connectPasses();
    void switchPass(const QString &pass, bool on);

    void showDevices(const std::vector<DeviceInfo> &devices); // to be chosen
    void compareOnDevice();
    void lineUp(const LayoutsToChoose &what);

    // main_window_frame.cpp
    void createDocks();
    void createToolBar();
    void createAreaActions();
    void showOnly(QWidget *area); // or everything again, if it is shown alone
    [[nodiscard]] QWidget *areaWithKeys() const;
    void showWhetherAlone();
    void fitToolBar();
    void fitScreen();
    void fitShelf();
    void restoreArrangement();
    void saveArrangement();

    // main_window_views.cpp
    void createViewActions();
    void connectViews();
    void connectMenus();
    void refreshViewActions();
    void measureStage();
    void chooseBeside(const QPoint &at);
    void requestTimeline();
    void showTimeline(); // once per turn of the event loop
    void fillTimeline();
    void showReasons();   // in the inspector and under the roof
    void requestMemory(); // of all results that it is not known of
    void showMemory();
    void showRunnerUpTimes(); // asks for those that are not known
    void compareInGraph();    // with the first other pane of the model
    void keepPanes();
    void bringPanesBack(const ModelReference &before);

    // main_window_results.cpp
    void createResultActions();
    void refreshResultActions();
    void openPublished();
    void stateLatency();
    void forgetLatencies(const StoredSelection &meant, const QString &whose);

    // main_window_arrangement.cpp
    void createViews();
    void createActions();
    void createMenus();
    void fillSamples(QMenu *menu);
    void fillRecent(QMenu *menu);
    void applyIcons();
    void chooseModelFile();
    void chooseScheduleFile();
    void savePicture();

    Document *m_document;
    Jobs *m_jobs;
    Selection *m_selection;

    // Searches are queued; their results are already on the shelf.
    struct PlannedSearch {
        Target target;
        std::vector<ResultToMake> results;
        SearchOptions options;
        bool isComparison = false;
        std::optional<LayoutsToChoose> layouts{}; // to be chosen instead of a search
    };

    GraphView *m_graph = nullptr;
    ShelfView *m_shelf = nullptr;
    Inspector *m_inspector = nullptr;
    PaneRow *m_panes = nullptr;
    ScheduleEditing *m_editing = nullptr;
    TimelineView *m_timeline = nullptr;
    LatencyChart *m_chart = nullptr;
    RooflineChart *m_roofline = nullptr;
    MemoryChart *m_memory = nullptr;
    PassesPanel *m_passes = nullptr;
    ComparisonTable *m_comparison = nullptr;
    DifferenceTable *m_difference = nullptr;
    BlocksTable *m_blocks = nullptr;
    RunnerUpTimes *m_runnerUpTimes = nullptr;
    SearchPanel *m_searchPanel = nullptr;
    MessageBar *m_messages = nullptr;
    QToolBar *m_messageTools = nullptr;
    DropHint *m_dropHint = nullptr;
    QStringList m_pathsToOpen;
    bool m_areSeveralOpened = false; // what one of them is refused for stays to be read

    QLabel *m_statusProvenance = nullptr;
    ElidedLabel *m_statusDevice = nullptr;
    ElidedLabel *m_statusModel = nullptr;
    ElidedLabel *m_statusSearch = nullptr;

    ModelPtr m_modelInViews;
    SchedulePtr m_scheduleInViews;
    std::deque<PlannedSearch> m_plannedSearches;
    PlannedSearch m_search; // the running search; without results: none
    MeasurementSettings m_openingScheduleFor;
    QString m_storeError; // last one shown
    QString m_dotError;   // last one shown
    std::vector<QToolButton *> m_toolButtons;
    ToolOverflow *m_overflow = nullptr;
    Panels *m_panels = nullptr;
    AreaCycle *m_areas = nullptr;

    Actions m_actions{this};
    std::vector<Area *> m_areaList;
    DeviceArea *m_deviceArea = nullptr;
    LayoutsArea *m_layoutsArea = nullptr;
    StudiesArea *m_studiesArea = nullptr;
    std::vector<DeviceInfo> m_devices;
    std::array<QAction *, 4> m_take{}; // span from the left, from the right, then the same for blocks
    std::array<QAction *, kScheduleKinds.size()> m_showKind{};
    std::array<QAction *, kColourings> m_colouring{};
    struct KeptPanes { // panes of a model that is not open now
        ModelReference model;
        std::vector<ResultId> results;
        std::size_t focused = 0;
    };
    std::vector<KeptPanes> m_keptPanes;
    TimeLeft m_timeLeft;
    WaitingLine *m_waiting = nullptr;
    ResultId m_searched;                      // of m_search, under way
    RunningSearch m_runningSearch;            // the same
    std::function<void()> m_jobLine;          // shows the tool bar's row of the search under way
    ResultId m_timelineOf;                    // the result whose timeline is being made
    std::map<ResultId, QString> m_noTimeline; // why it could not be made
    bool m_isTimelineDue = false;
    QMenu *m_panelsMenu = nullptr;

    struct {
        QString path;            // of its file; empty: none yet
        std::string savedDigest; // of the contents of that file
        Autosave *autosave = nullptr;
        std::unique_ptr<AutosaveFile> continued; // until it is read
        JobLane *lane = nullptr;                 // reads files
        bool hasFailed = false;                  // saving failed and this was reported
    } m_session;
};

} // namespace stagecraft
