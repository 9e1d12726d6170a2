// memory: the bytes a schedule needs, stage by stage.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/open_model.h"
#include "graph/cost_basis.h"
#include "schedule/stage_text.h"
#include "support/shown_text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct MemoryOptions {
    ModelOptions model;
    DeviceOption device;
    std::string schedule = "sequential";
};

Json stagesJson(const Graph &graph, const Schedule &schedule, const plan::MemoryUse &use)
{
    const auto live = use.liveBytes();
    const auto workspace = use.workspaceBytes();
    Json list = Json::array();
    for (std::size_t i = 0; i < live.size(); ++i) {
        Json operators = Json::array();
        for (const auto &group : schedule.stages[i].groups) {
            for (const OperatorId id : group)
                operators.push_back(graph.op(id).name);
        }
        list.push_back({{"stage", i},
                        {"stage_number", i + 1},
                        {"live_bytes", live[i]},
                        {"workspace_bytes", workspace[i]},
                        {"operators", std::move(operators)}});
    }
    return list;
}

Json buffersJson(const Graph &graph, const plan::MemoryUse &use)
{
    Json list = Json::array();
    for (const plan::MemoryBuffer &buffer : use.buffers) {
        Json tensors = Json::array();
        for (const TensorId tensor : buffer.tensors)
            tensors.push_back(graph.tensor(tensor).name);
        list.push_back({{"tensors", std::move(tensors)},
                        {"bytes", buffer.life.bytes},
                        {"offset", buffer.offset},
                        {"first_stage", buffer.life.firstStage},
                        {"last_stage", buffer.life.lastStage}});
    }
    return list;
}

std::string text(std::size_t bytes)
{
    return plainBytes(static_cast<double>(bytes));
}

void print(const Graph &graph, const Schedule &schedule, const ScheduleMemory &memory)
{
    const plan::MemoryUse &use = memory.use;
    const auto live = use.liveBytes();
    const std::size_t peak = use.livePeakBytes();
    TextTable table({"stage", "live", "workspace", ""});
    const auto workspace = use.workspaceBytes();
    for (std::size_t i = 0; i < live.size(); ++i)
        table.add(i + 1, text(live[i]), text(workspace[i]),
                  (live[i] == peak ? "peak  " : "") + stageText(graph, schedule.stages[i]));
    std::cout << table << '\n'
              << "live peak " << text(peak) << ", arena " << text(use.arenaBytes) << " ("
              << percent(static_cast<double>(use.arenaBytes) / static_cast<double>(std::max<std::size_t>(peak, 1)) - 1)
              << " above the least that can be), without reuse " << text(use.noReuseBytes()) << '\n'
              << "TVM's reference-counted planner: " << text(memory.referenceCountedBytes) << '\n'
              << "weights, beside it: " << text(memory.weightsBytes) << "; " << memory.basis << '\n';
}

Result<void> memory(const MemoryOptions &options, const CommandLine &line)
{
    TRY_AS(auto opened, openScheduled(options.model, options.schedule));
    const Model &model = opened.model;
    TRY_AS(const auto device, options.device.open(model));
    const DeviceInfo &info = device.info;
    const auto memory = memoryOfSchedule(model, opened.schedule, info, *device.session, line.stop);
    if (!memory)
        return withinModel(model, memory.error());
    if (!line.json) {
        print(*model.graph, opened.schedule, *memory);
        return {};
    }
    const auto workspace = memory->use.workspaceBytes();
    printAnswer("memory", {{"model", model.name},
                           {"schedule_name", options.schedule},
                           {"device", info.id},
                           {"batch", model.graph->batch()},
                           {"precision", info.precision},
                           {"basis", memory->basis},
                           {"alignment_bytes", memory->use.alignment},
                           {"live_peak_bytes", memory->use.livePeakBytes()},
                           {"arena_bytes", memory->use.arenaBytes},
                           {"no_reuse_bytes", memory->use.noReuseBytes()},
                           {"reference_counted_bytes", memory->referenceCountedBytes},
                           {"weights_bytes", memory->weightsBytes},
                           {"workspace_bytes", workspace.empty() ? 0 : std::ranges::max(workspace)},
                           {"stages", stagesJson(*model.graph, opened.schedule, memory->use)},
                           {"buffers", buffersJson(*model.graph, memory->use)},
                           {"notes", notesJson(model.report)}});
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
    command->callback([&line, options] { line.command = [&line, options] { return memory(*options, line); }; });
}

} // namespace stagecraft
