#pragma once

// The schedules of Inception V3 that the public IOS project published for its specialisation tables
// (github.com/mit-han-lab/inter-operator-scheduler, experiments/specialization/schedules, commit 8a6047e). Facts in a
// notation of our own: one line per block, spaces between stages, "|" between groups, "," between operators of a group,
// "+" in a merge stage. Operators are numbered from 1, in the order of the network.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <string_view>

namespace stagecraft::published {

struct PublishedSchedule {
    std::string_view name; // as the file
    std::string_view source;
    std::string_view stages;
};

inline constexpr PublishedSchedule kForV100{"v100", "V100, batch 1", R"(
1 2 3,4 5 6 7
8+9+11 12,13 10|14,15 16
17+18+20 21,22|23,24 19 25
26+27+29 30,31 28|32,33 34
36,37 35|38|39 40
41+42+45 43|46,47,48|50,51 44 49 52
53+54+57 58 55,56|59,60,61|62,63 64
65+66+69 70 74 71 67,68|72,73|75 76
77+78+81 82 86 79,80|83,84|87 85 88
89+91 92 93 90|94|95 96
97+98+101 99|102|105,106 100|103|104 107
108|109|112,113|116,117 110|111|114|115 118
119)"};

inline constexpr PublishedSchedule kForK80{"k80", "K80, batch 1", R"(
1 2,3 4,5 6 7
8|9|11|14 10|12,13|15 16
17|18|20|23 19|21,22|24 25
26|27|29|32 28|30,31|33 34
36|39 35|37,38 40
41+45 42,43|46,47|50 48 44|49|51 52
54+57 58 59 53|55,56|60,61|62,63 64
66+69 70 71|74 65|67,68|72,73|75 76
81|86 77|78,79,80|82,83,84|87 85,88
89+91 90|92,93|95 94,96
97+98+101 100|102|105 99|103|104|106 107
108|109,111|112,113|116,117 110|114|115 118
119)"};

inline constexpr PublishedSchedule kForBatch32{"32", "V100, batch 32", R"(
1 2 3 4,5 6 7
8|9,10|11,12|14,15 13 16
17|18,19|20,21,22|23,24 25
26|27,28|29,30,31|32,33 34
35|36,37 38|39 40
41|45,46|50,51 42,43,44|47,48,49 52
54+57 58 59 53|55,56|60,61|62,63 64
66+69 70 71 65|67,68|72,73|74,75 76
77|81,82|86,87 78,79,80|83,84,85 88
89,90|91,92,93|95 94 96
98|101|105 97|99|100|102|106 103+104 107
116 108|109,110|112|117 111|113 114+115 118
119)"};

inline constexpr PublishedSchedule kForBatch128{"128", "V100, batch 128", R"(
1,2 3 4,5,6 7
8|9,10|11,12,13|14,15 16
20|23 17|18,19|21,22|24 25
26|27,28|29,30,31|32,33 34
35|36,37|39 38 40
41|42,43,44|45,46,47 48,49|50,51 52
54+57 53|58,59|62,63 55,56|60,61 64
66+69 67,68|70,71 65|72,73|74,75 76
77|78,79,80|81,82,83 84,85|86,87 88
89,90|91,92,93 94|95 96
101|105 97|98,99,100|102,103,104|106 107
116 108|109|112,113|117 110+111 114+115 118
119)"};

} // namespace stagecraft::published

namespace stagecraft {

// For the built-in Inception V3, verified (schedule/verify.h). Refuses any other graph.
[[nodiscard]] Result<TimedSchedule> publishedSchedule(const published::PublishedSchedule &published, const Graph &graph,
                                                      const Blocks &blocks);

} // namespace stagecraft
