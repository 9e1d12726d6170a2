#pragma once

// Details of the selection: an operator, a stage of the current schedule, a block, or, if nothing is selected, the
// model with its import report. Neighbours, stages and blocks are links that select. The page is rebuilt once per turn
// of the event loop, however much changes. Lives on the UI thread.

#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "search/stages/search.h"
#include "widgets/base/space_counts.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QToolButton;

namespace stagecraft {

class Selection;
struct LatencyReasons;
struct LaunchOrderGain;
struct LayoutFacts;
struct ProfiledTime;
struct RunnerUpTime;

class Inspector : public QWidget {
    Q_OBJECT

public:
    explicit Inspector(Selection *selection, QWidget *parent = nullptr);
    ~Inspector() override;

    // A null model shows the empty state. Drops schedule and search, which belong to the previous model.
    void setModel(std::shared_ptr<const Model> model);

    // The current schedule, or null. Stages of the selection are indices into it.
    void setSchedule(std::shared_ptr<const TimedSchedule> schedule);

    // Why the current schedule takes as long as it does; null until its timeline is made.
    void setReasons(std::shared_ptr<const LatencyReasons> reasons);

    // What is known of layouts on the device of the current schedule.
    void setLayouts(LayoutFacts layouts);

    // Of stages that were not chosen, for the page that is shown.
    void setRunnerUpTimes(std::vector<RunnerUpTime> times);

    // What another launch order would gain for the stage that is shown; empty: not known.
    void setLaunchOrder(std::optional<LaunchOrderGain> gain);

    // What profiles took for the operators of the stage that is shown.
    void setProfiledTimes(std::vector<ProfiledTime> times);

    // The runners-up of the search that made the current schedule; empty if it was not searched.
    void setSearch(std::vector<BlockSearch> search);

    // The size of each block's search space, for the page of a block.
    void setSpaces(SpaceCounts spaces);
    void setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts);

    [[nodiscard]] QString plainText() const; // copied to the clipboard

    [[nodiscard]] QSize sizeHint() const override;

    [[nodiscard]] QToolButton *measureButton() const; // "Measure again", on the page of a measured stage

signals:
    void measureStageRequested(); // for the stage on the page
    void tryRequested(const stagecraft::Stage &stage);
    void whyRequested(); // what makes the runners-up on the page dearer

public slots:
    void copyToClipboard() const;

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
