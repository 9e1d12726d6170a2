#include "device/simulated/fused_lowering.h"

#include "device/simulated/unit_scheduler.h"
#include "schedule/rtasks/verify_rprogram.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace stagecraft {

namespace {

// What a reader of the operators waits for: their last rOperators.
using Ends = std::map<OperatorId, std::vector<std::uint32_t>>;

std::vector<std::uint32_t> readsOf(const Graph &graph, OperatorId id, const Ends &ends)
{
    std::vector<std::uint32_t> reads;
    for (const OperatorId producer : graph.predecessors(id)) {
        if (const auto found = ends.find(producer); found != ends.end())
            reads.insert(reads.end(), found->second.begin(), found->second.end());
    }
    std::ranges::sort(reads);
    reads.erase(std::ranges::unique(reads).begin(), reads.end());
    return reads;
}

std::vector<OperatorId> ascending(const Stage &stage)
{
    std::vector<OperatorId> operators;
    for (const auto &group : stage.groups)
        operators.insert(operators.end(), group.begin(), group.end());
    std::ranges::sort(operators);
    return operators;
}

// What the kernels of a step need at least, whichever is chosen.
KernelNeeds leastNeeds(const std::vector<Kernel> &kernels, const DeviceDescription &device, const SmLimits &limits)
{
    KernelNeeds least;
    const std::vector<KernelNeeds> all = needsOf(kernels, device, limits);
    for (const auto member : {&KernelNeeds::aloneNs, &KernelNeeds::smNs, &KernelNeeds::dramNs, &KernelNeeds::l2Ns})
        least.*member = (*std::ranges::min_element(all, {}, member)).*member;
    return least;
}

} // namespace

FusedLowering::FusedLowering(const Graph &graph, Lowering &lowering, const SmLimits &limits,
                             const std::vector<DataType> &arithmetic)
    : m_graph(graph), m_lowering(lowering), m_limits(limits), m_scheduler(limits), m_arithmetic(arithmetic),
      m_steps(graph.size())
{
}

RKernel FusedLowering::rKernelOf(const Kernel &kernel)
{
    RKernel made{kernel.name,
                 kernel.blocks(),
                 {kernel.threadsPerBlock, kernel.registersPerThread, kernel.sharedBytesPerBlock},
                 0};
    const Launch alone{&kernel, 0, 0};
    if (residentBlocks(m_limits, kernel) > 0)
        made.aloneNs = m_scheduler.run({&alone, 1});
    return made;
}

std::vector<FusedLowering::Step> FusedLowering::madeSteps(OperatorId id)
{
    const DataType arithmetic = m_arithmetic[id.index()];
    auto fastest = m_lowering.lower(m_graph, id, arithmetic, KernelChoice::FastestRTask);
    auto thriftiest = m_lowering.lower(m_graph, id, arithmetic, KernelChoice::ThriftiestRTask);
    std::vector<Step> steps;
    for (std::size_t i = 0; i < fastest.size(); ++i) {
        Step &step = steps.emplace_back();
        step.kernels.push_back(std::move(fastest[i]));
        if (thriftiest.size() == fastest.size() && thriftiest[i] != step.kernels.front())
            step.kernels.push_back(std::move(thriftiest[i]));
        for (Kernel &kernel : step.kernels) {
            kernel.cudnnCall = false; // the library's host code is not called
            step.rKernels.push_back(rKernelOf(kernel));
        }
        step.least = leastNeeds(step.kernels, m_lowering.device(), m_limits);
    }
    return steps;
}

const std::vector<FusedLowering::Step> &FusedLowering::stepsOf(OperatorId id)
{
    auto &steps = m_steps[id.index()];
    if (!steps)
        steps = madeSteps(id);
    return *steps;
}

