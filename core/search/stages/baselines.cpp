#include "search/stages/baselines.h"

#include <algorithm>

namespace stagecraft {

namespace {

// Groups of a stage are its weakly connected components; the operators of a greedy stage are independent.
Stage stageOfSingles(std::size_t block, const std::vector<OperatorId> &operators)
{
    Stage stage{block, Strategy::Concurrent, {}};
    for (const OperatorId id : operators)
        stage.groups.push_back({id});
    return stage;
}

} // namespace

TimedSchedule sequentialSchedule(const Graph &graph, const Blocks &blocks)
{
    TimedSchedule schedule;
    schedule.context.batch = graph.batch();
    schedule.search.strategy = "sequential";
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (const OperatorId id : blocks[block].operators)
            schedule.stages.push_back(stageOfSingles(block, {id}));
    }
    return schedule;
}

TimedSchedule greedySchedule(const Graph &graph, const Blocks &blocks)
{
    TimedSchedule schedule;
    schedule.context.batch = graph.batch();
    schedule.search.strategy = "greedy";
    std::vector<bool> done(graph.size(), false);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        std::vector<OperatorId> left = blocks[block].operators;
        while (!left.empty()) {
            std::vector<OperatorId> ready, waiting;
            for (const OperatorId id : left) {
                const auto producers = graph.predecessors(id);
                const bool isReady = std::all_of(producers.begin(), producers.end(),
                                                 [&](OperatorId producer) { return done[producer.index()]; });
                (isReady ? ready : waiting).push_back(id);
            }
            for (const OperatorId id : ready)
                done[id.index()] = true;
            schedule.stages.push_back(stageOfSingles(block, ready));
            left = std::move(waiting);
        }
    }
    return schedule;
}

} // namespace stagecraft
