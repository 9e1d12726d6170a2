#include "desktop/areas/panes/pane_titles.h"

#include "desktop/areas/panes/schedule_pane.h"

#include <QString>
#include <QStringList>

#include <map>

namespace stagecraft {

void shareTitles(const std::vector<SchedulePane *> &panes)
{
    QStringList common = panes.size() > 1 ? panes.front()->titleParts() : QStringList();
    for (const SchedulePane *pane : panes)
        common.removeIf([pane](const QString &part) { return !pane->titleParts().contains(part); });
    std::map<QString, int> named;
    for (const SchedulePane *pane : panes)
        ++named[pane->titleParts().value(0)];
    for (SchedulePane *pane : panes)
        pane->setCommonParts(common, named[pane->titleParts().value(0)] == 1);
}

} // namespace stagecraft
