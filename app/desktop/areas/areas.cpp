#include "desktop/areas/areas.h"

#include "desktop/areas/charts_area.h"
#include "desktop/areas/comparison_area.h"
#include "desktop/areas/device_area.h"
#include "desktop/areas/editing/stage_previews.h"
#include "desktop/areas/editing_area.h"
#include "desktop/areas/export_area.h"
#include "desktop/areas/graph_area.h"
#include "desktop/areas/help_area.h"
#include "desktop/areas/inspector_area.h"
#include "desktop/areas/layouts_area.h"
#include "desktop/areas/models_area.h"
#include "desktop/areas/open_area.h"
#include "desktop/areas/palette_area.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes_area.h"
#include "desktop/areas/passes_area.h"
#include "desktop/areas/reading_area.h"
#include "desktop/areas/search/search_line.h"
#include "desktop/areas/search/space_counting.h"
#include "desktop/areas/search/waiting_line.h"
#include "desktop/areas/search_area.h"
#include "desktop/areas/session_area.h"
#include "desktop/areas/shelf_area.h"
#include "desktop/areas/split_area.h"
#include "desktop/areas/status_area.h"
#include "desktop/areas/studies_area.h"
#include "desktop/areas/time_parts_area.h"
#include "desktop/areas/timeline_area.h"
#include "desktop/areas/together_area.h"
#include "desktop/areas/tour_area.h"
#include "desktop/document/document.h"
#include "desktop/frame/panels.h"
#include "desktop/kept/autosave_file.h"
#include "desktop/work/result_queue.h"
#include "desktop/work/services.h"
#include "widgets/base/selection.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/layout_section.h"
#include "widgets/search/device_options_button.h"
#include "widgets/search/search_panel.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace stagecraft {

Areas::Areas(const Services &services, QMainWindow &window, Actions &actions, MessageBar &messages, Panels &panels)
    : QObject(&window), m_services(std::make_unique<Services>(services)), m_document(new Document(this)),
      m_selection(new Selection(this))
{
    auto &measurers = m_services->measurers;
    if (!measurers)
        measurers = std::make_shared<Measurers>(services.findDevice, services.latencyStore);
    m_queue = new ResultQueue(measurers, this);
    auto *previews = new StagePreviews(measurers, this);
    connect(previews, &StagePreviews::changed, m_document->editor(), &Editor::latenciesLearnt);
    m_document->editor()->setStoredLatencies([previews](const auto &graph, const auto &device, const auto &stage) {
        return previews->us(graph, device, stage);
    });
    makeAreas({window, *m_document, *m_services, *m_queue, *m_selection, actions, messages, panels});
    addDocks(window, panels);
    for (Area *area : m_all) {
        connect(area, &Area::busyChanged, this, &Areas::refreshAndCheck);
        connect(area, &Area::viewChanged, m_session, &SessionArea::touch);
    }
    connect(m_session, &SessionArea::kept, this, &Areas::checkSettled);
    connect(m_document->next(), &NextSearch::modelChanged, this, &Areas::refresh);
    connect(m_document->next(), &NextSearch::deviceChanged, this, &Areas::refresh);
    connect(m_document->results(), &Results::shelfChanged, this, &Areas::refresh);
    connect(m_document->results(), &Results::frontShown, this, &Areas::refresh);
    connect(m_queue, &ResultQueue::busyChanged, this, &Areas::refreshAndCheck);
    m_device->begin();
    m_session->showRecent({});
    refresh();
}

// Work in line first, then areas with their own: it ends while what it uses is there.
Areas::~Areas()
{
    delete m_queue;
    const std::vector<Area *> all = std::exchange(m_all, {});
    for (Area *area : all | std::views::reverse)
        delete area;
}

