#include "schedule/streams/stream_of_operators.h"

#include <algorithm>

namespace stagecraft {

std::vector<std::size_t> streamOfOperators(const Schedule &schedule)
{
    std::vector<std::size_t> streams;
    const auto place = [&](OperatorId id, std::size_t stream) {
        streams.resize(std::max(streams.size(), id.index() + 1));
        streams[id.index()] = stream;
    };
    for (const Stage &stage : schedule.stages) {
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            for (const OperatorId id : stage.groups[group])
                place(id, stage.isMerged() ? 0 : group);
        }
    }
    if (schedule.streams) {
        for (const StreamLaunch &launch : schedule.streams->launches) {
            for (const OperatorId id : launch.operators)
                place(id, launch.stream);
        }
    }
    return streams;
}

} // namespace stagecraft
