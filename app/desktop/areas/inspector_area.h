#pragma once

// The inspector: what is selected, why it takes so long, and what else it could be.

#include "desktop/areas/area.h"
#include "desktop/work/target.h"

#include <memory>

namespace stagecraft {

class Inspector;
class LaunchOrderGains;
class RunnerUpTimes;
struct LatencyReasons;

class InspectorArea : public Area {
    Q_OBJECT

public:
    explicit InspectorArea(const AreaContext &context);
    ~InspectorArea() override;

    [[nodiscard]] Inspector *inspector() const { return m_inspector; }
    void showReasons(); // of the current result's timeline

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    [[nodiscard]] bool isBusy() const override;

signals:
    void reasonsChanged(const std::shared_ptr<const stagecraft::LatencyReasons> &reasons); // null: unknown

private:
    void showFront();
    void showProfiledTimes(); // of the selected stage
    void showRunnerUpTimes(); // asks for those that are not known
    void showLaunchOrder();   // of the selected stage; asks for it if it is not known
    void measureStage();      // the selected one

    Inspector *m_inspector;
    RunnerUpTimes *m_runnerUpTimes;
    LaunchOrderGains *m_launchOrders;
    ModelPtr m_model; // shown
};

} // namespace stagecraft
