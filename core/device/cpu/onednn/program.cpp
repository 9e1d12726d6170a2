#include "device/cpu/onednn/program.h"

#include "device/cpu/onednn/bound_stage.h"
#include "device/cpu/onednn/fused_stage.h"
#include "device/cpu/onednn/raised_flags.h"
#include "plan/stream_plan.h"
#include "schedule/launched_groups.h"
#include "schedule/streams/stream_parts.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <omp.h>

namespace stagecraft::cpu {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeArena {
    void operator()(void *memory) const { std::free(memory); }
};

} // namespace

struct Program::State {
    std::shared_ptr<const Graph> graph;
    dnnl::engine engine;
    plan::Plan plan;
    std::vector<Place> places; // by TensorId; only those of the stages
    std::unique_ptr<std::byte[], FreeArena> arena;
    std::vector<BoundStage> stages;
    std::vector<dnnl::stream> streams; // by lane
    std::shared_ptr<RunState> state;
    mutable std::atomic<bool> failed = false; // set by any lane
    bool poisonsFreed = false;
    bool hasStreams = false;
    std::vector<std::size_t> usersLeft; // of streams that poison, by buffer: launches to come

    [[nodiscard]] float *pointer(const Place &place) const
    {
        return reinterpret_cast<float *>(arena.get() + plan.arena.offsets[place.buffer] + place.offsetBytes);
    }

    [[nodiscard]] BoundStep bind(Step step) const
    {
        BoundStep bound{std::move(step.primitive), std::move(step.later), std::move(step.host), {}, {}, {}, {}};
        bound.memories.reserve(step.arguments.size());
        for (Argument &argument : step.arguments) {
            if (bound.host) {
                bound.pointers.push_back(pointer(argument.place));
            } else if (argument.constant) {
                bound.arguments.push_back({argument.index, argument.constant->get()});
                bound.constants.push_back(std::move(argument.constant));
            } else {
                bound.memories.emplace_back(argument.place.desc, engine, pointer(argument.place));
                bound.arguments.push_back({argument.index, bound.memories.back().get()});
            }
        }
        return bound;
    }

    [[nodiscard]] std::vector<BoundOperator> bind(std::vector<OperatorSteps> operators) const
    {
        std::vector<BoundOperator> bound;
        for (OperatorSteps &op : operators) {
            BoundOperator &last = bound.emplace_back();
            for (Step &step : op.steps)
                last.steps.push_back(bind(std::move(step)));
            for (Step &step : op.careful)
                last.careful.push_back(bind(std::move(step)));
            last.what.operators = std::move(op.operators);
        }
        return bound;
    }

    void bind(BoundUnits &units, FusedSteps steps, bool &mayLoseAny) const
    {
        units.program = std::move(steps.program);
        units.shares = std::move(steps.shares);
        for (std::vector<OperatorSteps> &rTasks : steps.rTasks) {
            units.rTasks.push_back(bind(std::move(rTasks)));
            mayLoseAny = mayLoseAny || mayLose(units.rTasks.back());
        }
        units.run = std::make_unique<RProgramRun>(units.program);
    }

    [[nodiscard]] dnnl::memory memoryOf(TensorId tensor) const
    {
        const Place &place = places[tensor.index()];
        return {place.desc, engine, pointer(place)};
    }

    void poison(std::size_t buffer) const
    {
        constexpr int kNotANumber = 0xFF; // every byte of a quiet NaN
        std::memset(arena.get() + plan.arena.offsets[buffer], kNotANumber, plan.buffers[buffer].bytes);
    }

    void poisonFreedAfter(std::size_t stage) const
    {
        for (std::size_t i = 0; i < plan.buffers.size() && stage + 1 < stages.size(); ++i) {
            if (plan.buffers[i].lastStage == stage)
                poison(i);
        }
    }

    void countUsers()
    {
        usersLeft.clear();
        for (const plan::BufferUse &use : plan.streamBuffers.uses)
            usersLeft.push_back(use.launches.size());
    }

