#pragma once

// What a recording knows of a model's stages, for a search that treats the others as unknown: bounded from below, not
// refused. Equal stages (schedule/stage_signature.h) have one latency, whichever of them the recording names: the best
// of those that it has (timing/latency_quality.h), or the first of several that nothing disturbed.

#include "device/recorded/recorded_latencies.h"
#include "graph/graph.h"
#include "schedule/stage_latency_source.h"
#include "schedule/stage_signature.h"
#include "support/result.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

class KnownStages : public StageLatencySource {
public:
    // Without any latency.
    explicit KnownStages(std::shared_ptr<const Graph> graph);
    // InvalidInput, naming the line: a stage that the graph cannot have. WrongUse: another batch.
    [[nodiscard]] static Result<std::unique_ptr<KnownStages>> make(std::shared_ptr<const Graph> graph,
                                                                   const RecordedLatencies &recording);

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    bool has(const StageQuestion &question) const override { return m_answers.contains(signatureOf(question)); }
    bool isPartial() const override { return true; }
    // The recorded latencies carry noise.
    bool isNoisy() const override { return m_isNoisy; }
    BoundaryCost boundaryCost() const override { return m_boundary; }
    bool chainsAddUp() const override { return m_chainsAddUp; }

    // In microseconds; empty if it is not known, infinity if the device refused the stage.
    [[nodiscard]] std::optional<double> latencyUs(const StageSignature &signature) const;
    [[nodiscard]] StageSignature signatureOf(const StageQuestion &question) const;
    // Stages with different signatures.
    [[nodiscard]] std::size_t size() const { return m_answers.size(); }
    [[nodiscard]] std::size_t refused() const { return m_refused; }
    // One stage of each signature that has a latency, in the order of the recording.
    [[nodiscard]] const std::vector<Stage> &measured() const { return m_measured; }
    // Of these, those whose timing was disturbed.
    [[nodiscard]] const std::vector<Stage> &disturbed() const { return m_disturbed; }

private:
    struct Answer {
        Stage stage; // the first that the recording names
        Timing timing{};
        std::string refusal{}; // empty: it was not refused
    };

    [[nodiscard]] Result<void> add(const RecordedStage &named, Timing timing, std::string refusal);
    void list();

    std::shared_ptr<const Graph> m_graph;
    mutable StageSigner m_signer;
    std::unordered_map<StageSignature, Answer> m_answers;
    std::vector<StageSignature> m_order; // of the recording
    std::vector<Stage> m_measured;
    std::vector<Stage> m_disturbed;
    std::size_t m_refused = 0;
    bool m_isNoisy = false;
    BoundaryCost m_boundary;
    bool m_chainsAddUp = false;
};

} // namespace stagecraft
