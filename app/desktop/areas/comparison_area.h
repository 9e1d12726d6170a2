#pragma once

// The comparison: the results that fit the next search, a row each.

#include "desktop/areas/area.h"
#include "desktop/work/job_lane.h"
#include "flow/find/one_cuda_graph.h"
#include "results/schedule_result.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class ComparisonTable;
struct ComparisonRow;

class ComparisonArea : public Area {
    Q_OBJECT

public:
    explicit ComparisonArea(const AreaContext &context);

    void setComparing(bool isComparing); // the search under way makes every kind

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    void cancel() override;
    [[nodiscard]] bool isBusy() const override { return m_simulating.isBusy(); }
    void addTo(ExportSubject &subject) const override;

signals:
    void chosen(stagecraft::ResultId id); // for a menu

private:
    void showRows();
    void showChosenRow();
    void simulateOneGraph();
    [[nodiscard]] std::vector<ComparisonRow> oneGraph() const; // its row

    ComparisonTable *m_comparison;
    bool m_isComparing = false;
    // Sequential from one CUDA graph, where the device of the next search launches from the host.
    std::weak_ptr<const Graph> m_graph; // of what follows
    std::string m_device;
    std::optional<OneCudaGraph> m_oneGraph;
    JobLane m_simulating;
};

} // namespace stagecraft
