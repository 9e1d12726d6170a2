#pragma once

// What lanes execute: the steps of a program with their memory bound, by group, and the stages or parts of streams that
// these groups are in. Nothing is looked up or allocated when they run.

#include "device/cpu/lane_team.h"
#include "device/cpu/launch_queue.h"
#include "device/cpu/onednn/step.h"
#include "device/cpu/rprogram_run.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

namespace stagecraft::cpu {

// A step with its pointers resolved.
struct BoundStep {
    mutable dnnl::primitive primitive;
    MakePrimitive later;
    HostKernel host;
    std::vector<dnnl::memory> memories; // keeps what `arguments` points to
    std::vector<std::shared_ptr<dnnl::memory>> constants;
    std::vector<dnnl_exec_arg_t> arguments;
    std::vector<float *> pointers;

    [[nodiscard]] bool isMade() const
    {
        try {
            if (later && !primitive)
                primitive = later();
        } catch (const dnnl::error &) {
            return false;
        }
        return true;
    }

    void run(const dnnl::stream &stream, std::atomic<bool> &failed) const
    {
        if (host)
            host(pointers);
        else if (!isMade() || dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()),
                                                     arguments.data()) != dnnl_success)
            failed.store(true, std::memory_order_relaxed);
    }
};

struct BoundOperator {
    OperatorSteps what; // its steps are moved to those below
    std::vector<BoundStep> steps;
    std::vector<BoundStep> careful;
};

struct BoundGroup {
    std::size_t index = 0;  // in the stage; of streams: the stream
    std::size_t launch = 0; // of streams
    std::vector<BoundOperator> operators;
    double flops = 0;
    std::vector<BoundOperator> onAllCores = {}; // in a queue: in place of them where nothing runs beside it
};

[[nodiscard]] inline bool mayLose(const std::vector<BoundOperator> &operators)
{
    return std::ranges::any_of(operators, [](const auto &op) { return !op.careful.empty(); });
}

// What a lane runs.
struct Turn {
    const BoundGroup &group;
    const std::vector<BoundOperator> &operators; // of the group
    std::size_t lane = 0;
    std::size_t thread = 0; // the first of the lane
    int width = 1;
};

// What the units of a fused stage run.
struct BoundUnits {
    RProgram program;
    std::vector<std::vector<BoundOperator>> rTasks; // by rOperator, by index
    std::vector<double> shares;                     // by rOperator: of the work of its operator
    std::unique_ptr<RProgramRun> run;

    [[nodiscard]] const BoundOperator &at(const RTask &task) const
    {
        return rTasks[task.rOperator][static_cast<std::size_t>(task.index)];
    }

    // Calls visit(unit, rTask) on the threads of the units.
    template <typename Visit>
    void forEachRTask(LaneTeam &team, const Visit &visit) const
    {
        run->begin();
        team.runTogether(static_cast<int>(program.units.size()),
                         [&](std::size_t thread, std::size_t threads) { run->run(thread, threads, visit); });
    }
};

// A stage, or a part of streams.
struct BoundStage {
    std::vector<BoundGroup> groups;               // in the stated launch order, else the group with most work first
    bool isOrdered = false;                       // the order is stated
    std::vector<int> widths;                      // of the lanes
    bool mayLose = false;                         // whether one of its operators has careful steps
    std::unique_ptr<LaunchQueue> queue = nullptr; // of launches side by side; null: of no streams, or one after another
    std::unique_ptr<BoundUnits> units = nullptr;  // of a fused stage, which has no groups

    [[nodiscard]] Turn turnOf(std::size_t i, std::size_t lane) const
    {
        const auto before = widths.begin() + static_cast<std::ptrdiff_t>(lane);
        const auto thread = static_cast<std::size_t>(std::accumulate(widths.begin(), before, 0));
        return {groups[i], groups[i].operators, lane, thread, widths[lane]};
    }
    [[nodiscard]] Turn turnOnAllCores(std::size_t i) const
    {
        return {groups[i], groups[i].onAllCores, 0, 0, std::accumulate(widths.begin(), widths.end(), 0)};
    }
};

} // namespace stagecraft::cpu
