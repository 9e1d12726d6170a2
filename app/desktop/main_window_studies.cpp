// Studies: the trade-off of r and s, and schedules made for other batch sizes and devices.

#include "desktop/frame/panels.h"
#include "desktop/main_window.h"
#include "desktop/pane_row.h"
#include "desktop/pruning_studies.h"
#include "desktop/runner_up_times.h"
#include "desktop/specialization_studies.h"
#include "widgets/inspector/inspector.h"
#include "widgets/study/pruning_view.h"
#include "widgets/study/specialization_view.h"

#include <QAction>
#include <QMenu>

namespace stagecraft {

void MainWindow::createStudies()
{
    m_pruning = new PruningView(this);
    m_pruningStudies = new PruningStudies(m_document, m_jobs, m_pruning, this);
    m_specialization = new SpecializationView(this);
    m_runnerUpTimes = new RunnerUpTimes(m_document, m_jobs, this);
    m_specializationStudies = new SpecializationStudies(m_document, m_jobs, m_specialization, this);
}

void MainWindow::createStudyActions()
{
    const auto startOrStop = [this](QWidget *view, auto *studies) {
        m_panels->show(view);
        if (studies->isRunning())
            studies->stop();
        else
            studies->start();
    };
    m_actions.add("pruning", {}, QStringLiteral("Ctrl+Shift+F5"),
                  [this, startOrStop] { startOrStop(m_pruning, m_pruningStudies); });
    m_actions.add("specialization", {}, QStringLiteral("Ctrl+Shift+F7"),
                  [this, startOrStop] { startOrStop(m_specialization, m_specializationStudies); });
    m_actions.add("copy_pruning", QStringLiteral("Copy points of the trade-off as CSV"), QStringLiteral("Ctrl+Alt+C"),
                  [this] { m_pruningStudies->copyCsv(); });
    m_actions.add("copy_specialization", QStringLiteral("Copy table of specialisation as CSV"),
                  QStringLiteral("Ctrl+Alt+T"), [this] { m_specialization->copyCsv(); });
}

void MainWindow::connectStudies()
{
    const auto connectOne = [this](auto *studies) {
        using Studies = std::remove_pointer_t<decltype(studies)>;
        connect(studies, &Studies::failed, this, &MainWindow::refuse);
        connect(studies, &Studies::busyChanged, this, [this] {
            refreshStudyActions();
            checkSettled();
        });
    };
    connectOne(m_pruningStudies);
    connectOne(m_specializationStudies);
    connectOne(m_runnerUpTimes);
    connect(m_runnerUpTimes, &RunnerUpTimes::changed, this, &MainWindow::showRunnerUpTimes);
    connect(m_selection, &Selection::changed, this, &MainWindow::showRunnerUpTimes);
    connect(m_inspector, &Inspector::whyRequested, this,
            [this] { m_runnerUpTimes->requestNow(m_selection->current()); });
    connect(m_specializationStudies, &SpecializationStudies::compareRequested, this,
            [this](ResultId own, ResultId other) {
                m_document->setCurrent(own);
                openBeside(other);
            });
    connect(m_pruningStudies, &PruningStudies::changed, this, &MainWindow::touchSession);
    connect(m_pruningStudies, &PruningStudies::changed, this, &MainWindow::refreshStudyActions);
    connect(m_pruning, &PruningView::gridChanged, this, &MainWindow::touchSession);
    connect(m_specialization, &SpecializationView::placesChanged, this, [this] {
        refreshStudyActions();
        touchSession();
    });
}

void MainWindow::refreshStudyActions()
{
    const auto refresh = [](QAction *action, const auto *studies, const QString &start, const QString &stop) {
        action->setText(studies->isRunning() ? stop : start);
        action->setEnabled(studies->isRunning() || studies->whyNotStart().isEmpty());
    };
    refresh(m_actions["pruning"], m_pruningStudies, QStringLiteral("St&udy r and s"),
            QStringLiteral("Stop the st&udy of r and s"));
    refresh(m_actions["specialization"], m_specializationStudies, QStringLiteral("Study speci&alisation"),
            QStringLiteral("Stop the study of speci&alisation"));
    m_actions["copy_pruning"]->setEnabled(m_pruningStudies->hasPoints());
    m_actions["copy_specialization"]->setEnabled(m_specialization->hasCells());
}

void MainWindow::offerStudyDevices()
{
    std::vector<OfferedDevice> devices;
    for (const DeviceInfo &info : m_devices) {
        if (info.available)
            devices.push_back({info.id, QString::fromStdString(info.title)});
    }
    m_specialization->offerDevices(devices);
}

void MainWindow::storeStudies(SessionView &view) const
{
    if (const auto grid = m_pruning->grid())
        view.pruning = *grid;
    if (const auto batches = m_specialization->batches())
        view.batches = *batches;
    view.devices = m_specialization->devices();
}

void MainWindow::showStudies(const SessionView &view)
{
    if (view.pruning)
        m_pruning->setGrid(*view.pruning);
    if (!view.batches.empty() || !view.devices.empty())
        m_specialization->setBatches(view.batches);
    m_specialization->setDevices(view.devices);
}

} // namespace stagecraft
