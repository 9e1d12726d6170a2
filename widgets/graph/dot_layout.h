#pragma once

// A part laid out by Graphviz's dot: the best drawing, superlinear in time. What dot is given are sizes and numbers of
// nodes, never names; what it answers is checked before it is used.

#include "support/result.h"
#include "widgets/graph/dot_runner.h"
#include "widgets/graph/part_layout.h"

#include <stop_token>
#include <string>

namespace stagecraft {

[[nodiscard]] Result<PartLayout> dotLayout(const Part &part, const Spacing &spacing, DotRunner &dot,
                                           const std::stop_token &stop = {});

// The part in the DOT language. Nodes are named by their numbers; edge i has the id "e<i>".
[[nodiscard]] std::string dotText(const Part &part, const Spacing &spacing);

// InvalidInput where the answer is damaged or is not about this part.
[[nodiscard]] Result<PartLayout> readDotAnswer(const Part &part, const std::string &answer);

} // namespace stagecraft
