#include "flow/co_run.h"

#include "flow/find_schedule.h"
#include "flow/open_model.h"
#include "schedule/verify.h"
#include "search/infinity.h"
#include "search/stages/baselines.h"
#include "search/streams/allocated.h"
#include "search/streams/relaxed.h"
#include "search/union/streams_beside.h"
#include "support/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

// Plans on the front of stages that are timed as wholes, too.
constexpr std::size_t kExactFront = 16;
constexpr std::size_t kNoisyFront = 2;
constexpr double kSeconds = 6;

// Cuts stages into blocks, as few as there can be.
Blocks blocksOf(std::vector<Stage> &stages)
{
    Blocks blocks;
    for (Stage &stage : stages) {
        if (blocks.empty() || blocks.back().operators.size() + stage.operatorCount() > kMaxBlockOperators)
            blocks.emplace_back();
        stage.block = blocks.size() - 1;
        for (const auto &group : stage.groups)
            blocks.back().operators.insert(blocks.back().operators.end(), group.begin(), group.end());
    }
    for (Block &block : blocks)
        std::ranges::sort(block.operators);
    return blocks;
}

std::vector<Stage> stagesIn(const UnionPart &part, std::vector<Stage> stages)
{
    for (Stage &stage : stages) {
        stage.block = 0;
        for (auto &group : stage.groups)
            std::ranges::transform(group, group.begin(), [&](OperatorId id) { return part.idOf(id); });
        std::ranges::transform(stage.launchOrder, stage.launchOrder.begin(),
                               [&](OperatorId id) { return part.idOf(id); });
    }
    return stages;
}

std::string strategyOf(CoRunKind kind)
{
    return "co-run " + std::string(toString(kind));
}

class Planning {
public:
    Planning(std::span<const Model> models, Model both, const CoRunSessions &sessions, const DeviceInfo &device,
             const CoRunRequest &request, const CoRunCallbacks &callbacks, const std::stop_token &stop)
        : m_models(models), m_sessions(sessions), m_device(device), m_request(request), m_callbacks(callbacks),
          m_stop(stop)
    {
        m_found.both = std::move(both);
    }

    Result<CoRunPlans> plan()
    {
        TRY(checkDevice());
        TRY(findAlone());
        TRY(addBaselines());
        TRY(addStages());
        TRY(addStreams());
        TRY(timeInRounds());
        for (CoRunPlan &plan : m_found.plans)
            plan.parts = scheduleTimeParts(plan.schedule, *plan.timeline);
        markFront();
        TRY(choose());
        TRY(addMemory());
        if (!m_found.plan().schedule.streams)
            m_found.both.blocks = blocksOf(m_found.plans[m_found.chosen].schedule.stages);
        TRY(verifySchedule(graph(), m_found.both.blocks, m_found.plan().schedule));
        m_found.isStopped = m_stop.stop_requested();
        return std::move(m_found);
    }

private:
    [[nodiscard]] const Graph &graph() const { return *m_found.both.graph; }
    [[nodiscard]] DeviceSession &both() const { return *m_sessions.both; }
    [[nodiscard]] const std::string &nameOf(std::size_t model) const { return m_found.both.parts[model].name; }

    [[nodiscard]] Result<void> checkDevice() const
    {
        if (m_device.provenance == Provenance::Recorded)
            return fail(ErrorCode::WrongUse, m_device.id + " has recorded stages of one model, and none that two share",
                        "Use a simulated device or one that measures");
        if (!both().measuresStages())
            return fail(ErrorCode::WrongUse,
                        m_device.id + " measures whole schedules of one model: it has no latencies of stages",
                        "Use a simulated device, cpu or a GPU of this program (gpu:0)");
        return {};
    }

    Result<void> findAlone()
    {
        for (std::size_t i = 0; i < kUnionModels; ++i) {
            const SearchRequest request{.kind = ScheduleKind::IosBoth, .options = m_request.alone};
            auto found = findSchedule(m_models[i], *m_sessions.own[i], m_device, request,
                                      {.search = m_callbacks.alone[i]}, m_stop);
            if (!found)
                return withinModel(m_models[i], std::move(found.error()));
            m_found.alone[i] = std::move(*found);
        }
        if (m_stop.stop_requested())
            return fail(ErrorCode::Cancelled, "the search was cancelled before both models had a schedule alone");
        for (std::size_t i = 0; i < kUnionModels; ++i) {
            m_own[i] = stagesIn(m_found.both.parts[i], m_found.alone[i].schedule.stages);
            if (!m_found.noStreams)
                TRY(findStreamsAlone(i));
        }
        return {};
    }

