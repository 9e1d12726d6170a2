#include "schedule/streams/streams.h"

namespace stagecraft {

std::size_t Streams::eventCount() const
{
    std::size_t events = 0;
    for (const StreamLaunch &launch : launches)
        events += launch.waits.size();
    return events;
}

} // namespace stagecraft
