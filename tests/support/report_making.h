#pragma once

// Groups of results as reports show them.

#include "export/reported_group.h"
#include "support/graph_making.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::test {

// With latencies that no short text holds.
inline TimedSchedule withLatencies(TimedSchedule schedule, Provenance provenance = Provenance::Recorded)
{
    for (std::size_t i = 0; i < schedule.stages.size(); ++i)
        schedule.measured.stages.push_back(Timing::ofLatency(0.1 + 1.0 / 3.0 * static_cast<double>(i)));
    schedule.measured.whole = Timing::ofLatency(1000.0 / 7.0);
    schedule.measured.provenance = provenance;
    return schedule;
}

inline RatedResult ratedAs(const std::string &name, const TimedSchedule &schedule)
{
    RatedResult result{.name = name, .schedule = std::make_shared<const TimedSchedule>(schedule)};
    if (schedule.measured.provenance)
        result.origin = toString(*schedule.measured.provenance);
    return result;
}

// A chain of convolutions with these names, each a stage of its own.
struct ReportedChain {
    Graph graph;
    ReportedGroup group;
};

inline std::unique_ptr<ReportedChain> reportedChain(const std::vector<std::string> &names)
{
    GraphBuilder builder("net </script>");
    TensorId last = take(builder.addInput("in", {{1, 3, 8, 8}}));
    TimedSchedule schedule;
    Block block;
    for (const std::string &name : names) {
        const OperatorId id(static_cast<std::uint32_t>(schedule.stages.size()));
        last = take(builder.add(conv(name, {{last}}, 4)));
        schedule.stages.push_back({0, Strategy::Concurrent, {{id}}});
        block.operators.push_back(id);
    }
    auto chain = std::make_unique<ReportedChain>(ReportedChain{take(builder.build({last})), {}});
    chain->group.model.name = "net </script>";
    chain->group.graph = &chain->graph;
    chain->group.blocks = {block};
    chain->group.results = {ratedAs("mine </script><b>", withLatencies(schedule))};
    return chain;
}

inline const std::vector<std::string> kHostileNames{"plain",
                                                    "</script><script>document.title = 'broken'</script>",
                                                    "<!-- ",
                                                    "<script",
                                                    "say \"hi\" \\ 'there'",
                                                    "line\nbreak\x1b",
                                                    "&lt;&amp;",
                                                    "gr\xc3\xbc\xc3\x9f \xe2\x80\xae",
                                                    "bad\xff byte"};

} // namespace stagecraft::test
