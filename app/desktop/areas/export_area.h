#pragma once

// The chosen results for other programs, and a picture of the window.

#include "desktop/areas/area.h"

#include <vector>

namespace stagecraft {

class ExportDialog;
class ShelfArea;

class ExportArea : public Area {
    Q_OBJECT

public:
    ExportArea(const AreaContext &context, const ShelfArea &shelf, const std::vector<Area *> &areas);

    ExportDialog *exportAs(); // of the chosen results; null, with a message: there are none

private:
    void savePicture();

    const ShelfArea &m_shelf;
    const std::vector<Area *> &m_areas;
};

} // namespace stagecraft
