#pragma once

// The layouts of tensors that a schedule states, by operator, as the graph shows them. Pure functions.

#include "graph/graph.h"
#include "operators/values/tensor_layout.h"
#include "schedule/schedule.h"

#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct ShownLayout {
    TensorLayout reads = TensorLayout::RowMajor;
    TensorLayout writes = TensorLayout::RowMajor;
    std::size_t conversions = 0; // of tensors that it reads in another layout than they are written in
};

// A tensor that is read in another layout than it is written in.
struct ShownConversion {
    TensorId tensor;
    OperatorId reader; // invalid: it is an output of the graph
    TensorLayout from = TensorLayout::RowMajor;
    TensorLayout to = TensorLayout::RowMajor;
    bool isFirst = false; // nobody before reads the same copy
};

struct ShownLayouts {
    std::vector<std::optional<ShownLayout>> of; // by operator; nullopt: it writes no image. Empty: none are stated
    std::size_t conversions = 0;                // of a tensor that several read in one other layout: one
    std::vector<ShownConversion> readings;      // in the order of the operators, outputs last
};

[[nodiscard]] ShownLayouts shownLayouts(const Graph &graph, const Schedule *schedule);

[[nodiscard]] QString layoutText(TensorLayout layout); // "NHWC"

} // namespace stagecraft