// In the order in which they hear of changes: the graph is first, since it clears the selection of another model.
void Areas::makeAreas(const AreaContext &context)
{
    auto *waiting = new WaitingLine(m_document, m_queue, this);
    auto *graph = new GraphArea(context);
    auto *inspector = new InspectorArea(context);
    auto *charts = new ChartsArea(context);
    m_device = new DeviceArea(context);
    m_search = new SearchArea(context, *waiting);
    auto *shelf = m_shelf = new ShelfArea(context, *waiting);
    auto *comparison = new ComparisonArea(context);
    auto *panes = m_panes = new PanesArea(context, *shelf);
    auto *editing = new EditingArea(context, panes->panes());
    auto *timeline = new TimelineArea(context, *panes->panes());
    auto *timeParts = new TimePartsArea(context, *panes->panes());
    auto *layouts = new LayoutsArea(context, *m_search->line());
    auto *studies = new StudiesArea(context);
    auto *together = new TogetherArea(context, *m_search->line());
    m_session = new SessionArea(context, m_all);
    m_open = new OpenArea(context, *m_session, *m_device);
    auto *reading = new ReadingArea(context, *m_open);
    auto *models = new ModelsArea(context);
    m_all = {graph, inspector, charts,   m_device,  m_search, shelf,   comparison,
             panes, editing,   timeline, timeParts, layouts,  studies, together};
    m_help = new HelpArea(context);
    m_all.insert(m_all.end(),
                 {m_session, m_open, reading, models, new PassesArea(context, *m_open, *reading),
                  new SplitArea(context, *m_open), new ExportArea(context, *shelf, m_all), new StatusArea(context),
                  m_help, new PaletteArea(context, *shelf), new TourArea(context, *m_open, *m_session)});
    m_searchPanel = m_search->panel();

    connect(graph, &GraphArea::sampleWanted, m_open, &OpenArea::openModel);
    connect(graph->graph(), &GraphView::tourRequested, context.actions["tour"], &QAction::trigger);
    connect(graph->graph(), &GraphView::recentRequested, m_open, &OpenArea::openPath);
    connect(graph->graph(), &GraphView::continueRequested, m_session, &SessionArea::continueWanted);
    connect(m_session, &SessionArea::startEntriesChanged, graph->graph(), &GraphView::setStartEntries);
    connect(models, &ModelsArea::modelWanted, m_open, &OpenArea::openModel);
    connect(models, &ModelsArea::readingWanted, m_open, &OpenArea::open);
    connect(m_open, &OpenArea::leaving, m_search->line(), &SearchLine::dropBaselinesInLine);
    connect(m_search->line(), &SearchLine::membersChanged, m_device, &DeviceArea::showMembers);
    connect(m_open, &OpenArea::leaving, panes, &PanesArea::keep);
    connect(m_open, &OpenArea::opened, panes, &PanesArea::bringBack);
    connect(m_open, &OpenArea::opened, m_search->line(), qOverload<>(&SearchLine::measureBaselines));
    connect(m_open, &OpenArea::deviceWanted, m_device, &DeviceArea::open);
    connect(m_device, &DeviceArea::somethingElse, m_open, &OpenArea::openModel);
    connect(m_session, &SessionArea::deviceWanted, m_device, &DeviceArea::choose);
    connect(m_session, &SessionArea::restored, m_open, &OpenArea::tellModel);
    connect(m_session, &SessionArea::shown, editing, &EditingArea::measureLeft);
    connect(m_session, &SessionArea::shown, m_search->line(), qOverload<>(&SearchLine::measureBaselines));

    connect(m_device, &DeviceArea::devicesChanged, m_search, &SearchArea::showDevices);
    connect(m_device, &DeviceArea::devicesChanged, shelf, &ShelfArea::setDevices);
    connect(m_device, &DeviceArea::devicesChanged, studies, &StudiesArea::offerDevices);
    DeviceOptionsButton *options = m_search->panel()->deviceOptions();
    connect(m_device, &DeviceArea::optionsChanged, options, &DeviceOptionsButton::setOptions);
    connect(m_device, &DeviceArea::optionsWanted, options, &DeviceOptionsButton::openMenu);
    connect(m_device, &DeviceArea::leaving, m_search->line(), &SearchLine::dropBaselinesInLine);
    connect(m_device, &DeviceArea::switched, m_search->line(), qOverload<>(&SearchLine::measureBaselines));
    connect(m_device, &DeviceArea::comparisonWanted, m_search, &SearchArea::compareAllOrMeasure);

    connect(m_open, &OpenArea::failed, m_search, &SearchArea::showBatch);
    connect(m_open, &OpenArea::openingChanged, m_search, &SearchArea::setOpening);
    connect(m_search, &SearchArea::batchWanted, m_open, &OpenArea::openAtBatch);
    connect(m_search, &SearchArea::stopOpeningWanted, m_open, &OpenArea::stopOpening);
    connect(studies, &StudiesArea::modelWanted, m_open, &OpenArea::openModel);
    connect(studies, &StudiesArea::batchWanted, m_open, &OpenArea::openAtBatch);
    connect(m_device, &DeviceArea::measureWanted, shelf, &ShelfArea::measure);

    connect(m_search, &SearchArea::deviceWanted, m_device, &DeviceArea::switchTo);
    connect(m_search, &SearchArea::optionsChanged, shelf, &ShelfArea::setOptions);
    connect(m_search, &SearchArea::timeLeftChanged, shelf, &ShelfArea::setTimeLeft);
    connect(m_search, &SearchArea::comparingChanged, comparison, &ComparisonArea::setComparing);
    connect(m_search, &SearchArea::spacesChanged, inspector->inspector(), &Inspector::setSpaces);
    connect(m_search->counting(), &SpaceCounting::counted, inspector->inspector(), &Inspector::setCounts);
    connect(shelf, &ShelfArea::stopWanted, m_search->line(), &SearchLine::stop);
    connect(shelf, &ShelfArea::leaveLineWanted, m_search->line(), &SearchLine::takeOut);
    connect(editing, &EditingArea::improveWanted, m_search, &SearchArea::improve);
    connect(layouts, &LayoutsArea::progressed, m_search, &SearchArea::showSteps);
    connect(together, &TogetherArea::progressed, m_search, &SearchArea::showSteps);
    connect(m_search, &SearchArea::optionsChanged, together, &TogetherArea::setOptions);

    connect(panes, &PanesArea::lettersChanged, shelf, &ShelfArea::setLetters);
    connect(panes, &PanesArea::measureAgainWanted, shelf, &ShelfArea::measureAgain);
    connect(panes, &PanesArea::takeWanted, editing, &EditingArea::take);
    connect(comparison, &ComparisonArea::chosen, shelf, &ShelfArea::choose);
    const auto tellStudies = [this, studies, timeline] {
        studies->showOthersFirst(m_queue->isBusy() || timeline->isBusy());
    };
    connect(m_queue, &ResultQueue::busyChanged, studies, tellStudies);
    connect(timeline, &TimelineArea::busyChanged, studies, tellStudies);
    connect(studies, &StudiesArea::besideWanted, panes, &PanesArea::openBeside);
    connect(timeline, &TimelineArea::shown, this, [this, graph] { graph->compareWith(*m_panes->panes()); });
    connect(timeline, &TimelineArea::shown, timeParts, &TimePartsArea::show);
    connect(timeline, &TimelineArea::shown, inspector, &InspectorArea::showReasons);
    connect(inspector, &InspectorArea::reasonsChanged, charts, &ChartsArea::showReasons);
    connect(inspector->inspector(), &Inspector::tryRequested, editing, &EditingArea::tryStage);
    connect(layouts, &LayoutsArea::choiceChanged, graph->graph(), &GraphView::setLayoutCosts);
    connect(layouts, &LayoutsArea::choiceChanged, this, [inspector](const auto & /*costs*/, const LayoutFacts &facts) {
        inspector->inspector()->setLayouts(facts);
    });
    shelf->setOptions(m_search->panel()->options());
    together->setOptions(m_search->panel()->options());
}

void Areas::addDocks(QMainWindow &window, Panels &panels)
{
    window.setCentralWidget(m_panes->panes());
    std::vector<Dock> docks;
    for (const Area *area : m_all)
        std::ranges::copy(area->docks(), std::back_inserter(docks));
    std::ranges::sort(docks, {}, &Dock::place);
    for (const Dock &dock : docks)
        panels.add(dock.title, dock.name, dock.view, dock.keys);
    for (Area *area : m_all)
        area->docked();
}

void Areas::cancel()
{
    for (Area *area : m_all)
        area->cancel();
}

void Areas::changePalette()
{
    for (Area *area : m_all)
        area->changePalette();
}

void Areas::refreshAndCheck()
{
    refresh();
    checkSettled();
}

bool Areas::isSettled() const
{
    return !m_queue->isBusy() && std::ranges::none_of(m_all, &Area::isBusy);
}

void Areas::refresh()
{
    for (Area *area : m_all)
        area->refresh();
}

void Areas::checkSettled()
{
    if (isSettled())
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (isSettled())
                    emit settled();
            },
            Qt::QueuedConnection);
}

} // namespace stagecraft
