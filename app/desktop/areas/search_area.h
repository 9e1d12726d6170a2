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
class SearchLine;
class SearchPanel;
class SpaceCounting;
class WaitingLine;
enum class ScheduleKind;
enum class StreamKind;
struct DeviceInfo;
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
    [[nodiscard]] SearchLine *line() const { return m_line; }
    [[nodiscard]] SpaceCounting *counting() const { return m_counting; }

    void setTightness(int level); // of the panel
    void start();
    bool compareAll();                                            // false: refused
    void compareAllOrMeasure();                                   // the baselines, if no search is possible
    void improve(ResultId from);                                  // keeps its pinned stages
    void showSteps(const QString &what, qint64 done, qint64 all); // of the search under way
    void showBatch();                                             // of the open model
    void setOpening(bool isOpening);                              // Stop ends it
    void showDevices(const std::vector<DeviceInfo> &devices);

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    void cancel() override;
    [[nodiscard]] bool isBusy() const override;
    void store(Session &session) const override;
    void restore(const Session &session) override;

signals:
    void optionsChanged(const stagecraft::SearchOptions &options);
    void comparingChanged(bool isComparing);
    void deviceWanted(const QString &id);
    void batchWanted(std::int64_t batch);
    void stopOpeningWanted();
    void spacesChanged(const stagecraft::SpaceCounts &spaces); // of the blocks, still to be counted
    void timeLeftChanged(stagecraft::ResultId id, const QString &text);

private:
    struct UnderWay;

    void addActions();
    void connectPanel();
    void connectMeasuring();
    void connectSearch();
    bool mayPrune(const SearchOptions &options); // false: refused
    void startStreams(StreamKind kind);
    bool startKinds(const std::vector<ScheduleKind> &kinds, bool comparing); // false: refused
    void showFront();                                                        // in the blocks
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
    SearchLine *m_line;
    SpaceCounting *m_counting;
    std::unique_ptr<UnderWay> m_underWay;
    bool m_isOpening = false;
    std::shared_ptr<const Model> m_modelInBlocks;
    QString m_storeError; // last one shown
};

} // namespace stagecraft
