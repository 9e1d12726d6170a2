#pragma once

// The timelines of all panes, made one at a time.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"
#include "results/schedule_result.h"

#include <map>

namespace stagecraft {

class PaneRow;
class TimelineView;

class TimelineArea : public Area {
    Q_OBJECT

public:
    TimelineArea(const AreaContext &context, const PaneRow &panes);

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    void cancel() override { m_making.cancel(); }
    [[nodiscard]] bool isBusy() const override { return m_making.isBusy(); }
    void addTo(ExportSubject &subject) const override;

signals:
    void shown(); // once per turn of the event loop

private:
    void make(ResultId id);
    void setTrouble(const Error &error);
    void request(); // of what is shown, the current result's first
    void showSoon();
    void show();

    const PaneRow &m_panes;
    TimelineView *m_timeline;
    ResultId m_underWay;                    // the result whose timeline is being made
    std::map<ResultId, QString> m_troubles; // why it could not be made
    bool m_isDue = false;
    JobLane m_making;
};

} // namespace stagecraft
