#include "desktop/areas/editing_area.h"

#include "desktop/areas/editing/schedule_editing.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/document/document.h"

#include <QMenu>

namespace stagecraft {

EditingArea::EditingArea(const AreaContext &context, PaneRow *panes)
    : Area(context), m_editing(new ScheduleEditing(&document(), &queue(), panes, this))
{
    actions().addEntries("edits", [this](QMenu *menu) { m_editing->fillMenu(menu); });
    connect(m_editing, &ScheduleEditing::told, this, [this](const QString &text) { tell(text, 8000); });
    connect(m_editing, &ScheduleEditing::improveRequested, this, &EditingArea::improveWanted);
    connect(panes, &PaneRow::takePressed, this, &EditingArea::take);
    connect(panes, &PaneRow::menuRequested, this, [this](const QPoint &at) {
        openMenu(at, {"edits", "-", "panes_menu"});
    });
}

void EditingArea::take(const StagesToTake &take)
{
    m_editing->take(take);
}

void EditingArea::tryStage(const Stage &stage)
{
    m_editing->tryStage(stage);
}

void EditingArea::measureLeft()
{
    for (const ResultId id : editor().unmeasuredEdits()) {
        const auto edit = editor().toMeasure(id);
        results().setWaiting(id);
        m_editing->measure(*edit);
    }
}

} // namespace stagecraft