std::vector<FusedOperator> FusedLowering::operatorsOf(const Stage &stage, std::span<const std::uint32_t> kinds)
{
    std::vector<FusedOperator> operators;
    std::map<OperatorId, std::size_t> waveBehind; // the first one in which what an operator makes can be read
    for (const OperatorId id : ascending(stage)) {
        std::size_t wave = 0;
        for (const OperatorId producer : m_graph.predecessors(id)) {
            if (const auto found = waveBehind.find(producer); found != waveBehind.end())
                wave = std::max(wave, found->second);
        }
        waveBehind[id] = wave + stepsOf(id).size();
        operators.push_back({wave, kinds[id.index()], id});
    }
    std::ranges::sort(operators);
    return operators;
}

double FusedLowering::leastNs(std::span<const FusedOperator> operators)
{
    std::vector<KernelNeeds> waves; // sums; alone: the longest
    for (const FusedOperator &one : operators) {
        const std::vector<Step> &steps = stepsOf(one.op);
        waves.resize(std::max(waves.size(), one.wave + steps.size()));
        for (std::size_t i = 0; i < steps.size(); ++i) {
            KernelNeeds &wave = waves[one.wave + i];
            wave.aloneNs = std::max(wave.aloneNs, steps[i].least.aloneNs);
            wave.smNs += steps[i].least.smNs;
            wave.dramNs += steps[i].least.dramNs;
            wave.l2Ns += steps[i].least.l2Ns;
        }
    }
    if (waves.empty())
        return 0;
    double ns = m_limits.rampNs + kUnitBarrierNs * static_cast<double>(waves.size() - 1);
    for (const KernelNeeds &wave : waves)
        ns += std::max({wave.aloneNs, wave.smNs, wave.dramNs, wave.l2Ns});
    return ns;
}

Result<FusedStage> FusedLowering::fused(std::span<const FusedOperator> operators, RKernelChoice choice)
{
    std::vector<ROperator> rOperators;
    std::vector<const Step *> steps; // by rOperator
    std::map<OperatorId, std::uint32_t> firstOf;
    for (const FusedOperator &one : operators) {
        const auto first = static_cast<std::uint32_t>(rOperators.size());
        firstOf[one.op] = first;
        for (const Step &step : stepsOf(one.op)) {
            const auto made = static_cast<std::uint32_t>(rOperators.size());
            const std::vector<std::uint32_t> reads =
                made > first ? std::vector{made - 1} : std::vector<std::uint32_t>();
            rOperators.push_back({one.op, step.rKernels, 0, reads});
            steps.push_back(&step);
        }
    }
    Ends ends;
    for (const auto &[op, first] : firstOf) { // every operator comes after those that it reads
        std::vector<std::uint32_t> reads = readsOf(m_graph, op, ends);
        const auto count = static_cast<std::uint32_t>(stepsOf(op).size());
        if (count > 0)
            rOperators[first].reads = std::exchange(reads, {first + count - 1});
        ends[op] = std::move(reads);
    }
    const ResidentUnits resident = [this](const UnitNeeds &needs) { return residentUnits(m_limits, needs); };
    FusedStage stage;
    stage.program = wavefrontProgram(std::move(rOperators), resident, choice);
    if (stage.program.units.empty() && !stage.program.rOperators.empty())
        return fail(ErrorCode::DeviceFailed, "no thread block with what its rKernels need fits an SM of the device",
                    "Run these operators in several stages");
    TRY(verifyRProgram(m_graph, stage.program, resident));
    const UnitNeeds needs = greediest(stage.program.rOperators);
    Kernel &persistent = stage.persistent;
    persistent.name = fmt::format("fused, {} rOperators", stage.program.rOperators.size());
    persistent.grid[0] = std::max<std::int64_t>(1, std::ssize(stage.program.units));
    persistent.threadsPerBlock = needs.threads;
    persistent.registersPerThread = needs.registersPerThread;
    persistent.sharedBytesPerBlock = needs.sharedBytes;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Kernel &kernel = steps[i]->kernels[stage.program.rOperators[i].chosen];
        stage.kernels.push_back(&kernel);
        persistent.flops += kernel.flops;
        persistent.bytes += kernel.bytes;
    }
    return stage;
}

} // namespace stagecraft