    void poisonFreedByLaunch(std::size_t launch)
    {
        const auto &uses = plan.streamBuffers.uses;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            if (!uses[i].isToEnd && std::ranges::binary_search(uses[i].launches, launch) && --usersLeft[i] == 0)
                poison(i);
        }
    }

    void run(const BoundOperator &op, std::size_t lane, bool carefully) const
    {
        for (const BoundStep &step : carefully && !op.careful.empty() ? op.careful : op.steps)
            step.run(streams[lane], failed);
    }

    void run(const Turn &turn, bool carefully) const
    {
        for (const BoundOperator &op : turn.operators)
            run(op, turn.lane, carefully);
    }

    void run(const BoundStage &stage, LaneTeam &team, bool carefully) const
    {
        if (stage.units) {
            const BoundUnits &units = *stage.units;
            units.forEachRTask(team,
                               [&](std::size_t unit, const RTask &task) { run(units.at(task), unit, carefully); });
            return;
        }
        forEachTurn(stage, team, [&](const Turn &turn) { run(turn, carefully); });
    }

    // Where a value turns out to be no number, the stage runs again with the steps that keep it: what it reads is still
    // there.
    void runForValues(const BoundStage &stage, LaneTeam &team) const
    {
        team.run(stage.widths, [](std::size_t) { clearFlags(); });
        run(stage, team, false);
        std::atomic<bool> raised = false;
        team.run(stage.widths, [&](std::size_t) {
            if (hasRaisedFlags())
                raised.store(true, std::memory_order_relaxed);
        });
        if (raised)
            run(stage, team, true);
    }

    // The same, launch by launch: what one reads may be gone when its part has ended.
    void runStreams(const BoundStage &part, LaneTeam &team)
    {
        const auto launch = [&](const Turn &turn) {
            const bool isForValues = mayLose(turn.operators);
            if (isForValues)
                clearFlags();
            run(turn, false);
            if (isForValues && hasRaisedFlags())
                run(turn, true);
        };
        forEachTurn(part, team, launch, [&](const BoundGroup &group) {
            if (poisonsFreed)
                poisonFreedByLaunch(group.launch);
        });
    }

    // Calls visit(turn) for every group, on the lanes of the stage. Of streams also ended(group), for one at a time,
    // before any that waits for it is visited.
    template <typename Visit, typename Ended>
    void forEachTurn(const BoundStage &stage, LaneTeam &team, const Visit &visit, const Ended &ended) const
    {
        if (stage.queue) {
            forEachTurnOfQueue(stage, team, visit, ended);
            return;
        }
        std::atomic<std::size_t> next = stage.widths.size(); // a lane starts with the group of its own number
        team.run(stage.widths, [&](std::size_t lane) {
            for (std::size_t i = lane; i < stage.groups.size(); i = next.fetch_add(1, std::memory_order_relaxed)) {
                visit(stage.turnOf(i, lane));
                if (hasStreams)
                    ended(stage.groups[i]);
            }
        });
    }
    template <typename Visit>
    void forEachTurn(const BoundStage &stage, LaneTeam &team, const Visit &visit) const
    {
        forEachTurn(stage, team, visit, [](const BoundGroup &) {});
    }

    template <typename Visit, typename Ended>
    void forEachTurnOfQueue(const BoundStage &stage, LaneTeam &team, const Visit &visit, const Ended &ended) const
    {
        LaunchQueue &queue = *stage.queue;
        const auto take = [&](std::size_t launch, const Turn &turn) {
            visit(turn);
            queue.done(launch, [&] { ended(turn.group); });
        };
        queue.begin();
        while (!queue.isEmpty()) {
            if (const auto only = queue.takeOnlyOne()) {
                const Turn turn = stage.turnOnAllCores(*only);
                team.run({&turn.width, 1}, [&](std::size_t) { take(*only, turn); });
                continue;
            }
            team.run(stage.widths, [&](std::size_t lane) {
                while (const auto next = queue.take())
                    take(*next, stage.turnOf(*next, lane));
            });
        }
    }

    // Fills the spans by unit.
    void traceUnits(std::size_t index, Clock::time_point start, LaneTeam &team,
                    std::vector<std::vector<TraceSpan>> &byUnit) const
    {
        const BoundUnits &units = *stages[index].units;
        for (auto &spans : byUnit)
            spans.reserve(spans.size() + units.program.rOperators.size() * streams.size());
        units.forEachRTask(team, [&](std::size_t unit, const RTask &task) {
            const BoundOperator &op = units.at(task);
            const auto opStart = Clock::now() - start;
            run(op, unit, false);
            const double share = units.shares[task.rOperator] /
                                 static_cast<double>(units.program.rOperators[task.rOperator].rKernel().rTasks);
            byUnit[unit].push_back(
                {&op.what, index, unit, unit, 1, share, opStart, Clock::now() - start, task.rOperator});
        });
    }

    // The parts of a schedule, without what they execute.
    void addStages(std::span<const Stage> all, int cores)
    {
        for (std::size_t i = 0; i < all.size(); ++i) {
            BoundStage &stage = stages.emplace_back();
            if (all[i].isFused()) {
                stage.widths.assign(static_cast<std::size_t>(cores), 1);
                stage.units = std::make_unique<BoundUnits>();
                continue;
            }
            stage.widths = laneWidths(all[i].concurrentGroups(), cores);
            std::vector<bool> isThere(plan.stages[i].groups.size(), false);
            for (const GroupLaunch &launch : launchesOf(all[i])) {
                const std::size_t group = all[i].isMerged() ? 0 : launch.group;
                if (!isThere[group])
                    stage.groups.push_back({group, i, {}});
                isThere[group] = true;
            }
            stage.isOrdered = !all[i].launchOrder.empty();
        }
    }

    void addParts(const Streams &all, int cores)
    {
        hasStreams = true;
        for (const StreamPart &part : partsOf(all)) {
            BoundStage &stage = stages.emplace_back();
            stage.isOrdered = true;
            stage.widths = laneWidths(part.isSideBySide ? part.streams : 1, cores);
            for (const std::size_t launch : part.launches)
                stage.groups.push_back({all.launches[launch].stream, launch, {}});
            if (part.isSideBySide)
                stage.queue = std::make_unique<LaunchQueue>(waitersIn(part, all));
        }
    }
};

