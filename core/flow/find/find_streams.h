#pragma once

// The way to a schedule of streams: from a published rule, or searched for, and timed as a whole.

#include "device/device.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/find/stream_kind.h"
#include "model/model.h"
#include "search/capped/capped_search.h"
#include "search/options.h"
#include "search/progress.h"
#include "search/result.h"
#include "search/streams/stream_search.h"

#include <cstddef>
#include <optional>
#include <stop_token>

namespace stagecraft {

struct StreamsWanted {
    StreamKind kind = StreamKind::Searched;
    std::size_t most = 4; // streams, of list, round-robin and by-depth
    // Searched: begins with these alone, and keeps the launches that SearchOptions::pinned has as stages.
    std::optional<Streams> from = {};
    std::optional<MemoryLimit> memoryCap = {};
};

// Searched: begins with the streams of all rules and with stages (Sequential, Greedy, and, on a device that measures
// stages, IOS with `staged` and that relaxed), and is never slower than any of them; where stages are the fastest, they
// are the answer. `staged.maxSeconds` is for the search of streams, too. Where latencies carry noise, the fastest in
// rounds (fastest_in_rounds.h) is the answer, and steps go by how long launches took in traced runs. A stop ends both
// searches: the best so far is the answer. The answer is verified and measured, and says in FoundSchedule::streams what
// it began with. Errors: those of the session; WrongUse where the device does not run streams. InvalidInput, naming
// what is needed: a rule's streams do not meet the cap.
[[nodiscard]] Result<FoundSchedule> findStreams(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                                const StreamsWanted &wanted, const SearchOptions &staged,
                                                const SearchProgressCallback &stagedProgress,
                                                const CappedProgress &cappedProgress, const StreamProgress &progress,
                                                const std::stop_token &stop);

} // namespace stagecraft
