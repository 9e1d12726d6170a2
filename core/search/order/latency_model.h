#pragma once

// Gradient-boosted trees (XGBoost) that say how stages of a device compare with a guess from their parts. What they say
// orders measurements, and never takes the place of one. The same samples make the same model. Threads: a model is
// used by one thread at a time; fit() may run on any.

#include "schedule/stage_features.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <vector>

namespace stagecraft {

class LatencyModel {
public:
    static constexpr std::size_t kFewest = 48; // samples, with fewer there is nothing to learn

    // WrongUse if there are too few samples, or if one has other features than StageFeatures::kCount or no latency;
    // DeviceFailed if the library fails.
    [[nodiscard]] static Result<std::unique_ptr<LatencyModel>> fit(std::span<const StageSample> samples);

    LatencyModel(const LatencyModel &) = delete;
    LatencyModel &operator=(const LatencyModel &) = delete;
    ~LatencyModel();

    // Latency over guess, for StageFeatures::kCount features a stage, one stage after the other. DeviceFailed if the
    // library fails.
    [[nodiscard]] Result<std::vector<float>> ratios(std::span<const float> features) const;

    [[nodiscard]] std::size_t trainedOn() const { return m_trainedOn; } // samples

private:
    LatencyModel(void *booster, std::size_t trainedOn) : m_booster(booster), m_trainedOn(trainedOn) {}

    void *m_booster; // BoosterHandle
    std::size_t m_trainedOn;
};

} // namespace stagecraft
