#pragma once

// The templates of exported folders (resources/): words between @ and what takes their place.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

using TemplateWords = std::vector<std::pair<std::string_view, std::string>>; // "@NAME@" and what takes its place

// One pass: what is put in may contain any of the words.
[[nodiscard]] std::string filledText(std::string_view text, const TemplateWords &words);

// What every page about a folder says: @MODEL@, @SCHEDULE@ (a sentence), @PART@ (stage or launch), @STREAMS@ (or the
// most groups at a time), @INPUT_LIST@, @OUTPUT_LIST@.
[[nodiscard]] TemplateWords scheduleTemplateWords(const Graph &graph, const Schedule &schedule,
                                                  const std::string &modelName);

} // namespace stagecraft
