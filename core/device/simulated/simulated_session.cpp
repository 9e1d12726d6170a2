#include "device/simulated/simulated_session.h"

#include "device/simulated/simulated_timeline.h"
#include "graph/cost_basis.h"
#include "graph/quantised.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/verify_streams.h"
#include "schedule/verify.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::uint32_t kMergeMark = 0xffffffff;
constexpr std::uint32_t kGroupMark = 0xfffffffe;
constexpr std::uint32_t kOrderMark = 0xfffffffd;
constexpr std::uint32_t kFusedMark = 0xfffffffc;

Tf32Use tf32UseOf(SimulatedPrecision precision)
{
    return {.convolutions = precision == SimulatedPrecision::Tf32Convolutions || precision == SimulatedPrecision::Tf32,
            .products = precision == SimulatedPrecision::Tf32};
}

std::vector<TimedROperator> timedROperators(const RProgram &program, const SmLimits &limits)
{
    std::vector<TimedROperator> timed;
    for (const ROperator &rOperator : program.rOperators) {
        TimedROperator &to = timed.emplace_back();
        to.op = rOperator.op;
        to.chosen = static_cast<std::uint32_t>(rOperator.chosen);
        for (const RKernel &rKernel : rOperator.rKernels) {
            const auto resident = static_cast<double>(std::max<std::int64_t>(1, residentUnits(limits, rKernel.needs)));
            to.rKernels.push_back({rKernel.name, rKernel.rTasks, rKernel.aloneNs,
                                   std::min(1.0, static_cast<double>(rKernel.rTasks) / resident)});
        }
    }
    return timed;
}

Error cancelled()
{
    return Error{ErrorCode::Cancelled, "the simulation was stopped", {}, {}};
}

} // namespace

std::size_t SimulatedSession::KeyHash::operator()(const StageKey &key) const noexcept
{
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a over words
    for (const std::uint32_t word : key)
        hash = (hash ^ word) * 0x100000001b3;
    return static_cast<std::size_t>(hash ^ (hash >> 29));
}

SimulatedSession::SimulatedSession(DeviceDescription device, SimulatedRun run, std::string deviceId,
                                   std::shared_ptr<const Graph> graph)
    : m_device(launching(std::move(device), run.launches)), m_deviceId(std::move(deviceId)), m_graph(std::move(graph)),
      m_arithmetic(arithmeticOn(*m_graph, run.precision)), m_tf32(tf32UseOf(run.precision)),
      m_lowering(m_device, m_tf32), m_limits(limitsOf(m_device)), m_scheduler(m_limits),
      m_fusedLowering(*m_graph, m_lowering, m_limits, m_arithmetic), m_unitScheduler(m_limits)
{
    // A device without a rate for integers computes all of them as real numbers, conversions included.
    const auto roles = m_device.int8FmaPerClockPerSm > 0 ? quantisedRoles(*m_graph) : std::vector<QuantisedRole>();
    for (std::size_t i = 0; i < m_graph->size(); ++i) {
        const QuantisedRole role = roles.empty() ? QuantisedRole::None : roles[i];
        if (role == QuantisedRole::Integers)
            m_arithmetic[i] = DataType::Int8;
        if (role == QuantisedRole::Conversion)
            m_fusedLowering.leaveOut(OperatorId::fromIndex(i));
        m_classOfOperator.push_back(classOf(
            role == QuantisedRole::Conversion ? Kernels()
                                              : m_lowering.lower(*m_graph, OperatorId::fromIndex(i), m_arithmetic[i])));
    }
    for (const Kernels &kernels : m_classes)
        m_needs.push_back(needsOf(kernels, m_device, m_limits));
}

std::uint32_t SimulatedSession::classOf(const Kernels &kernels)
{
    const auto found = std::ranges::find(m_classes, kernels);
    if (found == m_classes.end()) {
        m_classes.push_back(kernels);
        return static_cast<std::uint32_t>(m_classes.size() - 1);
    }
    return static_cast<std::uint32_t>(found - m_classes.begin());
}

