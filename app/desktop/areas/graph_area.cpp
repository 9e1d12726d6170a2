#include "desktop/areas/graph_area.h"

#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/document/document.h"
#include "desktop/frame/message_bar.h"
#include "desktop/frame/panels.h"
#include "desktop/work/dot_process.h"
#include "flow/open_model.h"
#include "support/error_text.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/selection.h"
#include "widgets/graph/graph_view.h"
#include "widgets/schedule/schedule_page.h"

#include <QActionGroup>
#include <QKeySequence>
#include <QMenu>

#include <utility>

namespace stagecraft {

GraphArea::GraphArea(const AreaContext &context) : Area(context), m_graph(new GraphView(&selection(), &window()))
{
    m_graph->setDot([] { return std::make_unique<DotProcess>(); });
    QStringList samples;
    for (const BuiltInModel &model : builtInModels()) {
        if (model.parameters.empty())
            samples << QString::fromStdString(model.name);
    }
    m_graph->setSamples(samples);
    addActions();
    offerMenu(m_graph, {"find", "fit_graph", "fold_all", "unfold_all", "colouring", "graph_view", "-", "split_operator",
                        "cut_block", "join_blocks", "keep_apart", "measure_stage", "copy_page"});
    connect(&results(), &Results::frontChanged, this, &GraphArea::showFront);
    connect(&results(), &Results::frontShown, this, &GraphArea::keepSelectionInStep);
    connect(m_graph, &GraphView::openRequested, this, [this] { actions()["open"]->trigger(); });
    connect(m_graph, &GraphView::sampleRequested, this, &GraphArea::sampleWanted);
    connect(m_graph, &GraphView::colouringChanged, this,
            [this](Colouring colouring) { m_colouring[static_cast<std::size_t>(colouring)]->setChecked(true); });
    connect(m_graph, &GraphView::dotFailed, this, [this](const Error &why) {
        const QString text =
            QStringLiteral("Blocks of the graph are laid out by rows: %1").arg(QString::fromStdString(errorText(why)));
        if (m_dotError == text || !messages().text().isEmpty()) // others matter more; the next layout reports it again
            return;
        m_dotError = text;
        messages().show(MessageBar::Kind::Info, text);
    });
    connect(m_graph, &GraphView::drawingFinished, this, &GraphArea::busyChanged);
    showFront();
}

std::vector<Dock> GraphArea::docks() const
{
    return {{2, QStringLiteral("Graph"), "graph", m_graph}};
}

void GraphArea::addActions()
{
    actions()
        .add("find", QStringLiteral("&Find operator..."), QKeySequence::Find,
             [this] {
                 panels().show(m_graph);
                 m_graph->showFindBar();
             })
        ->setIconText(QStringLiteral("Find"));
    actions().add("fit_graph", QStringLiteral("Fit &graph"), QStringLiteral("Ctrl+0"), [this] { m_graph->fitAll(); });
    actions().add("fold_all", QStringLiteral("Fold all &blocks"), QStringLiteral("Ctrl+Shift+F"),
                  [this] { m_graph->setAllFolded(true); });
    actions().add("unfold_all", QStringLiteral("&Unfold all blocks"), QStringLiteral("Ctrl+Shift+U"),
                  [this] { m_graph->setAllFolded(false); });
    auto *group = new QActionGroup(this);
    struct Entry {
        const char *text;
        const char *keys;
    };
    constexpr std::array<Entry, kColourings> kEntries{{{"By &stage", "Ctrl+Alt+1"},
                                                       {"By &latency", "Ctrl+Alt+2"},
                                                       {"By operator &type", "Ctrl+Alt+3"},
                                                       {"By &FLOPs", "Ctrl+Alt+4"},
                                                       {"By &bytes", "Ctrl+Alt+5"},
                                                       {"By &utilisation", "Ctrl+Alt+6"},
                                                       {"By time l&ost", "Ctrl+Alt+0"},
                                                       {"By what &moved", "Ctrl+Alt+V"},
                                                       {"By la&yout", "Ctrl+Alt+Y"},
                                                       {"By mo&del", "Ctrl+Alt+I"}}};
    for (std::size_t i = 0; i < kEntries.size(); ++i) {
        m_colouring[i] = actions().add("colouring_" + std::to_string(i), QLatin1String(kEntries[i].text),
                                       QKeySequence(QLatin1String(kEntries[i].keys)),
                                       [this, i] { m_graph->setColouring(static_cast<Colouring>(i)); });
        m_colouring[i]->setCheckable(true);
        group->addAction(m_colouring[i]);
    }
    m_colouring[0]->setChecked(true);
    actions().addEntries("colouring", [this](QMenu *menu) {
        QMenu *colours = menu->addMenu(QStringLiteral("&Colour the graph"));
        for (QAction *action : m_colouring)
            colours->addAction(action);
    });
    actions().addEntries("graph_view", [this](QMenu *menu) { menu->addActions(m_graph->viewActions()); });
    actions().addEntries("graph_operators", [this](QMenu *menu) {
        menu->addMenu(QStringLiteral("&Operators in the graph"))->addActions(m_graph->viewActions());
    });
}

void GraphArea::refresh()
{
    actions()["find"]->setEnabled(next().model() != nullptr);
}

bool GraphArea::isBusy() const
{
    return m_graph->isBusy();
}

void GraphArea::showFront()
{
    const ModelPtr &model = next().model();
    if (!m_model || m_model != model) {
        m_model = model;
        selection().clear();
        m_graph->setModel(model ? model->graph : nullptr, model ? model->blocks : Blocks{});
    }
    m_graph->setSchedule(results().front().schedule);
}

// A selected stage belongs to the current schedule; a selected operator stays selected, in its new stage.
void GraphArea::keepSelectionInStep()
{
    const SchedulePtr &schedule = results().front().schedule;
    const ModelPtr &model = next().model();
    const SchedulePtr before = std::exchange(m_schedule, schedule);
    if (before && schedule && hasSameOrder(*before, *schedule))
        return;
    const Selected selected = selection().current();
    if ((selected.block || (selected.stage && !selected.op && schedule)) && model)
        return;
    if (!selected.op || !schedule || !model) {
        selection().clear();
        return;
    }
    selection().set(selectedOperator(*model->graph, schedule.get(), *selected.op));
}

void GraphArea::compareWith(const PaneRow &panes)
{
    m_graph->setTimeline(results().front().timeline);
    for (std::size_t i = 0; i < panes.count(); ++i) {
        const SchedulePane *pane = panes.pane(i);
        const ModelPtr model = pane->model();
        if (i == panes.focused() || !pane->schedule() || !model || model->graph != m_graph->graph())
            continue;
        m_graph->setComparedSchedule(
            pane->schedule(),
            QStringLiteral("%1 %2").arg(paneLetter(i), QString::fromStdString(results().shown(pane->result()).name)));
        return;
    }
    m_graph->setComparedSchedule(nullptr, {});
}

void GraphArea::addTo(ExportSubject &subject) const
{
    subject.views[ExportView::Graph] = m_graph;
}

} // namespace stagecraft
