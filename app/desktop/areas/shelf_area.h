#pragma once

// The shelf of results and what is done with them: show, name, note, pin, measure again, save, remove, and undo. Also
// results that are not searched, published schedules and stated latencies, and clearing stored latencies.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"
#include "results/schedule_result.h"

#include <map>
#include <memory>
#include <vector>

namespace stagecraft {

class ShelfView;
class WaitingLine;
struct DeviceInfo;
struct ShelfContext;
struct TimedSchedule;
struct SearchOptions;
struct StoredSelection;

class ShelfArea : public Area {
    Q_OBJECT

public:
    ShelfArea(const AreaContext &context, WaitingLine &waiting);
    ~ShelfArea() override;

    [[nodiscard]] ShelfView *shelf() const { return m_shelf; }
    [[nodiscard]] std::vector<ResultId> chosen() const; // selected on the shelf, else the current one
    void choose(ResultId id);
    void measureAgain(ResultId id);
    [[nodiscard]] bool canBeMeasured(ResultId id) const;
    // The result is to have this schedule, measured, with the stages that were disturbed.
    void measure(ResultId id, const std::shared_ptr<const TimedSchedule> &schedule);
    [[nodiscard]] bool isFolded() const; // to badges
    void setFolded(bool folded);

    // What its rows tell besides the results.
    void setDevices(const std::vector<DeviceInfo> &devices);
    void setOptions(const SearchOptions &options);               // of the next search
    void setLetters(const std::map<ResultId, QString> &letters); // of the panes
    void setTimeLeft(ResultId id, const QString &text);          // of a search; empty: unknown

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    [[nodiscard]] bool isBusy() const override { return m_storing.isBusy(); }

signals:
    void besideWanted(stagecraft::ResultId id);
    void selectionChanged();
    void stopWanted(stagecraft::ResultId id);
    void leaveLineWanted(stagecraft::ResultId id); // it is to be removed

private:
    void addActions();
    void setFailed(ResultId id, const Error &error); // to be measured
    void addFurtherActions();                        // that need no result
    void refreshFurther();
    void show();
    void bringUp(); // its panel
    void removeChosen();
    void save(ResultId id);
    void openPublished();
    void stateLatency();
    void forgetLatencies(const StoredSelection &meant, const QString &whose);
    void askWhetherToForget(const StoredSelection &meant, const QString &whose, std::int64_t count);

    ShelfView *m_shelf;
    WaitingLine &m_waiting;
    std::unique_ptr<ShelfContext> m_told; // what others have told so far
    JobLane m_storing;                    // counts stored latencies and removes them
};

} // namespace stagecraft
