#pragma once

// A model of stage latencies that grows with a search: it is fitted to what is known of the device before, and again,
// in the background, to what the search has measured since. Threads: used by one; fits run on a thread of their own,
// and the same answers make the same models, however long a fit takes.

#include "schedule/stage_features.h"
#include "search/order/latency_model.h"

#include <cstdint>
#include <future>
#include <memory>
#include <vector>

namespace stagecraft {

class LearnedOrder {
public:
    // Of the graph, which must outlive it. `known`: of the device, from any network.
    LearnedOrder(const Graph &graph, std::vector<StageSample> known);

    [[nodiscard]] const StageFeatures &features() const { return m_features; }

    // Null: too little is known so far, or the library failed. Waits for a fit that has begun.
    [[nodiscard]] const LatencyModel *model();
    [[nodiscard]] std::int64_t trainedOn() const;                    // samples that model() was fitted to
    [[nodiscard]] std::int64_t version() const { return m_version; } // of model(), grows with each

    // Begins a fit to what was known and what the search itself has measured so far.
    void learn(std::vector<StageSample> own, std::size_t answers);
    // Where the search has so many answers, which is clearly more than at the last fit.
    [[nodiscard]] bool isWorthwhile(std::size_t answers) const;

private:
    using Fit = std::future<std::unique_ptr<LatencyModel>>;
    void begin(std::vector<StageSample> samples);

    StageFeatures m_features;
    std::vector<StageSample> m_known;
    std::size_t m_fittedTo = 0; // answers
    std::unique_ptr<LatencyModel> m_model;
    std::int64_t m_version = 0;
    Fit m_fit;
};

} // namespace stagecraft