double SimulatedSession::fmaPerClockPerSm() const
{
    const auto has = [&](DataType type) { return std::ranges::find(m_arithmetic, type) != m_arithmetic.end(); };
    double fastest = m_device.fp32FmaPerClockPerSm;
    if (has(DataType::Int8))
        fastest = std::max(fastest, m_device.int8FmaPerClockPerSm);
    if (has(DataType::Float16))
        fastest = std::max({fastest, m_device.fp16FmaPerClockPerSm, m_device.tensorFmaPerClockPerSm});
    if (m_tf32.convolutions && has(DataType::Float32))
        fastest = std::max(fastest, m_device.tf32FmaPerClockPerSm);
    return fastest;
}

// After a synchronisation the device waits for the first launch, usually a cuDNN call.
BoundaryCost SimulatedSession::boundaryCost() const
{
    return BoundaryCost{m_device.barrierUs + m_device.launchUs + m_device.cudnnCallUs, 0};
}

Result<void> SimulatedSession::check(const Stage &stage) const
{
    for (const auto &group : stage.groups) {
        for (const OperatorId id : group) {
            if (id.index() >= m_graph->size())
                return fail(ErrorCode::WrongUse, "the stage has an operator that this graph does not have");
        }
    }
    return {};
}

// Equal stages launch in the same order, however their operators are numbered: within a group, the ready operator whose
// kernels occur first in the graph comes first; groups are ordered in the same way. A stated order is kept.
std::vector<GroupLaunch> SimulatedSession::launchesOf(const Stage &stage) const
{
    if (stage.isMerged() || !stage.launchOrder.empty())
        return stagecraft::launchesOf(stage);
    struct Group {
        std::size_t place = 0; // in the stage: its stream
        std::vector<OperatorId> operators;
    };
    std::vector<Group> groups;
    for (const auto &group : stage.groups)
        groups.push_back({groups.size(), group});
    const auto kernelClass = [&](OperatorId id) { return std::pair(m_classOfOperator[id.index()], id); };
    for (auto &[place, group] : groups) {
        for (std::size_t done = 0; done + 1 < group.size(); ++done) {
            const auto left = std::span(group).subspan(done);
            const auto isReady = [&](OperatorId id) {
                return std::ranges::none_of(m_graph->predecessors(id), [&](OperatorId before) {
                    return std::ranges::find(left, before) != left.end();
                });
            };
            auto next = left.begin();
            for (auto candidate = left.begin(); candidate != left.end(); ++candidate) {
                if (isReady(*candidate) && (!isReady(*next) || kernelClass(*candidate) < kernelClass(*next)))
                    next = candidate;
            }
            std::iter_swap(left.begin(), next);
        }
    }
    // The order of groups is decided before that of their operators, or equal stages would launch in different orders.
    const auto kernelsAlone = [&](OperatorId id) { return m_classOfOperator[id.index()]; };
    std::ranges::stable_sort(groups, [&](const Group &a, const Group &b) {
        return std::ranges::lexicographical_compare(a.operators, b.operators, {}, kernelsAlone, kernelsAlone);
    });
    std::vector<GroupLaunch> launches;
    for (const auto &[place, group] : groups) {
        for (const OperatorId id : group)
            launches.push_back({id, place});
    }
    return launches;
}

// Operators with equal kernels are interchangeable; in a merged convolution the operators themselves matter. Streams
// are counted as they are first launched on.
SimulatedSession::StageKey SimulatedSession::keyOf(const Stage &stage, const std::vector<GroupLaunch> &launches)
{
    StageKey key;
    key.reserve(2 * launches.size() + 1);
    if (stage.isFused()) { // units wait for whole waves
        key.push_back(kFusedMark);
        for (const FusedOperator &one : m_fusedLowering.operatorsOf(stage, m_classOfOperator)) {
            key.push_back(static_cast<std::uint32_t>(one.wave));
            key.push_back(one.kind);
        }
        return key;
    }
    if (stage.isMerged()) {
        key.push_back(kMergeMark);
        for (const GroupLaunch &launch : launches)
            key.push_back(launch.op.value);
        return key;
    }
    if (stage.launchOrder.empty()) {
        for (std::size_t i = 0; i < launches.size(); ++i) {
            key.push_back(m_classOfOperator[launches[i].op.index()]);
            if (i + 1 == launches.size() || launches[i + 1].group != launches[i].group)
                key.push_back(kGroupMark);
        }
        return key;
    }
    key.push_back(kOrderMark);
    std::vector<std::uint32_t> numbers(stage.groups.size(), kOrderMark);
    std::uint32_t streams = 0;
    for (const GroupLaunch &launch : launches) {
        if (numbers[launch.group] == kOrderMark)
            numbers[launch.group] = streams++;
        key.push_back(m_classOfOperator[launch.op.index()]);
        key.push_back(numbers[launch.group]);
    }
    return key;
}

