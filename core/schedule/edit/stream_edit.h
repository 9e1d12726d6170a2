#pragma once

// Edits of streams (schedule/edit/edit.h: MoveLaunches, SwapLaunches, AddEvent, DropEvent), as values.
//
// Where launches move, the events that edges need are found anew. Those beyond them were added by a person and stay, as
// long as they still are between two streams, in launch order.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/edit/edit.h"
#include "support/result.h"

#include <string>

namespace stagecraft {

// The edit is one of streams. The result has passed the verifier (schedule/streams/verify_streams.h). InvalidInput: an
// operator, stream or place that does not exist, an order that an edge forbids, an event that is there or is needed.
[[nodiscard]] Result<Streams> editedStreams(const Graph &graph, const Blocks &blocks, const Streams &streams,
                                            const Edit &edit);

// "Move conv3 to stream 2", "Drop the event from conv1 to conv3". Numbers as before the edit, from 1.
[[nodiscard]] std::string streamEditWords(const Graph &graph, const Streams &before, const Edit &edit);

} // namespace stagecraft
