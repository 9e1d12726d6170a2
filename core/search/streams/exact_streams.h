#pragma once

// All streams of a small graph: every way to merge, every launch order, every way to give launches to streams.

#include "search/streams/stream_search.h"

#include <cstddef>

namespace stagecraft {

// Whether that is feasible: at most `most` operators that can run beside another one, and two more before and after
// them (a block between joins).
[[nodiscard]] bool hasFewStreams(const Graph &graph, std::size_t most);

// The best of all and of `start`; `options.maxSeconds` and the stop end it early. Errors: those of `latency`.
[[nodiscard]] Result<StreamSearchResult> searchAllStreams(const Graph &graph, const Blocks &blocks,
                                                          const TimedStreams &start, const StreamLatency &latency,
                                                          const StreamSearchOptions &options,
                                                          const std::stop_token &stop);

} // namespace stagecraft
