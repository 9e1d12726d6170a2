#pragma once

// Gradient-boosted trees (XGBoost) that say how latencies of a device compare with what is known: of stages with a
// guess from their parts, of tuned kernels with the library's. What they say orders measurements, and never takes the
// place of one. The same samples make the same model. Threads: a model is used by one thread at a time; fit() may run
// on any.

#include "schedule/stage_features.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <vector>

namespace stagecraft {

class LatencyModel {
public:
    static constexpr std::size_t kFewest = 48; // samples, with fewer there is nothing to learn

    // WrongUse if there are fewer than `fewest` samples, or if one has another number of features or no latency;
    // DeviceFailed if the library fails.
    [[nodiscard]] static Result<std::unique_ptr<LatencyModel>> fit(std::span<const StageSample> samples,
                                                                   std::size_t features = StageFeatures::kCount,
                                                                   std::size_t fewest = kFewest);

    LatencyModel(const LatencyModel &) = delete;
    LatencyModel &operator=(const LatencyModel &) = delete;
    ~LatencyModel();

    // Latency over guess, for the features of one stage after the other. DeviceFailed if the
    // library fails.
    [[nodiscard]] Result<std::vector<float>> ratios(std::span<const float> features) const;

    [[nodiscard]] std::size_t trainedOn() const { return m_trainedOn; } // samples

private:
    LatencyModel(void *booster, std::size_t features, std::size_t trainedOn)
        : m_booster(booster), m_features(features), m_trainedOn(trainedOn)
    {
    }

    void *m_booster;        // BoosterHandle
    std::size_t m_features; // of a sample
    std::size_t m_trainedOn;
};

} // namespace stagecraft
