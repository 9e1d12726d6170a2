#pragma once

// What an edit is called, in words for undo: "Move conv3 to stage 2". Stages are counted from 1, as they were before
// it.

#include "graph/graph.h"
#include "schedule/edit.h"

#include <span>
#include <string>

namespace stagecraft {

[[nodiscard]] std::string editWords(const Graph &graph, std::span<const Stage> before, const Edit &edit);

// What else it does: "; stage 5 is no longer merged". Empty where nothing needs to be said.
[[nodiscard]] std::string editSideWords(std::span<const Stage> before, std::span<const Stage> after, const Edit &edit);

} // namespace stagecraft
