#pragma once

// The name of an edit for undo: "Move conv3 to stage 2". Stages are counted from 1, as before the edit.

#include "graph/graph.h"
#include "schedule/edit/edit.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft {

[[nodiscard]] std::string editWords(const Graph &graph, std::span<const Stage> before, const Edit &edit);

// "conv3", "conv3 and conv4", "conv3 and 2 others".
[[nodiscard]] std::string operatorNames(const Graph &graph, const std::vector<OperatorId> &operators);

// The side effects of an edit: "; stage 5 is no longer merged". Empty if there are none to mention.
[[nodiscard]] std::string editSideWords(std::span<const Stage> before, std::span<const Stage> after, const Edit &edit);

} // namespace stagecraft
