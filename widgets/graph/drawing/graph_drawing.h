#pragma once

// Positions of everything in the graph view: a pure function from graph and blocks to positions and curves, callable on
// any thread. Blocks are laid out one by one and stacked from top to bottom; a tensor that is read further down runs
// through the blocks in between. The same input always gives the same drawing.

#include "graph/block.h"
#include "graph/graph.h"
#include "support/result.h"
#include "widgets/graph/drawing/dot_runner.h"
#include "widgets/graph/drawing/part_drawing.h"

#include <QRectF>
#include <QSizeF>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct DrawingOptions {
    std::vector<QSizeF> operatorSizes; // per operator
    std::vector<QSizeF> inputSizes;    // per input of the graph
    std::vector<QSizeF> outputSizes;   // per output of the graph
    std::vector<QSizeF> foldedSizes;   // per block, when folded
    std::vector<double> titleWidths;   // per block: the least width of its frame
    std::vector<bool> folded;          // per block; a folded block is one node
    QSizeF defaultSize{160, 56};       // for missing entries of the lists above
    Spacing spacing;
};

struct DrawingNode {
    enum class Kind { Operator, FoldedBlock, Input, Output };

    Kind kind = Kind::Operator;
    OperatorId op;         // Operator
    TensorId tensor;       // Input, Output
    std::size_t block = 0; // Operator, FoldedBlock
    QRectF rect;
};

struct DrawingEdge {
    std::uint32_t from = 0; // index into nodes
    std::uint32_t to = 0;
    std::vector<std::uint32_t> curves; // from top to bottom; edges of one tensor share curves until they part
};

struct DrawingBlock {
    QRectF frame;
    bool folded = false;
};

struct GraphDrawing {
    std::vector<DrawingNode> nodes;
    std::vector<Curve> curves;
    std::vector<DrawingEdge> edges;
    std::vector<DrawingBlock> blocks;
    std::vector<std::uint32_t> nodeOfOperator; // the folded block's node for the operators in it
    QRectF bounds;
    std::optional<Error> dotFailure; // why parts meant for dot are laid out by rows
};

// nullopt if a stop was requested. Without blocks the graph is one part without a frame. Without dot, or after its
// first failure, parts are laid out by rows.
[[nodiscard]] std::optional<GraphDrawing> drawGraph(const Graph &graph, const Blocks &blocks,
                                                    const DrawingOptions &options, DotRunner *dot = nullptr,
                                                    std::stop_token stop = {});

} // namespace stagecraft