Program::Program() : m_state(std::make_unique<State>()) {}

Program::~Program() = default;

Result<std::unique_ptr<Program>> Program::compile(EmitContext &context, const Schedule &schedule, int cores)
{
    std::unique_ptr<Program> program(new Program);
    State &state = *program->m_state;
    state.graph = context.graph;
    state.engine = context.engine;
    state.state = context.state;
    TRY_AS(auto planned, schedule.streams
                             ? plan::planStreams(*context.graph, context.tensors, *schedule.streams, inputFormOf)
                             : plan::planStages(*context.graph, context.tensors, schedule.stages, inputFormOf));
    state.plan = std::move(planned);
    for (const auto &view : state.plan.tensors)
        state.places.push_back(view ? placeOf(*view) : Place{});
    for (int lane = 0; lane < cores; ++lane)
        state.streams.emplace_back(state.engine);
    if (schedule.streams)
        state.addParts(*schedule.streams, cores);
    else
        state.addStages(schedule.stages, cores);

    // The steps of a group for lanes of a width.
    const auto emit = [&](const BoundGroup &bound, int width) -> Result<GroupSteps> {
        omp_set_num_threads(width); // a primitive is created for the number of threads that will run it
        const auto &groups = state.plan.stages[bound.launch].groups;
        const plan::GroupPlan &group = schedule.streams ? groups.front() : groups[bound.index];
        Emitter emitter(context, state.places, plan::GroupScratch(state.plan, group));
        for (const plan::OperatorTasks &op : group.operators) {
            if (const auto done = emitter.emit(op); !done) {
                omp_set_num_threads(cores);
                return tl::unexpected(done.error());
            }
        }
        return emitter.take();
    };
    struct Emitted {
        GroupSteps onLane;
        GroupSteps onAllCores;
    };
    std::vector<std::vector<Emitted>> emitted(state.stages.size());
    std::vector<FusedSteps> fused(state.stages.size());
    for (std::size_t i = 0; i < state.stages.size(); ++i) {
        if (state.stages[i].units) {
            omp_set_num_threads(1);
            auto made = emitFused(context, state.places, state.plan, state.plan.stages[i], cores);
            omp_set_num_threads(cores);
            TRY(made);
            fused[i] = *std::move(made);
        }
        for (const BoundGroup &group : state.stages[i].groups) {
            Emitted &made = emitted[i].emplace_back();
            TRY_AS(made.onLane, emit(group, state.stages[i].widths.back()));
            if (state.stages[i].queue) {
                TRY_AS(made.onAllCores, emit(group, cores));
            }
        }
    }
    omp_set_num_threads(cores);
    context.preparing({});

    plan::arrangeArena(state.plan);
    const std::size_t bytes = std::max(state.plan.arena.bytes, kBufferAlignment);
    state.arena.reset(static_cast<std::byte *>(std::aligned_alloc(kBufferAlignment, bytes)));
    if (!state.arena)
        return fail(ErrorCode::DeviceFailed,
                    "there is not enough memory for " + std::to_string(bytes >> 20U) + " MiB of tensors",
                    "use a smaller batch");
    std::memset(state.arena.get(), 0, bytes);
    for (std::size_t i = 0; i < state.stages.size(); ++i) {
        BoundStage &stage = state.stages[i];
        for (std::size_t k = 0; k < stage.groups.size(); ++k) {
            BoundGroup &group = stage.groups[k];
            Emitted &made = emitted[i][k];
            group.flops = made.onLane.flops;
            group.operators = state.bind(std::move(made.onLane.operators));
            group.onAllCores = state.bind(std::move(made.onAllCores.operators));
            stage.mayLose = stage.mayLose || mayLose(group.operators);
        }
        if (stage.units)
            state.bind(*stage.units, std::move(fused[i]), stage.mayLose);
        if (!stage.isOrdered)
            std::ranges::stable_sort(stage.groups, std::ranges::greater{}, &BoundGroup::flops);
    }
    return program;
}

