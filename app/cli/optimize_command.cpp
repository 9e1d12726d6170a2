// optimize: search a schedule on a device, and write it.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "engine/make_schedule.h"
#include "engine/text_file.h"
#include "schedule/schedule_json.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <numeric>

namespace stagecraft {
namespace {

struct OptimizeOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
    std::string output;
};

ScheduleKind kindOf(StrategySet set)
{
    switch (set) {
    case StrategySet::Parallel: return ScheduleKind::IosParallel;
    case StrategySet::Merge: return ScheduleKind::IosMerge;
    case StrategySet::Both: return ScheduleKind::IosBoth;
    }
    return ScheduleKind::IosBoth;
}

std::string operatorsText(const Graph &graph, const Stage &stage)
{
    std::string text;
    for (const auto &group : stage.groups) {
        text += text.empty() ? "" : " | ";
        for (std::size_t i = 0; i < group.size(); ++i)
            text += (i == 0 ? "" : ", ") + graph.op(group[i]).name;
    }
    return text;
}

// What the search minimises and its gap is about; the whole schedule in one go may take another time.
double sumOfStagesUs(const Schedule &schedule)
{
    return std::accumulate(schedule.stageLatencyUs.begin(), schedule.stageLatencyUs.end(), 0.0);
}

void printSchedule(const Model &model, const Schedule &schedule)
{
    const SearchRecord &search = schedule.search;
    std::cout << costLines(search.costs);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        std::cout << "stage " << i + 1 << "  block " << stage.block + 1 << "  "
                  << stageLatencyText(*model.graph, schedule, i) << "  "
                  << (stage.strategy == Strategy::Merge ? "merge " : "") << operatorsText(*model.graph, stage) << '\n';
    }
    std::cout << '\n'
              << model.name << " on " << schedule.device << ": " << latencyText(*schedule.latencyUs, search.costs)
              << " (" << toString(*schedule.provenance) << ", " << schedule.precision << ") in "
              << counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") << '\n'
              << counted(search.states, "state") << ", " << counted(search.transitions, "transition") << ", "
              << counted(search.stageMeasurements, "stage measurement") << ", "
              << counted(search.cacheHits, "cache hit") << "; " << search.termination
              << (search.stagesRefused > 0 ? " without the stages left out" : "") << ", gap " << percentText(search.gap)
              << " of the " << latencyText(sumOfStagesUs(schedule), search.costs) << " that its stages take alone\n";
    if (const auto &assumption = search.assumption)
        std::cout << "The gap assumes that " << assumption->text << "; of " << countText(assumption->stagesChecked)
                  << " measured stages " << countText(assumption->stagesBroken) << " did, by up to "
                  << percentText(assumption->worst) << ". Without it: " << percentText(assumption->gapWithout) << ".\n";
    std::cout << calibrationLine(schedule.calibration);
}

Json groupsJson(const Graph &graph, const Stage &stage)
{
    Json groups = Json::array();
    for (const auto &group : stage.groups) {
        Json &names = groups.emplace_back(Json::array());
        for (const OperatorId id : group)
            names.push_back(graph.op(id).name);
    }
    return groups;
}

// What the search of each block cost, and the stages it did not take.
Json blocksJson(const Graph &graph, const std::vector<BlockSearch> &blocks)
{
    Json result = Json::array();
    for (const BlockSearch &block : blocks) {
        Json runnersUp = Json::array();
        for (const RunnerUp &other : block.runnersUp)
            runnersUp.push_back({{"strategy", toString(other.stage.strategy)},
                                 {"groups", groupsJson(graph, other.stage)},
                                 {"latency_us", other.latencyUs},
                                 {"extra_us", other.extraUs},
                                 {"measured", other.measured}});
        result.push_back({{"block", block.block},
                          {"states", block.states},
                          {"transitions", block.transitions},
                          {"stage_measurements", block.stageMeasurements},
                          {"cache_hits", block.cacheHits},
                          {"latency_us", block.latencyUs},
                          {"lower_bound_us", block.lowerBoundUs},
                          {"runners_up", std::move(runnersUp)}});
    }
    return result;
}

Result<void> optimize(const OptimizeOptions &options, const CommandLine &line)
{
    const auto search = options.search.options();
    if (!search)
        return tl::unexpected(search.error());
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    auto device = options.device.open(*model);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    const auto made = makeSchedule(
        *model, *device->session, device->info, kindOf(search->strategies), *search,
        terminalProgress("search", device->info.provenance, latencyBasis(*model, device->info)), line.stop);
    clearProgress();
    if (!made)
        return tl::unexpected(made.error());
    const Schedule &schedule = made->schedule;
    tellRefusals(*made, "search");
    const std::string file = toJson(*model->graph, schedule);
    if (!options.output.empty()) {
        if (auto written = writeTextFile(options.output, file); !written)
            return written;
    }
    if (line.json) {
        Json document{{"model", model->name},
                      {"device", schedule.device},
                      {"calibration", schedule.calibration},
                      {"batch", schedule.batch},
                      {"latency_us", *schedule.latencyUs},
                      {"provenance", toString(*schedule.provenance)},
                      {"stages", schedule.stages.size()},
                      {"stage_sum_us", sumOfStagesUs(schedule)},
                      {"search", searchJson(schedule.search)},
                      {"blocks", blocksJson(*model->graph, made->blocks)},
                      {"schedule", Json::parse(file)}};
        addLatencyBasis(document, schedule.search.costs);
        printJson(document);
    } else {
        printSchedule(*model, schedule);
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the search was cancelled; the best schedule so far was kept");
    return {};
}

} // namespace

void addOptimizeCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("optimize", "Search a schedule on a device");
    const auto options = std::make_shared<OptimizeOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    command->add_option("--strategy", options->search.strategy, "both, parallel or merge")->capture_default_str();
    options->search.addPruningTo(*command);
    options->search.addBudgetTo(*command);
    command->add_option("-o,--output", options->output, "Write the schedule to this file");
    command->callback([&line, options] { line.command = [&line, options] { return optimize(*options, line); }; });
}

} // namespace stagecraft
