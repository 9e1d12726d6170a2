#pragma once

// What a graph view shows, as values: a model, what is known about its current schedule, and the scene made of them.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/graph/overlay/graph_find.h"
#include "widgets/graph/overlay/graph_legend.h"
#include "widgets/graph/paint/graph_scene.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct GraphContent {
    std::shared_ptr<const Graph> graph; // null: none
    Blocks blocks;
    ModelMarks models;
    std::shared_ptr<const TimedSchedule> schedule;
    std::shared_ptr<const TimelineIndex> timeline;
    std::shared_ptr<const TimedSchedule> compared;
    QString comparedName;
    std::shared_ptr<const LayoutCosts> layoutCosts;
    std::vector<OperatorMark> marks;
    Colouring colouring = Colouring::Stage;
    std::vector<std::optional<StagePlace>> places; // per operator, once laid out
    GraphScene scene;

    // Drops all but the colouring.
    void setModel(std::shared_ptr<const Graph> next, Blocks nextBlocks);
    void setAppearance(const QPalette &palette, const QFont &font);
    void setLayout(std::shared_ptr<const PreparedGraph> prepared);
    [[nodiscard]] bool isLaidOut() const { return scene.prepared != nullptr; }

    [[nodiscard]] QString description(const Selected &selected) const; // for screen readers

    // The styles of all nodes, and what the key says of them. Needs a layout.
    LegendState colour();
    // `chosen`: a mark per operator; `framed`: shown as chosen if there are none.
    void emphasise(const Selected &selected, const std::vector<bool> &chosen, bool isIsolated,
                   std::span<const OperatorId> framed, const GraphFind &found);

    // In the scene; they need a layout.
    [[nodiscard]] const GraphDrawing &drawing() const { return scene.prepared->drawing; }
    [[nodiscard]] std::uint32_t nodeOf(OperatorId op) const { return drawing().nodeOfOperator[op.index()]; }
    [[nodiscard]] QRectF rectOf(OperatorId op) const { return drawing().nodes[nodeOf(op)].rect; }
    [[nodiscard]] QRectF selectedRect() const;
    [[nodiscard]] QRectF shownRect() const;               // of what is not hidden
    [[nodiscard]] Selected selected(OperatorId op) const; // with its stage
};

} // namespace stagecraft
