#pragma once

// Streams in words.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <string>

namespace stagecraft {

// A line for each stream, with what each launch waits for: "stream 2  b, c + d merged, e after a". For display: escapes
// characters that could disturb a terminal.
[[nodiscard]] std::string streamsText(const Graph &graph, const Streams &streams);
// One launch, likewise, without what it waits for: "stream 2  c + d merged".
[[nodiscard]] std::string launchText(const Graph &graph, const StreamLaunch &launch);

// "4 streams, 17 events, no barriers"
[[nodiscard]] std::string synchronisationText(const Synchronisation &needs);

} // namespace stagecraft
