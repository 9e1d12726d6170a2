// One layout per tensor for the stages of a result: the action, and what comes of it.

#include "desktop/layout_choices.h"
#include "desktop/main_window.h"
#include "desktop/waiting_line.h"
#include "widgets/search/search_panel.h"

#include <QAction>

#include <vector>

namespace stagecraft {

void MainWindow::createLayoutChoiceAction()
{
    m_actions.add("layouts", {}, QStringLiteral("Ctrl+Shift+Y"), [this] { chooseLayouts(); });
    m_actions["layouts"]->setToolTip(QStringLiteral(
        "One layout per tensor for the stages of the result shown, of least total latency (Ctrl+Shift+Y)"));
}

void MainWindow::connectLayoutChoice()
{
    m_layoutChoices = new LayoutChoices(m_document, m_jobs, m_selection, m_inspector, m_graph, this);
    const auto showSteps = [this](const QString &what, qint64 done, qint64 all) {
        showJobLine([this, what, done, all] {
            m_searchPanel->showSteps(QStringLiteral("%1: %2").arg(resultOfModel(*m_document, m_searched), what), done,
                                     all);
        });
    };
    connect(m_jobs, &Jobs::layoutsProfiled, this, [showSteps](qint64 done, qint64 all) {
        showSteps(QStringLiteral("timing operators and conversions in each layout"), done, all);
    });
    connect(m_jobs, &Jobs::layoutsSearched, this, [showSteps](qint64 done, qint64 all) {
        showSteps(QStringLiteral("choosing layouts, operator"), done, all);
    });
    connect(m_jobs, &Jobs::layoutsChosen, this, &MainWindow::showLayouts);
}

void MainWindow::refreshLayoutChoiceAction()
{
    const QString why = m_layoutChoices->whyNotChoose();
    m_actions["layouts"]->setEnabled(why.isEmpty());
    m_actions["layouts"]->setText(why.isEmpty() ? QStringLiteral("Choose la&youts")
                                                : QStringLiteral("Choose la&youts (%1)").arg(why));
}

// Waits in line with searches.
void MainWindow::chooseLayouts()
{
    const ResultId of = m_document->current();
    if (!m_layoutChoices->whyNotChoose().isEmpty())
        return;
    const Shelf &shelf = m_document->shelf();
    const Target target = m_document->targetOf(of);
    LayoutsToChoose what{target, {}, {of, shelf.find(of)->schedule}};
    const ResultId baseline = shelf.baseline(shelf.find(of)->settings);
    if (baseline.isValid() && baseline != of)
        what.baseline = {baseline, shelf.find(baseline)->schedule, true};
    what.id = m_document->addLayouts(of);
    m_plannedSearches.push_back({target, std::vector{ResultToMake{what.id}}, {}, false, what});
    startNextSearch();
}

void MainWindow::showLayouts(const ChosenLayouts &chosen)
{
    m_document->setLayouts(chosen);
    const ScheduleResult *result = m_document->shelf().find(chosen.id);
    if (result && result->settings == m_document->settings())
        m_document->setCurrent(chosen.id);
}

} // namespace stagecraft
