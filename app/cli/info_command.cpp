// info: the contents of a model, and with --count the size of each block's search space.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/info_answer.h"
#include "cli/model_options.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "search/stages/count.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace stagecraft {
namespace {

struct InfoOptions {
    ModelOptions model;
    SearchFlags search{"parallel", {}, {}, false, false, {}, {}, {}};
    bool count = false;
    bool passes = false;
    std::optional<double> maxSeconds; // for counting one block
};

Result<void> info(const InfoOptions &options, const CommandLine &line)
{
    TRY_AS(const auto search, options.search.options(std::nullopt, std::nullopt));
    TRY_AS(const auto model, options.model.open());
    const auto listening = line.listen();
    std::vector<answers::BlockFacts> blocks;
    for (const Block &block : model.blocks) {
        const int blockWidth = width(*model.graph, block);
        answers::BlockFacts facts{
            blocks.size(), block.operators.size(), blockWidth, transitionBound(block.operators.size(), blockWidth), {}};
        if (options.count) {
            CountLimits limits;
            limits.seconds = options.maxSeconds;
            TRY_AS(const auto space, countSpace(*model.graph, block, search, line.stop, limits));
            facts.space = space;
        }
        blocks.push_back(facts);
    }
    const ModelTotals totals = totalsOf(*model.graph);
    if (line.json)
        printAnswer(infoAnswer(model, blocks, totals, options.passes));
    else
        printInfo(model, blocks, totals, options.count);
    if (!line.json && options.passes)
        printPasses(model);
    return {};
}

} // namespace

void addInfoCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("info", "Show the contents of a model: blocks, operators, width, costs");
    const auto options = std::make_shared<InfoOptions>();
    options->model.addTo(*command);
    command->add_flag("--count", options->count,
                      "count the states, transitions and schedules of every block (without --r and --s: unpruned)");
    command->add_flag("--passes", options->passes,
                      "list the passes that form schedule units, with what each changed, and what became of the "
                      "operators of the file, with what run refuses on cpu and why");
    command
        ->add_option("--max-seconds", options->maxSeconds,
                     "count at most this long per block; a block with more says so")
        ->type_name("SECONDS")
        ->check(numberAtLeast(0));
    options->search.addStrategyTo(*command, "what to count: parallel, merge or both");
    options->search.addPruningTo(*command);
    command->callback([&line, options] { line.command = [&line, options] { return info(*options, line); }; });
}

} // namespace stagecraft
