#include "schedule/streams/streams.h"

#include <algorithm>
#include <optional>

namespace stagecraft {

std::size_t Streams::eventCount() const
{
    std::size_t events = 0;
    for (const StreamLaunch &launch : launches)
        events += launch.waits.size();
    return events;
}

std::vector<std::size_t> launchRows(const Streams &streams, std::span<const std::size_t> cuts)
{
    std::vector<std::size_t> rows;
    std::vector<std::optional<std::size_t>> last(streams.count); // row on each stream
    std::size_t row = 0;
    for (const StreamLaunch &launch : streams.launches) {
        if (!rows.empty() && std::ranges::binary_search(cuts, rows.size()))
            ++row;
        if (last[launch.stream])
            row = std::max(row, *last[launch.stream] + 1);
        for (const std::uint32_t before : launch.waits)
            row = std::max(row, rows[before] + 1);
        last[launch.stream] = row;
        rows.push_back(row);
    }
    return rows;
}

} // namespace stagecraft
