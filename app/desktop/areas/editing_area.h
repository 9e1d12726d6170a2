#pragma once

// Manual editing of the schedule in the focused pane.

#include "desktop/areas/area.h"
#include "results/schedule_result.h"

namespace stagecraft {

class PaneRow;
class ScheduleEditing;
struct Stage;
struct StagesToTake;

class EditingArea : public Area {
    Q_OBJECT

public:
    EditingArea(const AreaContext &context, PaneRow *panes);

    void take(const StagesToTake &take);
    void tryStage(const Stage &stage);
    void measureLeft(); // edits that were not measured when the session was left

signals:
    void improveWanted(stagecraft::ResultId from); // a search that keeps its pinned stages

private:
    ScheduleEditing *m_editing;
};

} // namespace stagecraft
