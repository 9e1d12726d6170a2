#include "plan_check.h"

#include <algorithm>

namespace stagecraft::test {
namespace {

using namespace gpu;

template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

// The views that a task reads, and the one it writes, without its workspace.
std::vector<View> readsOf(const Task &task)
{
    const auto withConstants = [](std::vector<View> views, const View &w, const std::optional<View> &bias) {
        views.push_back(w);
        if (bias)
            views.push_back(*bias);
        return views;
    };
    return std::visit(Overloaded{[&](const ConvTask &conv) { return withConstants({conv.x}, conv.w, conv.bias); },
                                 [&](const DepthwiseTask &conv) { return withConstants(conv.x, conv.w, conv.bias); },
                                 [](const PoolTask &pool) { return std::vector<View>{pool.x}; },
                                 [](const ElementwiseTask &elementwise) { return elementwise.x; },
                                 [](const SoftmaxTask &softmax) { return std::vector<View>{softmax.x}; }},
                      task.work);
}

const View &writeOf(const Task &task)
{
    return std::visit([](const auto &work) -> const View & { return work.y; }, task.work);
}

std::string kindOf(const Task &task)
{
    return std::visit(Overloaded{[](const ConvTask &) { return "convolution"; },
                                 [](const DepthwiseTask &) { return "depthwise convolution"; },
                                 [](const PoolTask &) { return "pool"; },
                                 [](const ElementwiseTask &) { return "elementwise"; },
                                 [](const SoftmaxTask &) { return "softmax"; }},
                      task.work);
}

struct Access {
    std::size_t task = 0;
    bool writes = false;
    std::size_t buffer = 0;
    std::size_t begin = 0; // in bytes of the arena
    std::size_t end = 0;
    View view; // empty dims: a workspace
};

std::vector<Access> accessesOf(const ProgramPlan &plan, std::size_t index, Precision precision)
{
    std::vector<Access> accesses;
    const auto add = [&](const View &view, bool writes) {
        if (view.memory != View::Memory::Arena)
            return;
        const std::size_t begin = plan.arenaOffset(view, precision);
        const auto bytes = static_cast<std::size_t>(view.span() * elementBytes(precision));
        accesses.push_back({index, writes, view.index, begin, begin + bytes, view});
    };
    const Task &task = plan.tasks[index];
    for (const View &view : readsOf(task))
        add(view, false);
    add(writeOf(task), true);
    if (task.workspace.bytes > 0) {
        const std::size_t begin = plan.arenaOffset(task.workspace);
        accesses.push_back({index, true, task.workspace.buffer, begin, begin + task.workspace.bytes, {}});
    }
    return accesses;
}

// Slices of channels of the same image are interleaved; everything else is compared by bytes.
bool overlap(const Access &a, const Access &b)
{
    if (a.end <= b.begin || b.end <= a.begin)
        return false;
    const View &x = a.view;
    const View &y = b.view;
    if (a.buffer != b.buffer || x.dims.size() != 4 || y.dims.size() != 4 || x.strides != y.strides ||
        x.dims[0] != y.dims[0] || x.dims[2] != y.dims[2] || x.dims[3] != y.dims[3])
        return true;
    const std::int64_t step = x.strides[1];
    const std::int64_t distance = y.offset - x.offset;
    if (distance % step != 0)
        return true;
    const std::int64_t channels = distance / step;
    return channels >= 0 ? channels < x.dims[1] : -channels < y.dims[1];
}

// Happens-before by vector clocks.
struct Stamp {
    std::size_t stream = 0;
    std::vector<std::size_t> clock;
};

std::vector<Stamp> stampsOf(const ProgramPlan &plan)
{
    const LaunchPlan &launches = plan.launches;
    std::vector<Stamp> stamps(plan.tasks.size());
    std::vector<std::vector<std::size_t>> clocks(launches.streams, std::vector<std::size_t>(launches.streams, 0));
    std::vector<std::vector<std::size_t>> events(launches.events, std::vector<std::size_t>(launches.streams, 0));
    const auto merge = [](std::vector<std::size_t> &into, const std::vector<std::size_t> &from) {
        for (std::size_t i = 0; i < into.size(); ++i)
            into[i] = std::max(into[i], from[i]);
    };
    for (const LaunchStep &step : launches.steps) {
        switch (step.kind) {
        case LaunchStep::Kind::Run:
            ++clocks[step.stream][step.stream];
            stamps[step.item] = {step.stream, clocks[step.stream]};
            break;
        case LaunchStep::Kind::Record: events[step.item] = clocks[step.stream]; break;
        case LaunchStep::Kind::Wait: merge(clocks[step.stream], events[step.item]); break;
        case LaunchStep::Kind::Synchronize: {
            std::vector<std::size_t> all(launches.streams, 0);
            for (const auto &clock : clocks)
                merge(all, clock);
            std::ranges::fill(clocks, all);
            break;
        }
        }
    }
    return stamps;
}

bool isBefore(const Stamp &a, const Stamp &b)
{
    return b.clock[a.stream] >= a.clock[a.stream];
}

QString name(const ProgramPlan &plan, std::size_t task)
{
    return QString("task %1 (%2, stage %3, group %4)")
        .arg(task)
        .arg(QString::fromStdString(kindOf(plan.tasks[task])))
        .arg(plan.tasks[task].stage)
        .arg(plan.tasks[task].group);
}

QString unordered(const ProgramPlan &plan, const std::vector<std::vector<Access>> &accesses)
{
    const std::vector<Stamp> stamps = stampsOf(plan);
    for (std::size_t later = 0; later < plan.tasks.size(); ++later) {
        if (stamps[later].clock.empty())
            return name(plan, later) + " is never run";
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            if (isBefore(stamps[earlier], stamps[later]))
                continue;
            for (const Access &a : accesses[earlier]) {
                for (const Access &b : accesses[later]) {
                    if ((a.writes || b.writes) && overlap(a, b))
                        return name(plan, earlier) + " and " + name(plan, later) + " touch the same memory unordered";
                }
            }
        }
    }
    return {};
}

// The last writer of each piece of the arena: buffers are aligned, so no two share a piece.
QString stale(const ProgramPlan &plan, const std::vector<std::vector<Access>> &accesses)
{
    constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
    std::vector<std::size_t> owners(plan.plan.arena.bytes / kArenaAlignment + 1, kNobody);
    const auto pieces = [&](const Access &access) {
        return std::span(owners).subspan(access.begin / kArenaAlignment,
                                         (access.end - 1) / kArenaAlignment - access.begin / kArenaAlignment + 1);
    };
    for (const TensorId tensor : plan.plan.outside) {
        const std::size_t buffer = plan.tensor(tensor).index;
        const std::size_t begin = plan.plan.arena.offsets[buffer];
        std::ranges::fill(pieces({0, true, buffer, begin, begin + plan.plan.buffers[buffer].bytes, {}}), buffer);
    }
    for (const LaunchStep &step : plan.launches.steps) {
        if (step.kind != LaunchStep::Kind::Run)
            continue;
        for (const bool writes : {false, true}) {
            for (const Access &access : accesses[step.item]) {
                if (access.writes != writes)
                    continue;
                if (access.end > plan.plan.arena.bytes)
                    return name(plan, step.item) + " reaches behind the arena";
                if (writes)
                    std::ranges::fill(pieces(access), access.buffer);
                else if (std::ranges::any_of(pieces(access), [&](std::size_t owner) { return owner != access.buffer; }))
                    return name(plan, step.item) + " reads what was never written or is overwritten";
            }
        }
    }
    return {};
}

} // namespace

QString violation(const ProgramPlan &plan, const GpuOptions &options)
{
    std::vector<std::vector<Access>> accesses;
    for (std::size_t task = 0; task < plan.tasks.size(); ++task)
        accesses.push_back(accessesOf(plan, task, options.precision));
    const QString first = unordered(plan, accesses);
    return first.isEmpty() ? stale(plan, accesses) : first;
}

} // namespace stagecraft::test