Result<const SimulatedSession::Kernels *> SimulatedSession::mergedKernels(const Stage &stage)
{
    const StageKey key = keyOf(stage, launchesOf(stage));
    const auto found = m_merged.find(key);
    if (found != m_merged.end())
        return &found->second;
    std::vector<OperatorId> operators;
    for (const auto &group : stage.groups)
        operators.insert(operators.end(), group.begin(), group.end());
    // Merged with one of real numbers, one of integers becomes real, too.
    DataType arithmetic = m_arithmetic[operators.front().index()];
    for (const OperatorId id : operators) {
        if (arithmetic == DataType::Int8)
            arithmetic = m_arithmetic[id.index()];
    }
    Result<Kernels> kernels = m_lowering.lowerMerged(*m_graph, operators, arithmetic);
    if (!kernels) {
        Error error = kernels.error();
        error.code = ErrorCode::DeviceFailed;
        return tl::unexpected(std::move(error));
    }
    return &m_merged.emplace(key, *std::move(kernels)).first->second;
}

Result<StageProgram> SimulatedSession::program(const Stage &stage, const std::vector<GroupLaunch> &launches)
{
    StageProgram program;
    program.isConcurrent = stage.concurrentGroups() > 1;
    if (stage.isMerged()) {
        TRY_AS(auto kernels, mergedKernels(stage));
        std::vector<OperatorId> operators;
        for (const auto &group : stage.groups)
            operators.insert(operators.end(), group.begin(), group.end());
        for (const Kernel &kernel : *kernels)
            appendLaunch(program, m_device, kernel, 0, operators);
        return program;
    }
    for (const GroupLaunch &launch : launches) {
        for (const Kernel &kernel : m_classes[m_classOfOperator[launch.op.index()]])
            appendLaunch(program, m_device, kernel, launch.group, {launch.op});
    }
    return program;
}

Result<SimulatedSession::StageRun> SimulatedSession::run(const Stage &stage, const std::vector<GroupLaunch> &launches,
                                                         BlockTrace *trace)
{
    if (stage.isFused())
        return runFused(m_fusedLowering.operatorsOf(stage, m_classOfOperator), RKernelChoice::ByWave, trace);
    TRY_AS(auto launched, program(stage, launches));
    const double endNs = m_scheduler.run(launched.launches, trace);
    return StageRun{std::move(launched), endNs};
}

Result<SimulatedSession::StageRun> SimulatedSession::runFused(std::span<const FusedOperator> operators,
                                                              RKernelChoice choice, BlockTrace *trace)
{
    TRY_AS(auto fused, m_fusedLowering.fused(operators, choice));
    StageRun ran;
    if (fused.program.units.empty())
        return ran;
    ran.endNs = m_unitScheduler.run(fused.program, fused.kernels, trace);
    std::vector<OperatorId> ids;
    for (const FusedOperator &one : operators)
        ids.push_back(one.op);
    ran.made.push_back(std::move(fused.persistent));
    appendLaunch(ran.program, m_device, ran.made.front(), 0, std::move(ids));
    if (trace) {
        trace->launches = {{0, ran.endNs}};
        ran.rOperators = timedROperators(fused.program, m_limits);
    }
    return ran;
}

