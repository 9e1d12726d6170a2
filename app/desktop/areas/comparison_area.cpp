#include "desktop/areas/comparison_area.h"

#include "desktop/dialogs/export_dialog.h"
#include "desktop/document/document.h"
#include "desktop/work/result_queue.h"
#include "widgets/base/format.h"
#include "widgets/comparison/comparison_table.h"

#include <QTableView>

#include <algorithm>

namespace stagecraft {

ComparisonArea::ComparisonArea(const AreaContext &context) : Area(context), m_comparison(new ComparisonTable(&window()))
{
    m_comparison->setRows(results().comparison());
    connect(&results(), &Results::shelfChanged, this, &ComparisonArea::showRows);
    connect(&results(), &Results::memoryChanged, this, &ComparisonArea::showRows);
    connect(&results(), &Results::frontChanged, this, &ComparisonArea::showChosenRow);
    connect(m_comparison, &ComparisonTable::rowActivated, this, [this](std::size_t row) {
        const std::vector<ResultId> fitting = results().fitting();
        if (row < fitting.size())
            results().setCurrent(fitting[row]);
    });
    connect(&m_simulating, &JobLane::busyChanged, this, &ComparisonArea::busyChanged);
    connect(m_comparison, &ComparisonTable::compareRequested, actions()["compare"], &QAction::trigger);
    connect(m_comparison, &ComparisonTable::stopRequested, &queue(), &ResultQueue::stopSearch);
    offerMenu(m_comparison, [this](const QPoint &at) {
        const auto *table = m_comparison->findChild<QTableView *>();
        const QModelIndex index = table->indexAt(table->viewport()->mapFromGlobal(at));
        const std::vector<ResultId> fitting = results().fitting();
        if (index.isValid() && static_cast<std::size_t>(index.row()) < fitting.size())
            emit chosen(fitting[static_cast<std::size_t>(index.row())]);
        openMenu(at, {"shelf", "-", "compare"});
    });
}

std::vector<Dock> ComparisonArea::docks() const
{
    return {{6, QStringLiteral("Comparison"), "comparison", m_comparison}};
}

void ComparisonArea::setComparing(bool isComparing)
{
    m_isComparing = isComparing;
    refresh();
}

void ComparisonArea::refresh()
{
    m_comparison->setComparing(queue().isSearching() && m_isComparing);
    m_comparison->setCompareEnabled(next().model() != nullptr);
    simulateOneGraph();
}

void ComparisonArea::cancel()
{
    m_simulating.cancel();
}

void ComparisonArea::simulateOneGraph()
{
    const ModelPtr &model = next().model();
    const DeviceInfo &device = next().device();
    if (!model || (m_graph.lock() == model->graph && m_device == device.id))
        return;
    m_graph = model->graph;
    m_device = device.id;
    m_oneGraph.reset();
    m_simulating.start([this, model, device](const JobLane::Context &context) -> JobLane::Delivery {
        auto made = sequentialInOneCudaGraph(*model, device, context.stop);
        return [this, one = made ? std::move(*made) : std::nullopt] { // what is wrong, the rows above say
            m_oneGraph = one;
            showRows();
        };
    });
}

std::vector<ComparisonRow> ComparisonArea::oneGraph() const
{
    if (!m_oneGraph)
        return {};
    ComparisonRow row;
    row.title = QString::fromLatin1(kOneCudaGraph);
    row.latencyUs = m_oneGraph->latencyUs;
    for (const ComparisonRow &other : results().comparison()) {
        if (!other.isBaseline || !other.latencyUs)
            continue;
        row.speedup = *other.latencyUs / m_oneGraph->latencyUs;
        row.baselineTitle = other.title;
    }
    row.about =
        QStringLiteral("One operator at a time, as Sequential, but launched from one CUDA graph instead of from the "
                       "host: %1 on %2 (simulated). No schedule of this device.")
            .arg(latencyText(m_oneGraph->latencyUs), QString::fromStdString(m_oneGraph->device));
    return {row};
}

void ComparisonArea::showRows()
{
    m_comparison->setRows(results().comparison(),
                          results().fitting().empty() ? std::vector<ComparisonRow>() : oneGraph());
    showChosenRow();
}

void ComparisonArea::showChosenRow()
{
    const std::vector<ResultId> fitting = results().fitting();
    m_comparison->setCurrent(
        static_cast<std::size_t>(std::ranges::find(fitting, results().current()) - fitting.begin()));
}

void ComparisonArea::addTo(ExportSubject &subject) const
{
    subject.views[ExportView::Comparison] = m_comparison;
}

} // namespace stagecraft