    // Of the stages, without their barriers, and, where latencies are exact, searched for. They are the schedule of the
    // model alone where they are faster.
    Result<void> findStreamsAlone(std::size_t i)
    {
        const Model &model = m_models[i];
        FoundSchedule found;
        m_streams[i] = relaxedStreams(*model.graph, m_found.alone[i].schedule.stages);
        found.schedule.streams = m_streams[i];
        found.schedule.context = m_found.alone[i].schedule.context;
        found.schedule.search.strategy = toString(StreamKind::IosRelaxed);
        const auto measured = measureInto(found.schedule, model, *m_sessions.own[i], m_device, {});
        if (!measured && measured.error().code == ErrorCode::WrongUse) {
            m_found.noStreams = measured.error();
            return {};
        }
        TRY(measured);
        if (!m_sessions.own[i]->isNoisy()) {
            const StreamsWanted wanted{.from = m_streams[i]};
            TRY_AS(found, findStreams(model, *m_sessions.own[i], m_device, wanted, timeForStreams(), {}, {},
                                      m_callbacks.streams, m_stop));
            m_streams[i] = *found.schedule.streams;
        }
        if (found.schedule.latencyUs() < m_found.alone[i].schedule.latencyUs())
            m_found.alone[i] = std::move(found);
        return {};
    }

    [[nodiscard]] SearchOptions timeForStreams() const
    {
        SearchOptions options;
        options.maxSeconds = m_request.maxSeconds.value_or(kSeconds);
        return options;
    }