// An operator may have no kernels: then what waits for it waits for all that it waits for.
Result<StageProgram> SimulatedSession::program(const Streams &streams)
{
    using Indices = std::vector<std::uint32_t>;
    const double hostEventNs = m_device.eventUs * 1000;
    StageProgram program;
    program.isConcurrent = streams.count > 1;
    std::vector<bool> isRecorded(streams.launches.size(), false);
    for (const StreamLaunch &launch : streams.launches) {
        for (const std::uint32_t before : launch.waits)
            isRecorded[before] = true;
    }
    std::vector<Indices> ends(streams.launches.size()); // by launch of the schedule: these kernels are its end
    std::vector<Indices> next(streams.count);           // by stream: what its next kernel waits for
    std::vector<Indices> last(streams.count);           // by stream: its kernel so far, if any
    double eventsNs = 0;
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        const Kernels *kernels = &m_classes[m_classOfOperator[launch.operators.front().index()]];
        if (launch.isMerged()) {
            Stage merged;
            merged.strategy = Strategy::Merge;
            for (const OperatorId id : launch.operators)
                merged.groups.push_back({id});
            TRY_AS(kernels, mergedKernels(merged));
        }
        Indices &waits = next[launch.stream];
        for (const std::uint32_t before : launch.waits)
            waits.insert(waits.end(), ends[before].begin(), ends[before].end());
        eventsNs += hostEventNs * static_cast<double>(launch.waits.size());
        for (const Kernel &kernel : *kernels) {
            last[launch.stream] = {static_cast<std::uint32_t>(program.launches.size())};
            appendLaunch(program, m_device, kernel, launch.stream, launch.operators, std::exchange(eventsNs, 0));
            program.waits.push_back(std::exchange(waits, {}));
        }
        ends[i] = waits;
        ends[i].insert(ends[i].end(), last[launch.stream].begin(), last[launch.stream].end());
        if (isRecorded[i])
            eventsNs += hostEventNs;
    }
    return program;
}

Result<StageLatency> SimulatedSession::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    const Stage &stage = question.stage;
    const auto simulated = [](double us) { return StageLatency{Timing::ofLatency(us), LatencyKind::Simulated}; };
    if (stop.stop_requested())
        return tl::unexpected(cancelled());
    TRY(question.signature ? check(stage) : verifyStage(*m_graph, stage));
    const auto ordered = launchesOf(stage);
    StageKey key = keyOf(stage, ordered);
    if (const auto found = m_latencyUs.find(key); found != m_latencyUs.end())
        return simulated(found->second);
    TRY_AS(const auto ran, run(stage, ordered));
    const double latencyUs = ran.latencyNs() / 1000;
    m_latencyUs.emplace(std::move(key), latencyUs);
    return simulated(latencyUs);
}

double SimulatedSession::lowerBoundUs(const Stage &stage) const
{
    if (stage.isMerged() || !check(stage))
        return 0;
    if (stage.isFused())
        return std::floor(m_fusedLowering.leastNs(m_fusedLowering.operatorsOf(stage, m_classOfOperator))) / 1000;
    std::vector<BoundLaunch> launches;
    for (const GroupLaunch &launch : launchesOf(stage)) {
        for (const KernelNeeds &needs : m_needs[m_classOfOperator[launch.op.index()]])
            launches.push_back({&needs, launch.group});
    }
    // Latencies are whole nanoseconds.
    return std::floor(stageBoundNs(launches, m_limits)) / 1000;
}

std::vector<double> SimulatedSession::sharesUs(OperatorId id) const
{
    const StageShares shares = stageSharesNs(m_needs[m_classOfOperator[id.index()]], m_device, m_limits);
    std::vector<double> result;
    for (const double shareNs : shares)
        result.push_back(shareNs / 1000);
    return result;
}

double SimulatedSession::boundWithoutBarriersUs() const
{
    std::vector<const std::vector<KernelNeeds> *> needs;
    for (const std::uint32_t kernels : m_classOfOperator)
        needs.push_back(&m_needs[kernels]);
    return graphBoundNs(*m_graph, needs, m_limits) / 1000;
}

