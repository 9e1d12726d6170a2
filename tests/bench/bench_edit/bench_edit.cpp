// The time for a manual edit on a network of 374 schedule units (NASNet): computing all targets of a drag, with reasons
// for illegal ones, and making the edit with its undo step and the new schedule. Prints percentiles; nothing here
// passes or fails.

#include "model/built_in.h"
#include "schedule/edit/edit_history.h"
#include "schedule/edit/edit_places.h"
#include "schedule/stage_groups.h"
#include "search/stages/baselines.h"
#include "support/graph_making.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

template <typename Work>
double milliseconds(Work &&work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void print(const char *what, std::vector<double> ms)
{
    std::ranges::sort(ms);
    const auto at = [&](std::size_t percent) { return ms[(ms.size() - 1) * percent / 100]; };
    std::printf("%-28s %6zu times  median %.3f ms, 95 %% %.3f ms, 99 %% %.3f ms, most %.3f ms\n", what, ms.size(),
                at(50), at(95), at(99), ms.back());
}

} // namespace

int main()
{
    const SourceGraph source = take(builtInNetwork("nasnet"));
    EditHistory history(std::make_shared<const TimedSchedule>(greedySchedule(source.graph, source.blocks)), "greedy");
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::vector<double> places, edits, undos;
    std::size_t legal = 0, answers = 0;
    for (int step = 0; step < 2000; ++step) {
        const auto &stages = history.stages();
        const auto members = operatorsOf(stages[below(stages.size())]);
        const std::vector<OperatorId> dragged{members[below(members.size())]};
        std::vector<EditPlaceAnswer> all;
        places.push_back(milliseconds([&] { all = editPlaces(source.graph, source.blocks, stages, dragged); }));
        answers += all.size();
        std::erase_if(all, [](const EditPlaceAnswer &answer) { return !answer.legal; });
        legal += all.size();
        const Edit edit = editTo(all[below(all.size())].place, dragged);
        edits.push_back(milliseconds([&] {
            static_cast<void>(take(history.apply(source.graph, source.blocks, edit)));
            static_cast<void>(history.schedule());
        }));
    }
    const std::size_t count = history.stages().size();
    while (history.canUndo())
        undos.push_back(milliseconds([&] { history.undo(); }));
    std::printf("nasnet: %zu units, from %zu to %zu stages, %zu of %zu places legal\n", source.graph.size(),
                history.stages().size(), count, legal, answers);
    print("every place, with reasons", places);
    print("edit and its schedule", edits);
    print("undo", undos);
}
