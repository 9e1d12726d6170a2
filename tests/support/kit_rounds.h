#pragma once

// The machine at the other end of a kit, played by a device session: answers what the kit asks.

#include "device/device.h"
#include "device/recorded/recorded_latencies.h"
#include "flow/kit/kit_plan.h"

namespace stagecraft::test {

// Adds the latencies of the plan's stages, with those of equal ones, to the recording.
inline void answerKit(const Graph &graph, const KitPlan &plan, DeviceSession &session, RecordedLatencies &recording)
{
    if (!recording.kit) {
        recording.batch = graph.batch();
        recording.device = "far away";
        recording.model = graph.name();
        recording.kit = KitContext{{}, 0, session.boundaryCost(), session.chainsAddUp()};
    }
    ++recording.kit->round;
    for (const KitStage &asked : plan.stages) {
        const auto latency = session.stageLatency(asked.stage, {});
        std::vector<Stage> places{asked.stage};
        places.insert(places.end(), asked.equal.begin(), asked.equal.end());
        for (const Stage &stage : places) {
            RecordedStage named{stage.strategy, operatorNames(graph, stage)};
            if (latency)
                named.timing = {latency->timing.latencyUs, latency->timing.latencyUs, 0, 9}; // as one that was measured
            else
                recording.refused.push_back({named, latency.error().message});
            if (latency)
                recording.stages.push_back(std::move(named));
        }
    }
}

} // namespace stagecraft::test