Result<RTaskLatencies> SimulatedSession::rTaskLatencies(const Blocks &blocks)
{
    RTaskLatencies us;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        const Stage stage = stageOf(*m_graph, block, blocks[block].operators, Strategy::Fused);
        const auto operators = m_fusedLowering.operatorsOf(stage, m_classOfOperator);
        const auto fusedUs = [&](RKernelChoice choice) {
            return runFused(operators, choice, nullptr).map([](const StageRun &ran) { return ran.latencyNs() / 1000; });
        };
        TRY_AS(const double fastestUs, fusedUs(RKernelChoice::Fastest));
        TRY_AS(const double thriftiestUs, fusedUs(RKernelChoice::Thriftiest));
        TRY_AS(const double byWaveUs, fusedUs(RKernelChoice::ByWave));
        us.fastestFused += fastestUs;
        us.thriftiestFused += thriftiestUs;
        us.byWaveFused += byWaveUs;
        for (const FusedOperator &one : operators) {
            StageProgram fastest, thriftiest;
            for (const FusedLowering::Step &step : m_fusedLowering.stepsOf(one.op)) {
                appendLaunch(fastest, m_device, step.kernels.front(), 0, {one.op});
                appendLaunch(thriftiest, m_device, step.kernels.back(), 0, {one.op});
            }
            us.fastestAlone += stageLatencyNs(fastest, m_scheduler.run(fastest.launches)) / 1000;
            us.thriftiestAlone += stageLatencyNs(thriftiest, m_scheduler.run(thriftiest.launches)) / 1000;
        }
    }
    return us;
}

Result<ScheduleMeasurement> SimulatedSession::measureSchedule(const Schedule &schedule, std::stop_token stop)
{
    if (schedule.streams) {
        if (stop.stop_requested())
            return tl::unexpected(cancelled());
        TRY(verifyStreams(*m_graph, *schedule.streams));
        TRY_AS(const auto launches, program(*schedule.streams));
        const double endNs = m_scheduler.run(launches.launches, nullptr, launches.waits);
        ScheduleMeasurement measurement;
        measurement.whole.timing = Timing::ofLatency(stageLatencyNs(launches, endNs) / 1000);
        return measurement;
    }
    TRY(verifyStages(*m_graph, schedule.stages));
    ScheduleMeasurement measurement;
    double sumUs = 0;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        Result<StageLatency> latency = stageLatency(schedule.stages[i], stop);
        if (!latency)
            return within(stageName(i), latency.error());
        if (i > 0)
            measurement.boundariesUs += boundaryCost().between(schedule.stages[i - 1], schedule.stages[i]);
        sumUs += latency->timing.latencyUs;
        measurement.stages.push_back(std::move(*latency));
    }
    measurement.whole.timing = Timing::ofLatency(sumUs + measurement.boundariesUs);
    return measurement;
}

Result<ScheduleLatency> SimulatedSession::measureWhole(const Schedule &schedule, std::stop_token stop)
{
    return measureSchedule(schedule, std::move(stop)).map([](const ScheduleMeasurement &measurement) {
        return measurement.whole;
    });
}

Result<Timeline> SimulatedSession::timeline(const Schedule &schedule, std::stop_token stop)
{
    SimulatedTimeline timeline(m_device, m_deviceId, fmaPerClockPerSm());
    if (schedule.streams) {
        TRY(verifyStreams(*m_graph, *schedule.streams));
        TRY_AS(const auto launches, program(*schedule.streams));
        BlockTrace trace;
        const double endNs = m_scheduler.run(launches.launches, &trace, launches.waits);
        timeline.appendStreams(launches, trace, stageLatencyNs(launches, endNs));
    } else {
        TRY(verifyStages(*m_graph, schedule.stages));
    }
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        if (stop.stop_requested())
            return tl::unexpected(cancelled());
        const Stage &stage = schedule.stages[i];
        BlockTrace trace;
        const Result<StageRun> ran = run(stage, launchesOf(stage), &trace);
        if (!ran)
            return within(stageName(i), ran.error());
        if (i > 0)
            timeline.appendGap(boundaryCost().between(schedule.stages[i - 1], schedule.stages[i]));
        timeline.appendStage(ran->program, trace, ran->latencyNs(), ran->rOperators);
    }
    Timeline made = std::move(timeline).finish();
    const CostBasis basis = costBasis(*m_graph);
    for (std::string &text : std::array{missingCostText(basis), conversionText(basis)}) {
        if (!text.empty())
            made.notes.push_back(std::move(text));
    }
    return made;
}

} // namespace stagecraft