    Result<void> add(CoRunKind kind, std::string variant, Schedule schedule)
    {
        CoRunPlan plan{.kind = kind, .variant = std::move(variant)};
        static_cast<Schedule &>(plan.schedule) = std::move(schedule);
        plan.schedule.context.model = m_found.both.reference();
        plan.schedule.context.batch = graph().batch();
        plan.schedule.search.strategy = strategyOf(kind);
        const auto isSame = [&](const CoRunPlan &other) { return hasSameOrder(other.schedule, plan.schedule); };
        if (std::ranges::any_of(m_found.plans, isSame))
            return {};
        TRY(measureInto(plan.schedule, m_found.both, both(), m_device, {}));
        TRY_AS(auto timeline, both().timeline(plan.schedule, {}));
        plan.endsUs = endsOfModels(m_found.both.parts, timeline, plan.latencyUs());
        plan.timeline = std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(std::move(timeline)));
        m_found.plans.push_back(std::move(plan));
        return {};
    }

    // The fastest order of one model after the other comes first: others are held against it.
    Result<void> addBaselines()
    {
        TRY(addOneAfterAnother());
        std::ranges::stable_sort(m_found.plans, {}, &CoRunPlan::latencyUs);
        if (m_found.noStreams)
            return {};
        return add(CoRunKind::SideBySide, {}, Schedule{.streams = sideBySide()});
    }

    Result<void> addOneAfterAnother()
    {
        for (const std::size_t first : {0U, 1U}) {
            std::vector<Stage> stages = m_own[first];
            stages.insert(stages.end(), m_own[1 - first].begin(), m_own[1 - first].end());
            TRY(add(CoRunKind::OneAfterAnother, nameOf(first) + " first", Schedule{.stages = std::move(stages)}));
        }
        const bool areStages =
            std::ranges::none_of(m_found.alone, [](const auto &own) { return own.schedule.streams.has_value(); });
        for (std::size_t first = 0; first < kUnionModels && !areStages; ++first)
            TRY(add(CoRunKind::OneAfterAnother, nameOf(first) + " first, in streams",
                    Schedule{.streams = streamsInSuccession(m_found.both.parts, ownStreams(), first)}));
        return {};
    }

    [[nodiscard]] std::array<StreamsOfPart, kUnionModels> ownStreams() const
    {
        return ofEach([this](std::size_t i) { return m_streams[i]; });
    }

    [[nodiscard]] std::array<StreamsOfPart, kUnionModels> ofEach(const auto &streamsOf) const
    {
        std::array<StreamsOfPart, kUnionModels> own;
        for (std::size_t i = 0; i < kUnionModels; ++i)
            own[i] = {streamsOf(i), m_found.aloneUs(i)};
        return own;
    }

    [[nodiscard]] Streams sideBySide() const
    {
        const auto onOne = [&](std::size_t i) {
            const Graph &own = *m_models[i].graph;
            return allocated(own, fileOrder(own), std::vector<std::uint32_t>(own.size(), 0));
        };
        return streamsBeside(graph(), m_found.both.parts, ofEach(onOne), LaunchTurns::Alternating);
    }

    Result<void> addStages()
    {
        const UnionOptions options{.assumesPartsBound = both().isNoisy(),
                                   .interrupt = Interrupt(m_stop, m_request.maxSeconds),
                                   .onProgress = m_callbacks.stages};
        TRY_AS(m_found.overBoth, searchUnionStages(graph(), m_own, both(), options));
        TRY(add(CoRunKind::Stages, {}, Schedule{.stages = m_found.overBoth.best.stages}));
        const auto &front = m_found.overBoth.front;
        const std::size_t most = std::min(front.size(), both().isNoisy() ? kNoisyFront : kExactFront);
        for (std::size_t i = 0; i < most; ++i) {
            const std::size_t which = most == 1 ? 0 : i * (front.size() - 1) / (most - 1);
            TRY(add(CoRunKind::Stages, fmt::format("{} of {} on the front", which + 1, front.size()),
                    Schedule{.stages = front[which].stages}));
        }
        return {};
    }

    Result<void> addStreams()
    {
        if (m_found.noStreams)
            return {};
        const auto own = ownStreams();
        const std::size_t before = m_found.plans.size();
        std::vector<std::pair<LaunchTurns, std::string>> orders{{LaunchTurns::AsAlone, "each model's own"}};
        if (!both().isNoisy()) { // a thread that launches in one order; cores take launches as they can
            orders.emplace_back(LaunchTurns::FirstBefore, nameOf(0) + " launched first");
            orders.emplace_back(LaunchTurns::SecondBefore, nameOf(1) + " launched first");
        }
        for (const auto &[turns, variant] : orders)
            TRY(add(CoRunKind::Streams, variant,
                    Schedule{.streams = streamsBeside(graph(), m_found.both.parts, own, turns)}));
        TRY(add(CoRunKind::Streams, "of the stages over both",
                Schedule{.streams = relaxedStreams(graph(), m_found.overBoth.best.stages)}));
        if (m_stop.stop_requested())
            return {};
        const auto byLatency = [](const CoRunPlan &plan) {
            return plan.schedule.streams ? plan.latencyUs() : kInfinity;
        };
        const CoRunPlan &start = *std::ranges::min_element(m_found.plans, {}, byLatency);
        const StreamsWanted wanted{.from = start.schedule.streams};
        TRY_AS(auto searched, findStreams(m_found.both, both(), m_device, wanted, timeForStreams(), {}, {},
                                          m_callbacks.streams, m_stop));
        m_found.streams = std::move(searched.streams);
        m_found.streams->schedulesTimed += static_cast<std::int64_t>(m_found.plans.size() - before);
        return add(CoRunKind::Streams, {}, searched.schedule);
    }

    // Where latencies carry noise: all plans and each model alone, in the same rounds.
    Result<void> timeInRounds()
    {
        const std::size_t plans = m_found.plans.size();
        if (!both().isNoisy() || m_request.rounds == 0 || m_stop.stop_requested()) {
            for (CoRunPlan &plan : m_found.plans)
                plan.against =
                    comparedExactly(std::array{m_found.plans.front().latencyUs(), plan.latencyUs()}).back().against;
            return {};
        }
        const auto measure = [&](std::size_t which) -> Result<ScheduleLatency> {
            if (which < plans)
                return both().measureWhole(m_found.plans[which].schedule, m_stop);
            return m_sessions.own[which - plans]->measureWhole(m_found.alone[which - plans].schedule, m_stop);
        };
        const auto times = measureInRounds(plans + kUnionModels, measure, m_request.rounds, m_callbacks.rounds);
        if (!times && times.error().code == ErrorCode::Cancelled)
            return {};
        TRY(times);
        for (std::size_t i = 0; i < plans; ++i) {
            CoRunPlan &plan = m_found.plans[i];
            const double scale = (*times)[i].timing.latencyUs / plan.latencyUs();
            for (double &us : plan.endsUs)
                us *= scale;
            plan.schedule.measured.whole = (*times)[i].timing;
            plan.against = (*times)[i].against;
        }
        for (std::size_t i = 0; i < kUnionModels; ++i)
            m_found.alone[i].schedule.measured.whole = (*times)[plans + i].timing;
        m_found.rounds = m_request.rounds;
        return {};
    }

    void markFront()
    {
        for (CoRunPlan &plan : m_found.plans) {
            const auto isBetter = [&](const CoRunPlan &other) {
                return other.endsUs != plan.endsUs && other.endsUs[0] <= plan.endsUs[0] &&
                       other.endsUs[1] <= plan.endsUs[1];
            };
            plan.isOnFront = std::ranges::none_of(m_found.plans, isBetter);
        }
    }

    Result<void> choose()
    {
        const auto indexOf = [&](const auto &least) {
            return static_cast<std::size_t>(std::ranges::min_element(m_found.plans, {}, least) - m_found.plans.begin());
        };
        if (!m_request.deadline) {
            m_found.chosen = indexOf([](const CoRunPlan &plan) { return plan.latencyUs(); });
            return {};
        }
        const auto [model, us] = *m_request.deadline;
        m_found.chosen = indexOf([&, model = model, us = us](const CoRunPlan &plan) {
            if (plan.endsUs[model] > us)
                return kInfinity;
            return plan.endsUs[1 - model];
        });
        if (m_found.plan().endsUs[model] <= us)
            return {};
        const std::size_t first = indexOf([&, model = model](const CoRunPlan &plan) { return plan.endsUs[model]; });
        return within(nameOf(model),
                      refused(fmt::format("no plan has its result within {}: the one that has it first takes {}, and "
                                          "alone it takes {}",
                                          plainLatency(us), plainLatency(m_found.plans[first].endsUs[model]),
                                          plainLatency(m_found.aloneUs(model))),
                              m_found.aloneUs(model) > us
                                  ? "Give it more time than it takes alone, a smaller batch or a faster device"
                                  : "Give it more time, or the other model a smaller batch")
                          .value());
    }

    Result<void> addMemory()
    {
        const auto memoryOf = [&](const CoRunPlan &plan) {
            return memoryOfSchedule(m_found.both, plan.schedule, m_device, both(), {});
        };
        TRY_AS(m_found.memory, memoryOf(m_found.plan()));
        TRY_AS(m_found.memoryOneAfterAnother, memoryOf(m_found.plans.front()));
        return {};
    }

    std::span<const Model> m_models;
    const CoRunSessions &m_sessions;
    const DeviceInfo &m_device;
    const CoRunRequest &m_request;
    const CoRunCallbacks &m_callbacks;
    const std::stop_token &m_stop;
    std::array<std::vector<Stage>, kUnionModels> m_own; // of the union
    std::array<Streams, kUnionModels> m_streams;        // of each model's own graph
    CoRunPlans m_found;
};

} // namespace

