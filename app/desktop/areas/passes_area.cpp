#include "desktop/areas/passes_area.h"

#include "desktop/areas/open_area.h"
#include "desktop/areas/reading_area.h"
#include "desktop/document/document.h"
#include "desktop/frame/panels.h"
#include "desktop/work/dot_process.h"
#include "flow/open/pass_steps.h"
#include "support/error_text.h"
#include "widgets/base/selection.h"
#include "widgets/passes/passes_panel.h"
#include "widgets/schedule/schedule_page.h"

#include <QDockWidget>

#include <utility>

namespace stagecraft {

PassesArea::PassesArea(const AreaContext &context, OpenArea &opening, ReadingArea &reading)
    : Area(context), m_panel(new PassesPanel(&selection(), &window()))
{
    m_panel->setDot([] { return std::make_unique<DotProcess>(); });
    connect(m_panel, &PassesPanel::openRequested, &opening, &OpenArea::chooseModelFile);
    connect(m_panel, &PassesPanel::switchRequested, &reading, &ReadingArea::switchPass);
    connect(m_panel, &PassesPanel::drawingFinished, this, &PassesArea::busyChanged);
    connect(m_panel, &PassesPanel::stepsWanted, this, &PassesArea::findSteps);
    connect(m_panel, &PassesPanel::unitChosen, this, &PassesArea::selectUnit);
    connect(&opening, &OpenArea::readingAgain, m_panel, &PassesPanel::setReading);
    connect(&m_stepping, &JobLane::busyChanged, this, &PassesArea::busyChanged);
    connect(&m_stepping, &JobLane::workFailed, this,
            [this](const QString &reason) { m_panel->setNoSteps(nullptr, {}, reason); });
    offerMenu(m_panel, {"reading", "-", "measure_stage", "copy_page"});
    connect(&results(), &Results::frontChanged, this, &PassesArea::showFront);
    showFront();
}

std::vector<Dock> PassesArea::docks() const
{
    return {{13, QStringLiteral("Passes"), "passes", m_panel, QStringLiteral("Alt+Shift+P")}};
}

// Queued: the dock is told before it is in its place.
void PassesArea::docked()
{
    connect(panels().dockOf(m_panel), &QDockWidget::visibilityChanged, m_panel, &PassesPanel::setInFront,
            Qt::QueuedConnection);
}

bool PassesArea::isBusy() const
{
    return m_panel->isBusy() || m_stepping.isBusy();
}

void PassesArea::selectUnit(OperatorId unit)
{
    const ModelPtr &model = next().model();
    if (model && unit.index() < model->graph->size())
        selection().set(selectedOperator(*model->graph, results().front().schedule.get(), unit));
}

void PassesArea::findSteps(const QString &pass)
{
    const ModelPtr model = next().model();
    if (!model)
        return;
    m_stepping.start([this, model, pass](const JobLane::Context &context) -> JobLane::Delivery {
        auto steps = passStepsOf(*model, pass.toStdString(), context.stop);
        if (!steps)
            return [this, model, pass, why = QString::fromStdString(errorText(steps.error()))] {
                m_panel->setNoSteps(model, pass, why);
            };
        return [this, model, pass, found = std::move(*steps)] { m_panel->setSteps(model, pass, found); };
    });
}

void PassesArea::showFront()
{
    const ModelPtr &model = next().model();
    if (m_model && m_model == model)
        return;
    m_model = model;
    m_panel->setModel(model);
}

} // namespace stagecraft
