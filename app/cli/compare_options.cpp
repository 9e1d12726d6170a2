#include "cli/compare_options.h"

#include "cli/option_checks.h"

#include <CLI/CLI.hpp>

namespace stagecraft {

void CompareOptions::addTo(CLI::App &command, CommandLine &line)
{
    model.addTo(command);
    files.addTo(command, line);
    device.addTo(command);
    command
        .add_option(
            "--schedule", schedules,
            "sequential, greedy, ios-merge, ios-parallel, ios-both, a strategy of streams (see optimize), embedded or "
            "a schedule file; repeat for each schedule, in the order to show them. Speed-ups are against the first")
        ->type_name("SCHEDULE")
        ->allow_extra_args(false);
    command
        .add_option("--fail-below", failBelow,
                    "exit with status 1 if the last schedule is less than RATIO times as fast as the first; of files: "
                    "if one is shown to be less than RATIO times as fast as the first, which noise alone does not do")
        ->type_name("RATIO")
        ->check(numberAbove(0));
    command.add_flag("--differences", differences,
                     "also show where they differ: every block, and every span of stages or launches with the same "
                     "operators");
    command.add_flag("--why", why,
                     "also show where the time of each goes, and what changes from the first to the others: "
                     "arithmetic, memory, waiting, idle SMs or cores, launch, between stages, not explained");
    search.addPruningTo(command);
    search.addBudgetTo(command);
    command
        .add_option(
            "--rounds", rounds,
            "on a measuring device: time the schedules in N rounds; 0: use the latencies from when they were made")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    command.footer("In a script: stagecraft-cli compare model.onnx -d cpu --schedule sequential --schedule "
                   "best.schedule.json --fail-below 1.05\n"
                   "For a pull request: stagecraft-cli compare main.trace.json branch.trace.json --model model.onnx "
                   "--fail-below 0.97 "
                   "--format junit -o latency.xml\n" +
                   command.get_footer());
}

} // namespace stagecraft
