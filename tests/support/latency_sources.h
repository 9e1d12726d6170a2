#pragma once

// Fake devices with computed or random latencies, deterministic, that count questions.

#include "graph/graph.h"
#include "schedule/stage_latency_source.h"
#include "schedule/stage_signature.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace stagecraft::test {

[[nodiscard]] inline Result<double> latencyUs(StageLatencySource &source, const Stage &stage)
{
    return source.stageLatency(stage, {}).map([](const StageLatency &latency) { return latency.timing.latencyUs; });
}

// Asks for every stage; fills stageTimings and timing.
[[nodiscard]] inline Result<void> fillLatencies(TimedSchedule &schedule, StageLatencySource &source)
{
    const BoundaryCost boundary = source.boundaryCost();
    std::vector<Timing> timings;
    double total = 0;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        auto latency = source.stageLatency(schedule.stages[i], {});
        if (!latency)
            return within("stage " + std::to_string(i + 1), latency.error());
        if (i > 0)
            total += boundary.between(schedule.stages[i - 1], schedule.stages[i]);
        total += latency->timing.latencyUs;
        timings.push_back(std::move(latency->timing));
    }
    schedule.measured.stages = std::move(timings);
    schedule.measured.whole = Timing::ofLatency(total);
    return {};
}

// Counts questions, and lets a test decide the answers.
class FakeSource : public StageLatencySource {
public:
    explicit FakeSource(const Graph &graph) : m_graph(graph), m_signer(graph) {}

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        ++asked;
        distinct.insert(m_signer.sign(question.stage));
        if (onAsk)
            onAsk();
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        return answer(question.stage).map([this](double us) { return StageLatency{Timing::ofLatency(us), kind}; });
    }
    BoundaryCost boundaryCost() const override { return boundary; }

    BoundaryCost boundary;
    LatencyKind kind = LatencyKind::Measured; // of every answer
    std::function<void()> onAsk;
    std::int64_t asked = 0;
    std::set<StageSignature> distinct;

protected:
    virtual Result<double> answer(const Stage &stage) = 0;

    const Graph &m_graph;
    StageSigner m_signer;
};

// A plausible device: groups share it, so more concurrent work never takes less time. A stage takes its slowest group
// plus the share `sharing` of the rest; a merge stage takes `mergeGain` times the sum.
class SharedDevice : public FakeSource {
public:
    using FakeSource::FakeSource;

    double sharing = 0.3;
    double mergeGain = 0.8;
    std::int64_t brokenKernel = 0; // convolutions with this kernel are only available alone in a stage

    [[nodiscard]] bool isBroken(OperatorId id) const
    {
        const ConvAttributes *conv = m_graph.op(id).conv();
        return conv && conv->window.kernel[0] == brokenKernel;
    }

protected:
    double weight(OperatorId id) const
    {
        const Operator &op = m_graph.op(id);
        const double kernel = op.conv() ? static_cast<double>(op.conv()->window.kernel[0]) : 0.4;
        return 3.1 + 1.7 * kernel + 0.13 * static_cast<double>(op.inputs.front().size()) +
               1e-7 * static_cast<double>(m_graph.outputShape(id).elements());
    }

    Result<double> answer(const Stage &stage) override
    {
        double sum = 0, most = 0;
        for (const auto &group : stage.groups) {
            double own = 0;
            for (const OperatorId id : group) {
                own += weight(id);
                if (stage.operatorCount() > 1 && isBroken(id))
                    return fail(ErrorCode::DeviceFailed, "broken");
            }
            own -= 1.5 * static_cast<double>(group.size() - 1);
            sum += own;
            most = std::max(most, own);
        }
        if (stage.strategy == Strategy::Merge)
            return 2 + mergeGain * sum;
        if (stage.strategy == Strategy::Fused)
            return 4 + most + 0.6 * sharing * (sum - most);
        return 2 + most + sharing * (sum - most);
    }
};

// Random latencies by stage signature: nothing bounds anything.
class RandomSource : public FakeSource {
public:
    RandomSource(const Graph &graph, std::uint64_t seed, bool byName = false)
        : FakeSource(graph), m_seed(seed), m_byName(byName)
    {
    }

    bool isTable() const override { return m_byName; }

protected:
    Result<double> answer(const Stage &stage) override
    {
        std::uint64_t hash = m_seed;
        const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL + (hash >> 29); };
        if (m_byName) {
            add(static_cast<std::uint64_t>(stage.strategy));
            for (const auto &group : normalized(stage).groups) {
                add(~std::uint64_t{0});
                for (const OperatorId id : group)
                    add(id.value);
            }
        } else {
            const StageSignature signature = m_signer.sign(stage);
            add(signature.high);
            add(signature.low);
        }
        // Larger stages take longer on average; otherwise schedules with many stages would never win.
        return (1.0 + static_cast<double>(hash >> 11) * 0x1p-53) * (2.0 + static_cast<double>(stage.operatorCount()));
    }

private:
    std::uint64_t m_seed;
    bool m_byName;
};

} // namespace stagecraft::test