std::vector<std::vector<std::size_t>> Program::workspaceBytes() const
{
    return m_state->plan.workspaceBytes();
}

Result<void> Program::run(LaneTeam &team)
{
    State &state = *m_state;
    state.state->begin();
    if (state.poisonsFreed)
        state.countUsers();
    for (std::size_t index = 0; index < state.stages.size(); ++index) {
        const BoundStage &stage = state.stages[index];
        if (state.hasStreams) {
            state.runStreams(stage, team);
            continue;
        }
        if (stage.mayLose)
            state.runForValues(stage, team);
        else
            state.run(stage, team, false);
        if (state.poisonsFreed)
            state.poisonFreedAfter(index);
    }
    if (state.failed)
        return fail(ErrorCode::DeviceFailed, "oneDNN failed during the run");
    if (auto error = state.state->error())
        return tl::unexpected(std::move(*error));
    return {};
}

void Program::poisonFreed()
{
    m_state->poisonsFreed = true;
}

Trace Program::trace(LaneTeam &team)
{
    const State &state = *m_state;
    std::vector<std::vector<TraceSpan>> byLane(state.streams.size());
    for (auto &spans : byLane)
        spans.reserve(state.graph->size()); // no allocation while timing
    Trace trace;
    trace.stages.reserve(state.stages.size());
    const Clock::time_point start = Clock::now();
    for (std::size_t index = 0; index < state.stages.size(); ++index) {
        const BoundStage &stage = state.stages[index];
        const auto stageStart = Clock::now() - start;
        if (stage.units) {
            state.traceUnits(index, start, team, byLane);
            trace.fused.emplace_back(index, &stage.units->program);
        }
        state.forEachTurn(stage, team, [&](const Turn &turn) {
            for (const BoundOperator &op : turn.operators) {
                const auto opStart = Clock::now() - start;
                for (const BoundStep &step : op.steps)
                    step.run(state.streams[turn.lane], state.failed);
                byLane[turn.lane].push_back({&op.what, state.hasStreams ? std::nullopt : std::optional(index),
                                             turn.group.index, turn.thread, turn.width, 1.0, opStart,
                                             Clock::now() - start});
            }
        });
        if (!state.hasStreams)
            trace.stages.emplace_back(stageStart, Clock::now() - start);
    }
    trace.duration = Clock::now() - start;
    for (const auto &spans : byLane)
        trace.spans.insert(trace.spans.end(), spans.begin(), spans.end());
    return trace;
}

std::span<const TensorId> Program::outside() const
{
    return m_state->plan.outside;
}

void Program::write(TensorId tensor, std::span<const std::byte> bytes)
{
    const Place &place = m_state->places[tensor.index()];
    std::ranges::copy(bytes, reinterpret_cast<std::byte *>(m_state->pointer(place)));
}

std::vector<std::byte> Program::readBytes(TensorId tensor) const
{
    const Tensor &what = m_state->graph->tensor(tensor);
    const auto *from = reinterpret_cast<const std::byte *>(m_state->pointer(m_state->places[tensor.index()]));
    Shape shape = what.shape;
    shape.dims = dims(tensor);
    return {from, from + shape.elements() * sizeBytes(what.type)};
}

std::vector<std::int64_t> Program::dims(TensorId tensor) const
{
    return m_state->state->dims(tensor).value_or(m_state->graph->tensor(tensor).shape.dims);
}

void Program::write(TensorId tensor, std::span<const float> values)
{
    if (values.empty())
        return;
    dnnl::memory to = m_state->memoryOf(tensor);
    // oneDNN takes a pointer to mutable data and only reads it here.
    dnnl::memory from(plainDesc(to.get_desc().dims()), m_state->engine, const_cast<float *>(values.data()));
    dnnl::reorder(from, to).execute(m_state->streams.front(), from, to);
}

std::vector<float> Program::read(TensorId tensor) const
{
    if (const auto dims = m_state->state->dims(tensor)) { // those lie row-major
        const float *from = m_state->pointer(m_state->places[tensor.index()]);
        return {from, from + Shape{*dims}.elements()};
    }
    if (m_state->graph->tensor(tensor).shape.elements() == 0)
        return {};
    dnnl::memory from = m_state->memoryOf(tensor);
    const Desc plain = plainDesc(from.get_desc().dims());
    std::vector<float> values(plain.get_size() / sizeof(float));
    dnnl::memory to(plain, m_state->engine, values.data());
    dnnl::reorder(from, to).execute(m_state->streams.front(), from, to);
    return values;
}

} // namespace stagecraft::cpu
