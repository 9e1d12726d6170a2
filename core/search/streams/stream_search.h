#pragma once

// Searches for streams: from the best of the given ones by steps, each timed as a whole schedule. A step moves an
// operator to another stream or to another place in the launch order, exchanges the rest of two streams, merges
// convolutions or parts them again. Slower schedules are gone through, too, the less the longer it takes (simulated
// annealing; Kirkpatrick et al. 1983). A graph of few operators is searched in full.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/streams/streams.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace stagecraft {

// Of the whole schedule, in microseconds. DeviceFailed: the device cannot run it (a merged convolution without
// kernels), and it is left out. Other errors end the search.
using StreamLatency = std::function<Result<double>(const Streams &)>;

enum class StreamSearchEnd {
    Proved,    // all streams, launch orders and merges were tried
    Converged, // nothing faster was found for a while
    Time,
    Stopped,
};

[[nodiscard]] std::string_view toString(StreamSearchEnd end); // "proved", "converged", "time", "stopped"

// Schedules timed so far, and the latency of the best; now and then.
using StreamProgress = std::function<void(std::int64_t timed, double bestUs)>;

struct StreamSearchOptions {
    double maxSeconds = 6;
    std::size_t exactUpTo = 6; // operators that can run beside another one (exact_streams.h); above, steps
    bool mayMerge = true;
    // Launches of the fastest start that stay launches: which of them share a stream stays, and their order.
    std::vector<std::vector<OperatorId>> pinned = {};
    // Whether a schedule may be the answer; empty: any. The starts may.
    std::function<bool(const Streams &)> mayBeBest = {};
    StreamProgress onProgress = {};

    [[nodiscard]] bool isAllowed(const Streams &streams) const { return !mayBeBest || mayBeBest(streams); }
};

struct StreamSearchResult {
    Streams best;
    double latencyUs = 0;
    std::int64_t timed = 0; // schedules
    StreamSearchEnd end = StreamSearchEnd::Converged;
};

struct TimedStreams {
    Streams streams;
    double latencyUs = 0;
};

// Never slower than the fastest of `starts`, of which there is at least one. Merged operators are in one block. The
// same latencies give the same steps; where time ends it, a faster machine goes further. Errors: those of `latency`.
[[nodiscard]] Result<StreamSearchResult> searchStreams(const Graph &graph, const Blocks &blocks,
                                                       std::span<const TimedStreams> starts,
                                                       const StreamLatency &latency, const StreamSearchOptions &options,
                                                       const std::stop_token &stop);

} // namespace stagecraft
