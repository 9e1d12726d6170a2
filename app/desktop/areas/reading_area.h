#pragma once

// How the open model is read: in a dialog, which is also offered where a file leaves sizes open; without a pass; and by
// hand, at the selected operator: its block cut behind it or joined with the next one, its unit taken apart. The model
// is read again; where only blocks are others, the schedule in front comes along.

#include "desktop/areas/area.h"
#include "graph/model_reference.h"

#include <set>
#include <string>

namespace stagecraft {

class OpenArea;
struct ImportReport;
struct OpenRequest;

class ReadingArea : public Area {
    Q_OBJECT

public:
    ReadingArea(const AreaContext &context, OpenArea &opening);

    void switchPass(const QString &pass, bool on);

    void refresh() override;

private:
    void choose();
    void show(const QString &name, const OpenRequest &request, const ImportReport &report);
    void cutBlock();
    void joinBlocks();
    void keepApart();
    // Operators of the file that passes made part of the selected one; itself, if it is one that is kept apart.
    [[nodiscard]] std::set<std::string> partsOfSelected() const;
    void readWith(const Reading &reading, const QString &name);

    OpenArea &m_opening;
};

} // namespace stagecraft
