// The figures that need no device: the networks and the size of their search.

#include "flow/open_model.h"
#include "reproduction/published_figures.h"
#include "reproduction/reproducer.h"
#include "reproduction/reproduction_steps.h"

#include "search/stages/count.h"

namespace stagecraft {

// The units of the built-in networks, which equal the published graphs.
Result<void> reproduceNetworks(Reproducer &run)
{
    Figure figure = newFigure("networks", "The networks as they are scheduled", "", "network");
    figure.note = "The published count leaves out blocks of a single operator, and counts only RandWire's random "
                  "stages. Ours counts every block that is scheduled on its own.";
    figure.columns = {"units", "blocks"};
    for (const published::Network &network : published::kNetworks) {
        TRY_AS(const auto opened, openModel({std::string(network.model)}));
        const Model &model = opened.model;
        FigureRow row{std::string(network.title), {}};
        row.cells.push_back({double(network.units), double(model.graph->size())});
        row.cells.push_back({double(network.blocks), double(model.blocks.size())});
        figure.rows.push_back(std::move(row));
    }
    figure.compared = figure.plotted = false;
    run.add(std::move(figure));
    return {};
}

Result<void> reproduceSearchSpaces(Reproducer &run)
{
    Figure figure = newFigure("search-space", "Size of the search space: largest block, no pruning", "", "network");
    figure.note =
        "Counted as the public implementation does: concurrent execution only, groups with a single source. No "
        "device is needed. The published numbers are rounded to two digits.";
    figure.columns = {"operators n", "width d", "bound", "transitions", "schedules"};
    SearchOptions options;
    options.strategies = StrategySet::Parallel;
    options.r = options.s = std::nullopt;
    options.singleSource = true;
    for (std::size_t i = 0; i < published::kNetworks.size(); ++i) {
        TRY_AS(const auto opened, openModel({std::string(published::kNetworks[i].model)}));
        const Model &model = opened.model;
        SpaceCount largest;
        const Block *block = nullptr;
        for (const Block &candidate : model.blocks) {
            TRY_AS(const auto count, countSpace(*model.graph, candidate, options, run.stop()));
            if (!block || count.transitions > largest.transitions) {
                largest = count;
                block = &candidate;
            }
        }
        if (!block)
            continue;
        const published::SearchSpace &space = published::kSearchSpaces[i];
        const int d = width(*model.graph, *block);
        FigureRow row{std::string(published::kNetworks[i].title), {}};
        row.cells = {{double(space.operators), double(block->operators.size())},
                     {double(space.width), double(d)},
                     {space.bound, transitionBound(block->operators.size(), d)},
                     {space.transitions, double(largest.transitions)},
                     {space.schedules, largest.schedules}};
        figure.rows.push_back(std::move(row));
    }
    figure.compared = figure.plotted = false;
    run.add(std::move(figure));
    return {};
}

} // namespace stagecraft
