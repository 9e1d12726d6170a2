// Studies: the trade-off of r and s, and schedules made for other batch sizes and devices.

#include "desktop/action_maker.h"
#include "desktop/main_window.h"
#include "desktop/panels.h"
#include "desktop/pruning_studies.h"
#include "widgets/study/pruning_view.h"

#include <QAction>

namespace stagecraft {

void MainWindow::createStudies()
{
    m_pruning = new PruningView(this);
    m_pruningStudies = new PruningStudies(m_document, m_jobs, m_pruning, this);
}

void MainWindow::createStudyActions()
{
    const ActionMaker make(this);
    m_studyActions.pruning = make({}, QStringLiteral("Ctrl+Shift+F5"), [this] {
        m_panels->show(m_pruning);
        if (m_pruningStudies->isRunning())
            m_pruningStudies->stop();
        else
            m_pruningStudies->start();
    });
}

void MainWindow::connectStudies()
{
    connect(m_pruningStudies, &PruningStudies::failed, this, &MainWindow::refuse);
    connect(m_pruningStudies, &PruningStudies::changed, this, &MainWindow::touchSession);
    connect(m_pruningStudies, &PruningStudies::busyChanged, this, [this] {
        refreshStudyActions();
        checkSettled();
    });
    connect(m_pruning, &PruningView::gridChanged, this, &MainWindow::touchSession);
}

void MainWindow::refreshStudyActions()
{
    const bool isRunning = m_pruningStudies->isRunning();
    m_studyActions.pruning->setText(isRunning ? QStringLiteral("Stop the st&udy of r and s")
                                              : QStringLiteral("St&udy r and s"));
    m_studyActions.pruning->setEnabled(isRunning || m_pruningStudies->whyNotStart().isEmpty());
}

} // namespace stagecraft
