#pragma once

// Lays out a part with Graphviz's dot: the best drawing, in superlinear time. dot gets only sizes and node numbers,
// never names; its answer is checked before use.

#include "support/result.h"
#include "widgets/graph/drawing/dot_runner.h"
#include "widgets/graph/drawing/part_drawing.h"

#include <stop_token>
#include <string>

namespace stagecraft {

[[nodiscard]] Result<PartDrawing> dotDrawing(const Part &part, const Spacing &spacing, DotRunner &dot,
                                             const std::stop_token &stop = {});

// The part in the DOT language. Nodes are named by their numbers; edge i has the id "e<i>".
[[nodiscard]] std::string dotText(const Part &part, const Spacing &spacing);

// InvalidInput if the answer is damaged or does not match this part.
[[nodiscard]] Result<PartDrawing> readDotAnswer(const Part &part, const std::string &answer);

} // namespace stagecraft
