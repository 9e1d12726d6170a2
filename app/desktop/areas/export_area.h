#pragma once

// The chosen results for other programs, and a picture of the window.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"

#include <vector>

namespace stagecraft {

class ExportDialog;
class ShelfArea;

class ExportArea : public Area {
    Q_OBJECT

public:
    ExportArea(const AreaContext &context, const ShelfArea &shelf, const std::vector<Area *> &areas);

    ExportDialog *exportAs(); // of the chosen results; null, with a message: there are none
    void savePicture(const QString &path);

    [[nodiscard]] bool isBusy() const override { return m_saving.isBusy(); }

private:
    void choosePicture();

    const ShelfArea &m_shelf;
    const std::vector<Area *> &m_areas;
    JobLane m_saving; // a picture
};

} // namespace stagecraft
