// memory: the bytes a schedule needs, stage by stage.

#include "answers/schedule_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "cli/scheduled_model.h"
#include "cli/text_table.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/open_model.h"
#include "graph/cost_basis.h"
#include "schedule/stage_text.h"
#include "schedule/streams/streams_text.h"
#include "support/shown_text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct MemoryOptions {
    ModelOptions model;
    DeviceOption device;
    std::string schedule = "sequential";
    std::string target;
};

// Of a stage, group after group, or of a launch where there are streams.
std::vector<OperatorId> operatorsAt(const Schedule &schedule, std::size_t index)
{
    if (schedule.streams)
        return schedule.streams->launches[index].operators;
    std::vector<OperatorId> operators;
    for (const auto &group : schedule.stages[index].groups)
        operators.insert(operators.end(), group.begin(), group.end());
    return operators;
}

answers::Memory memoryAnswer(const Model &model, const MemoryOptions &options, const TimedSchedule &schedule,
                             const DeviceInfo &device, const ScheduleMemory &memory)
{
    const Graph &graph = *model.graph;
    answers::Memory answer{model.name, options.schedule, device, graph.batch(), memory, {}, {}, model.report.notes, {}};
    const auto live = memory.use.liveBytes();
    const auto workspace = memory.use.workspaceBytes();
    for (std::size_t i = 0; i < live.size(); ++i) {
        auto &stage = answer.stages.emplace_back(answers::StageMemory{i, live[i], workspace[i], {}});
        for (const OperatorId id : operatorsAt(schedule, i))
            stage.operators.push_back(graph.op(id).name);
    }
    for (const plan::MemoryBuffer &buffer : memory.use.buffers) {
        auto &planned = answer.buffers.emplace_back(answers::PlannedBuffer{buffer, {}});
        for (const TensorId tensor : buffer.tensors)
            planned.tensors.push_back(graph.tensor(tensor).name);
    }
    for (const plan::TargetMemory &target : memory.targets)
        answer.elsewhere.push_back({target});
    return answer;
}

std::string text(std::size_t bytes)
{
    return plainBytes(static_cast<double>(bytes));
}

std::string textAt(const Graph &graph, const Schedule &schedule, std::size_t index)
{
    return schedule.streams ? launchText(graph, schedule.streams->launches[index])
                            : stageText(graph, schedule.stages[index]);
}

void printTargets(const std::vector<plan::TargetMemory> &targets)
{
    TextTable table({"simulated in", "holds", "in use at most", "kept for other streams"});
    for (const plan::TargetMemory &target : targets)
        table.add(plan::memoryTargetRow(target.target).name, text(target.heldBytes), text(target.peakBytes),
                  text(target.keptBytes));
    std::cout << table;
    for (const plan::TargetMemory &target : targets) {
        const plan::MemoryTargetRow &row = plan::memoryTargetRow(target.target);
        std::cout << row.name << ": " << row.basis << '\n';
    }
}

void print(const Graph &graph, const TimedSchedule &schedule, const ScheduleMemory &memory)
{
    const plan::MemoryUse &use = memory.use;
    const auto live = use.liveBytes();
    const std::size_t peak = use.livePeakBytes();
    TextTable table({schedule.streams ? "launch" : "stage", "live", "workspace", ""});
    const auto workspace = use.workspaceBytes();
    for (std::size_t i = 0; i < live.size(); ++i)
        table.add(i + 1, text(live[i]), text(workspace[i]),
                  (live[i] == peak ? "peak  " : "") + textAt(graph, schedule, i));
    std::cout << table << '\n'
              << "live peak " << text(peak) << ", arena " << text(use.arenaBytes) << " ("
              << percent(static_cast<double>(use.arenaBytes) / static_cast<double>(std::max<std::size_t>(peak, 1)) - 1)
              << (schedule.streams ? " above what is live if each launch ends before the next), without reuse "
                                   : " above the least that can be), without reuse ")
              << text(use.noReuseBytes()) << '\n'
              << "TVM's reference-counted planner: " << text(memory.referenceCountedBytes) << '\n'
              << "weights, beside it: " << text(memory.weightsBytes) << "; " << memory.basis << "\n\n";
    printTargets(memory.targets);
}

Result<void> memory(const MemoryOptions &options, const CommandLine &line)
{
    TRY_AS(const auto target, memoryTargetOption(options.target));
    TRY_AS(auto opened, openScheduled(options.model, options.schedule));
    const Model &model = opened.model;
    TRY_AS(const auto device, options.device.open(model));
    const DeviceInfo &info = device.info;
    auto memory = memoryOfSchedule(model, opened.schedule, info, *device.session, line.stop);
    if (!memory)
        return withinModel(model, memory.error());
    if (target)
        std::erase_if(memory->targets, [&](const plan::TargetMemory &other) { return other.target != *target; });
    if (line.json)
        printAnswer(memoryAnswer(model, options, opened.schedule, info, *memory));
    else
        print(*model.graph, opened.schedule, *memory);
    return {};
}

} // namespace

void addMemoryCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("memory", "Show the memory that a schedule needs, stage by stage");
    const auto options = std::make_shared<MemoryOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    addScheduleTo(*command, options->schedule);
    addMemoryTargetTo(*command, options->target, "show what it takes in this runtime, and in no other");
    command->callback([&line, options] { line.command = [&line, options] { return memory(*options, line); }; });
}

} // namespace stagecraft
