#pragma once

// Help: its pages, and what the program is.

#include "desktop/areas/area.h"

namespace stagecraft {

class HelpWindow;

class HelpArea : public Area {
    Q_OBJECT

public:
    explicit HelpArea(const AreaContext &context);

    void showKeys(const QWidget &area); // of a panel's dock, or of the panes

private:
    void showAbout();

    HelpWindow *m_help;
};

} // namespace stagecraft
