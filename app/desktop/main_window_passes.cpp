// The passes that formed the units of the model shown: their steps, and reading the model again without one or with it.

#include "desktop/main_window.h"

#include "desktop/frame/panels.h"
#include "flow/open/model_reading.h"
#include "support/error_text.h"
#include "widgets/base/selection.h"
#include "widgets/passes/passes_panel.h"
#include "widgets/schedule/schedule_page.h"

#include <QDockWidget>
#include <QFileInfo>

#include <algorithm>

namespace stagecraft {

void MainWindow::connectPasses()
{
    // Queued: the dock is told before it is in its place.
    connect(m_panels->dockOf(m_passes), &QDockWidget::visibilityChanged, m_passes, &PassesPanel::setInFront,
            Qt::QueuedConnection);
    connect(m_passes, &PassesPanel::openRequested, this, &MainWindow::chooseModelFile);
    connect(m_passes, &PassesPanel::switchRequested, this, &MainWindow::switchPass);
    connect(m_passes, &PassesPanel::drawingFinished, this, &MainWindow::checkSettled);
    connect(m_passes, &PassesPanel::stepsWanted, this, [this](const QString &pass) {
        if (const ModelPtr &model = m_document->model())
            m_jobs->findPassSteps(model, pass);
    });
    connect(m_passes, &PassesPanel::unitChosen, this, [this](OperatorId unit) {
        const ModelPtr &model = m_document->model();
        const SchedulePtr &schedule = m_document->front().schedule;
        if (!model || unit.index() >= model->graph->size())
            return;
        Selected selected{unit, std::nullopt};
        if (schedule) {
            const std::size_t stage = stageOfOperator(*model->graph, *schedule)[unit.index()];
            if (stage < schedule->stages.size())
                selected.stage = stage;
        }
        m_selection->set(selected);
    });
    connect(m_jobs, &Jobs::passStepsFound, m_passes, &PassesPanel::setSteps);
    connect(m_jobs, &Jobs::passStepsFailed, this, [this](const ModelPtr &model, const QString &pass, const Error &why) {
        m_passes->setNoSteps(model, pass, QString::fromStdString(errorText(why)));
    });
    connect(m_jobs, &Jobs::busyChanged, this, [this] {
        if (!m_jobs->isOpening()) // read, refused, or replaced by another file
            m_passes->setReading({});
    });
}

void MainWindow::switchPass(const QString &pass, bool on)
{
    const ModelPtr model = m_document->model();
    if (!model || model->report.passes.empty())
        return;
    SessionReading reading = readingOf(*model);
    std::erase(reading.without, pass.toStdString());
    if (!on)
        reading.without.push_back(pass.toStdString());
    std::ranges::sort(reading.without);
    const QString spec = QString::fromStdString(model->source);
    readAgain(spec, model->graph->batch(), reading);
    m_passes->setReading(
        QStringLiteral("Reading %1 again %2 %3 ...")
            .arg(QFileInfo(spec).fileName(), on ? QStringLiteral("with") : QStringLiteral("without"), pass));
}

} // namespace stagecraft
