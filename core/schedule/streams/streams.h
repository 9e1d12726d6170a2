#pragma once

// A schedule without barriers: operators in streams, each a sequence, launched in one order. A launch waits for the one
// before it on its stream and for its events, and for nothing else. Sources: Nimble (Kwon et al., NeurIPS 2020), Opara
// (Chen et al., SoCC 2024).

#include "support/ids.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft {

struct StreamLaunch {
    std::vector<OperatorId> operators; // one, or several that are merged into one bigger operator, ascending
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> waits = {}; // events: earlier launches, on other streams, ascending

    [[nodiscard]] bool isMerged() const { return operators.size() > 1; }

    friend bool operator==(const StreamLaunch &, const StreamLaunch &) = default;
};

struct Streams {
    std::uint32_t count = 0;            // of streams; each has a launch
    std::vector<StreamLaunch> launches; // in launch order, which is the order on each stream

    [[nodiscard]] std::size_t eventCount() const;

    friend bool operator==(const Streams &, const Streams &) = default;
};

// By launch, the row on a page with the streams side by side and launch order down the page: launches that follow each
// other share a row where none is on the stream of another or waits for it. Never less than the row before. `cuts`:
// launches that begin a row, ascending.
[[nodiscard]] std::vector<std::size_t> launchRows(const Streams &streams, std::span<const std::size_t> cuts = {});

} // namespace stagecraft
