#pragma once

// Whether the members of a pool agree: each times the same few stages. For each member, the ratio of its latency to the
// median of the others' is taken stage by stage. A member disagrees if the 95 % interval of the geometric mean of its
// ratios (Student's t of the logarithms, with Bonferroni's correction for the number of members) excludes 1 and the
// mean is off by more than 3 %; with a single stage in common, by more than 10 %.

#include "support/result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stagecraft {

struct TimedInCommon {
    std::string device;
    std::vector<double> latenciesUs; // by stage in common; 0: it refused the stage
};

struct MemberLeftOut {
    std::size_t member = 0;
    std::string why; // "it takes 1.2 times as long as the others on 5 stages in common (120.0 us against 100.0 us)"
};

// The members that disagree, the farthest off first; each is judged without those before it. Errors: WrongUse if two
// are left that disagree, with both latencies: there is no majority.
[[nodiscard]] Result<std::vector<MemberLeftOut>> membersToLeaveOut(const std::vector<TimedInCommon> &members);

} // namespace stagecraft