std::string_view toString(CoRunKind kind)
{
    switch (kind) {
    case CoRunKind::OneAfterAnother: return "one-after-another";
    case CoRunKind::SideBySide: return "side-by-side";
    case CoRunKind::Stages: return "stages";
    case CoRunKind::Streams: break;
    }
    return "streams";
}

std::string nameOf(const CoRunPlan &plan)
{
    const std::string kind = plan.kind == CoRunKind::OneAfterAnother ? "one after another"
                             : plan.kind == CoRunKind::SideBySide    ? "side by side, no plan"
                                                                     : std::string(toString(plan.kind));
    return plan.variant.empty() ? kind : fmt::format("{}, {}", kind, plan.variant);
}

std::string inTurnStrategy()
{
    return strategyOf(CoRunKind::OneAfterAnother);
}

std::array<double, kUnionModels> endsOfModels(std::span<const UnionPart> parts, const Timeline &timeline,
                                              double latencyUs)
{
    std::array<double, kUnionModels> endsUs{latencyUs, latencyUs};
    for (std::size_t i = 0; i < kUnionModels && timeline.durationNs > 0; ++i) {
        std::int64_t endNs = 0;
        for (const KernelSpan &kernel : timeline.kernels) {
            const auto isOwn = [&](OperatorId id) { return parts[i].contains(id); };
            if (std::ranges::any_of(kernel.operators, isOwn))
                endNs = std::max(endNs, kernel.endNs);
        }
        if (endNs > 0)
            endsUs[i] = latencyUs * static_cast<double>(endNs) / static_cast<double>(timeline.durationNs);
    }
    return endsUs;
}

Result<CoRunPlans> coRun(std::span<const Model> models, Model both, const CoRunSessions &sessions,
                         const DeviceInfo &device, const CoRunRequest &request, const CoRunCallbacks &callbacks,
                         const std::stop_token &stop)
{
    return Planning(models, std::move(both), sessions, device, request, callbacks, stop).plan();
}

QueueAnswer queueOf(const CoRunPlans &found, const QueueArrivals &arrivals, bool isTogether)
{
    QueueService service{.aloneUs = {found.aloneUs(0), found.aloneUs(1)}};
    if (isTogether)
        service.together = {found.plan().latencyUs(), found.plan().endsUs};
    return simulateQueue(service, arrivals);
}

} // namespace stagecraft
