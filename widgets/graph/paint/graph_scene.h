#pragma once

// Everything the painter needs, as values: the drawing with labels and indices, the style of each node under the
// current schedule, and what is emphasised. The painter only paints; the view only changes the scene.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "timing/provenance.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/graph/drawing/grid_index.h"
#include "widgets/graph/paint/colouring.h"
#include "widgets/graph/paint/conversion_badges.h"
#include "widgets/graph/paint/graph_labels.h"
#include "widgets/graph/paint/heat_scale.h"
#include "widgets/graph/paint/operator_marks.h"
#include "widgets/graph/paint/small_names.h"
#include "widgets/graph/paint/stage_changes.h"
#include "widgets/graph/paint/tensor_layouts.h"

#include <QColor>
#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// A drawing and everything derived from it: made once on the background thread, then shared.
struct PreparedGraph {
    GraphLabels labels;
    GraphDrawing drawing;
    GridIndex nodeIndex;
    GridIndex curveIndex;
    std::vector<std::vector<std::uint32_t>> edgesInto; // node -> edges
    std::vector<std::vector<std::uint32_t>> edgesFrom;
};

[[nodiscard]] std::shared_ptr<const PreparedGraph> prepared(GraphLabels labels, GraphDrawing drawing);

// The stage and group that an operator runs in, or the stream.
struct StagePlace {
    std::size_t stage = 0; // or stream
    std::size_t group = 0;
    std::size_t groups = 1;
    Strategy strategy = Strategy::Concurrent;
    std::optional<std::size_t> launch = std::nullopt; // of streams: its place in launch order
};

[[nodiscard]] std::vector<std::optional<StagePlace>> stagePlaces(const Graph &graph, const TimedSchedule *schedule);

struct NodeStyle {
    QColor fill;
    QString badge; // "4", "4b" with several groups, "4 M" in a merge stage
    QString value; // on the card: of the heat, or the other stage where stages are compared
    bool merged = false;
    OperatorMark mark = OperatorMark::None;
    std::optional<std::size_t> model = std::nullopt; // of several
    bool opaque = false;                             // nothing is known about what the operator computes: dashed
};

// The number of the operator's family, as coloured by type and named in the legend.
[[nodiscard]] std::size_t typeFamily(const Operator &op);
[[nodiscard]] QString typeFamilyName(std::size_t family);
inline constexpr std::size_t kTypeFamilies = 7;

struct NodeStyleInput {
    const Graph &graph;
    const GraphDrawing &drawing;
    const std::vector<std::optional<StagePlace>> &places;
    const HeatScale &heat;
    const StageChanges &changes;
    const ShownLayouts &tensorLayouts;
    Colouring colouring;
    const Theme &theme;
    std::vector<OperatorMark> marks = {}; // per operator, instead of the colouring; empty: none
    ModelMarks models = {};
};

[[nodiscard]] QColor layoutFill(const Theme &theme, TensorLayout layout);
[[nodiscard]] QColor changeFill(const Theme &theme, StageChange change);

[[nodiscard]] std::vector<NodeStyle> nodeStyles(const NodeStyleInput &input);

// The stages in each folded block, in order, for its strip of colours.
[[nodiscard]] std::vector<std::vector<std::size_t>> stagesOfBlocks(const TimedSchedule *schedule, std::size_t blocks);

struct Emphasis {
    std::vector<bool> selected; // per node; empty: none
    std::vector<bool> related;  // neighbours of the selected operator
    std::vector<bool> chosen;   // ancestors, descendants or a path; empty: none
    bool dimOthers = false;     // a stage, a block or several operators are selected: everything else is dimmed
    bool isIsolated = false;    // only what is selected or chosen is shown
    std::vector<std::uint32_t> isolatedCurves;
    std::vector<std::uint32_t> inputEdges;
    std::vector<std::uint32_t> outputEdges;
    std::optional<std::uint32_t> hovered;
    std::vector<bool> matches; // search matches; empty: no search
    std::optional<std::uint32_t> currentMatch;
};

// `chosen`: a mark per operator; empty: none.
void emphasise(Emphasis &emphasis, const PreparedGraph &graph, const TimedSchedule *schedule, const Selected &selected,
               const std::vector<bool> &chosen);
// Shows only what is selected or chosen; a selected operator with its neighbours.
void isolate(Emphasis &emphasis, const PreparedGraph &graph);
[[nodiscard]] bool isShown(const Emphasis &emphasis, std::uint32_t node);

struct GraphScene {
    std::shared_ptr<const PreparedGraph> prepared;
    std::vector<NodeStyle> styles;
    std::vector<std::vector<std::size_t>> blockStages;
    std::vector<ConversionBadge> badges; // empty unless layouts are shown
    Emphasis emphasis;
    Theme theme;
    GraphFonts fonts;
    std::shared_ptr<FittedNames> smallNames; // of `prepared`, filled while it is painted
};

} // namespace stagecraft
