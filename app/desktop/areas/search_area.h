#pragma once

// Searches: the panel of the tool bar with their numbers, the line of those that wait for the one that runs, and the
// blocks. Also measures the baselines of what is open.

#include "desktop/areas/area.h"
#include "results/schedule_result.h"

#include <functional>
#include <memory>
#include <vector>

namespace stagecraft {

class BlocksTable;
class SearchPanel;
class WaitingLine;
enum class ScheduleKind;
struct DeviceInfo;
struct LayoutsToChoose;
struct Model;
struct RunningSearch;
struct SearchOptions;
struct SpaceCounts;

class SearchArea : public Area {
    Q_OBJECT

public:
    SearchArea(const AreaContext &context, WaitingLine &waiting);
    ~SearchArea() override;

    [[nodiscard]] SearchPanel *panel() const { return m_panel; } // for the tool bar

    void setTightness(int level); // of the panel
    void start();
    void compareAll();
    void compareAllOrMeasure();                                   // the baselines, if no search is possible
    void improve(ResultId from);                                  // keeps its pinned stages
    void lineUp(const LayoutsToChoose &what);                     // in the place of a search
    void showSteps(const QString &what, qint64 done, qint64 all); // of the search under way
    void stopResult(ResultId id);                                 // keeps what was measured
    void takeOutOfLine(ResultId id);                              // delivers nothing
    void measureBaselines();                                      // those that are missing
    void dropBaselinesInLine();
    void cancel(); // the window closes
    void showDevices(const std::vector<DeviceInfo> &devices);

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    [[nodiscard]] bool isBusy() const override;
    void store(Session &session) const override;
    void restore(const Session &session) override;

signals:
    void optionsChanged(const stagecraft::SearchOptions &options);
    void comparingChanged(bool isComparing);
    void deviceWanted(const QString &id);
    void spacesChanged(const stagecraft::SpaceCounts &spaces); // of the blocks, still to be counted
    void timeLeftChanged(stagecraft::ResultId id, const QString &text);

private:
    struct Planned;
    struct UnderWay;

    void addActions();
    void connectPanel();
    void connectMeasuring();
    void connectSearch();
    void startKinds(const std::vector<ScheduleKind> &kinds, bool comparing);
    void lineUp(Planned planned);
    void startNext();
    void end();
    void stopWork();  // the search that runs, or else all measuring
    void showFront(); // in the blocks
    void countSpaces();
    void showJobLine(std::function<void()> show); // of the search under way, until it ends
    void showSearchLine();                        // of the result shown, while no search runs
    void tellEnded(ResultId id);                  // in the status bar, if it is not shown
    [[nodiscard]] RunningSearch runningSearch(ResultId id) const;
    [[nodiscard]] QString nameOf(ResultId id) const;

    SearchPanel *m_panel;
    BlocksTable *m_blocks;
    WaitingLine &m_waiting;
    std::vector<QAction *> m_show; // a result of each kind
    std::vector<Planned> m_planned;
    std::unique_ptr<UnderWay> m_underWay;
    std::shared_ptr<const Model> m_modelInBlocks;
    QString m_storeError; // last one shown
};

} // namespace stagecraft
