#pragma once

// The panel of passes: what became of the operators of the open file, pass by pass.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"

#include <memory>

namespace stagecraft {

class OpenArea;
class PassesPanel;
class ReadingArea;
struct Model;

class PassesArea : public Area {
    Q_OBJECT

public:
    PassesArea(const AreaContext &context, OpenArea &opening, ReadingArea &reading);

    [[nodiscard]] std::vector<Dock> docks() const override;
    void docked() override;
    [[nodiscard]] bool isBusy() const override;

private:
    void selectUnit(OperatorId unit);
    void findSteps(const QString &pass);
    void showFront();

    PassesPanel *m_panel;
    std::shared_ptr<const Model> m_model; // in the panel
    JobLane m_stepping;                   // through passes
};

} // namespace stagecraft
