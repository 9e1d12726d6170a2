#pragma once

// The graph of the model, and the selection that all views share: it follows what is shown.

#include "desktop/areas/area.h"
#include "desktop/work/target.h"
#include "widgets/graph/paint/colouring.h"

#include <array>
#include <memory>

namespace stagecraft {

class GraphView;
class PaneRow;

class GraphArea : public Area {
    Q_OBJECT

public:
    explicit GraphArea(const AreaContext &context);

    [[nodiscard]] GraphView *graph() const { return m_graph; }
    void compareWith(const PaneRow &panes); // the first other pane of the model

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    [[nodiscard]] bool isBusy() const override;
    void addTo(ExportSubject &subject) const override;

signals:
    void sampleWanted(const QString &name);

private:
    void addActions();
    void showFront();
    void keepSelectionInStep();

    GraphView *m_graph;
    std::array<QAction *, kColourings> m_colouring{};
    ModelPtr m_model;       // shown
    SchedulePtr m_schedule; // that the selection is in step with
    QString m_dotError;     // last one shown
};

} // namespace stagecraft
