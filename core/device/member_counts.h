#pragma once

// What a member of a pool has done for a search.

#include "support/records/record.h"

#include <cstdint>
#include <string>

namespace stagecraft {

struct MemberCounts {
    std::string device;         // id
    std::int64_t stages = 0;    // timed, and asked for
    std::int64_t inVain = 0;    // timed, and not asked for so far
    std::int64_t inCommon = 0;  // timed to compare the members
    double seconds = 0;         // spent on all of them
    bool isAtWork = false;      // at this moment
    std::int64_t timesLost = 0; // how often it was lost
    std::string leftOut;        // why it takes no part now; empty: it does
};

void eachMember(Of<MemberCounts> auto &member, auto &&visit)
{
    visit({"device", "of the member"}, member.device);
    visit({"stages", "timed by it, and asked for by the search", Unit::Count}, member.stages);
    visit({"stages_in_vain", "timed by it ahead, and never asked for", Unit::Count}, member.inVain);
    visit({"stages_in_common", "timed by it to compare the members", Unit::Count}, member.inCommon);
    visit({"measure_seconds", "that it spent on all of them", Unit::Seconds}, member.seconds);
    visit({"times_lost", "how often it was lost and its stage given to another", Unit::Count}, member.timesLost);
    visit({"left_out", "why it took no part at the end; null: it did"}, member.leftOut, !member.leftOut.empty());
}

} // namespace stagecraft
