#pragma once

// From which size on schedules pay: at each size of a model the sequential, the greedy and the found schedule, compared
// on a device, in rounds where its latencies carry noise.

#include "flow/study/specialization.h"
#include "results/size_point.h"
#include "search/progress.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

namespace stagecraft {

class SizeStudy {
public:
    using Open = std::function<Result<OpenedPlace>(std::int64_t size)>;
    // What shows a search of an opened size; may be empty, and return an empty one.
    using Progress = std::function<SearchProgressCallback(std::int64_t size, const OpenedPlace &)>;

    // `rounds`: as compareInRounds takes them.
    SizeStudy(Open open, int rounds) : m_open(std::move(open)), m_rounds(rounds) {}

    // A repeated size costs nothing. The point stays where it is. Errors: those of `open`, findSchedule and the
    // session, and Cancelled; previous points stay.
    [[nodiscard]] Result<const SizePoint *> study(std::int64_t size, const Progress &progress,
                                                  const std::stop_token &stop);

    [[nodiscard]] std::vector<SizePoint> points() const; // ascending by size

private:
    Open m_open;
    int m_rounds;
    std::deque<SizePoint> m_points; // in the order of study
};

} // namespace stagecraft
