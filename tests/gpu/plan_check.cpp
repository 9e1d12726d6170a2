#include "plan_check.h"

#include "accesses.h"

#include <algorithm>
#include <array>
#include <set>

namespace stagecraft::test {
namespace {

using namespace gpu;

std::string kindOf(const Task &task)
{
    constexpr std::array kKinds{"convolution", "depthwise convolution", "pool", "elementwise", "softmax"};
    static_assert(kKinds.size() == std::variant_size_v<Work>);
    return kKinds[task.work.index()];
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
            if (conflict(accesses[earlier], accesses[later]))
                return name(plan, earlier) + " and " + name(plan, later) + " touch the same memory unordered";
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
        std::ranges::fill(pieces({true, buffer, begin, begin + plan.plan.buffers[buffer].bytes, {}}), buffer);
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
    accesses.reserve(plan.tasks.size());
    for (const Task &task : plan.tasks)
        accesses.push_back(accessesOf(task, plan.plan, options.precision));
    const QString first = unordered(plan, accesses);
    return first.isEmpty() ? stale(plan, accesses) : first;
}

std::size_t freePairs(const ProgramPlan &plan)
{
    const std::vector<Stamp> stamps = stampsOf(plan);
    std::size_t pairs = 0;
    for (std::size_t later = 0; later < plan.tasks.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier)
            pairs += plan.tasks[earlier].stage != plan.tasks[later].stage &&
                     !isBefore(stamps[earlier], stamps[later]) && !isBefore(stamps[later], stamps[earlier]);
    }
    return pairs;
}

std::size_t edgesOf(const LaunchPlan &plan)
{
    std::vector<std::set<std::size_t>> frontiers(plan.streams);
    std::vector<std::set<std::size_t>> events(plan.events);
    std::size_t edges = 0;
    for (const LaunchStep &step : plan.steps) {
        std::set<std::size_t> &frontier = frontiers[step.stream];
        switch (step.kind) {
        case LaunchStep::Kind::Run:
            edges += frontier.size();
            frontier = {step.item};
            break;
        case LaunchStep::Kind::Record: events[step.item] = frontier; break;
        case LaunchStep::Kind::Wait: frontier.insert(events[step.item].begin(), events[step.item].end()); break;
        case LaunchStep::Kind::Synchronize: break;
        }
    }
    return edges;
}

} // namespace stagecraft::test
