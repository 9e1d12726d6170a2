#pragma once

// What a learned model sees of a stage: numbers from graph and shapes alone, and how the latencies of its parts
// compare. A model trained on them says how a stage of any network compares with a guess from its parts, on one device.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

// A stage whose latency is known, to learn from.
struct StageSample {
    std::vector<float> features;
    double guessedUs = 0; // from its parts (guessFromParts)
    double latencyUs = 0;
};

// Of a concurrent stage its groups; of one group, a merge or a fused stage, its operators. Each as a stage of its own.
// Empty for a single operator, which has no parts.
[[nodiscard]] std::vector<Stage> partsOf(const Stage &stage);

enum class StageForm { OneGroup, Concurrent, Merge, Fused };
[[nodiscard]] StageForm formOf(Strategy strategy, std::size_t groups);

// `partsUs`: the latencies of partsOf. Concurrent groups take between the slowest of them and their sum.
[[nodiscard]] double guessFromParts(StageForm form, std::span<const double> partsUs);

// Computes features of stages of one graph, which must outlive it.
class StageFeatures {
public:
    // Grows whenever a feature is added or means something else: samples of another version are not learned from.
    static constexpr int kVersion = 1;
    static constexpr std::size_t kOfGraph = 32; // from graph and shapes alone
    static constexpr std::size_t kCount = kOfGraph + 4;

    explicit StageFeatures(const Graph &graph);

    // kOfGraph values: work, bytes, intensity, grids and kinds of its operators and groups.
    void append(const Stage &stage, std::vector<float> &to) const;
    // The rest: how the latencies of its parts (partsOf) compare.
    static void appendParts(std::span<const double> partsUs, std::vector<float> &to);

private:
    struct OfOperator {
        double flops = 0;
        double bytes = 0;
        double outputs = 0;  // elements: threads of a grid
        double window = 0;   // height times width
        double channels = 0; // of the output
        int kind = 0;
    };

    const Graph &m_graph;
    std::vector<OfOperator> m_operators;
};

// Of the stage, whose parts take `partsUs`.
[[nodiscard]] StageSample sampleOf(const StageFeatures &features, const Stage &stage, std::span<const double> partsUs,
                                   double latencyUs);

} // namespace stagecraft
