#pragma once

// Which parameters of a kernel to measure next: simulated annealing over those that a learned model expects to be fast
// (TVM, Chen et al., OSDI 2018, section 5.3), and some at random, which keep the model honest. Until there is a model
// all are random. The same answers lead to the same choices.

#include "search/order/latency_model.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace stagecraft {

class TileSearch {
public:
    using Parameters = std::vector<int>;

    // What each parameter may be, at least one value each. `features`: of the kernel, before those of its parameters.
    TileSearch(std::vector<std::vector<int>> axes, std::vector<float> features, std::uint32_t seed);

    // Up to `count` that were not measured; fewer where no more are left. The model's error: random ones.
    [[nodiscard]] std::vector<Parameters> next(std::size_t count, const LatencyModel *model);
    // Measured: latency over that of the library's kernel.
    void add(const Parameters &parameters, double ratio);

    [[nodiscard]] std::size_t measured() const { return m_known.size(); }
    // Those measured, the fastest first.
    [[nodiscard]] std::vector<Parameters> fastest(std::size_t count) const;
    // To learn from, with the library's latency as the guess.
    [[nodiscard]] std::vector<StageSample> samples() const;
    [[nodiscard]] std::size_t features() const { return m_features.size() + m_axes.size(); } // of a sample

private:
    using Place = std::vector<std::size_t>; // by axis, into its values

    [[nodiscard]] Parameters at(const Place &place) const;
    [[nodiscard]] std::vector<float> featuresOf(const Place &place) const;
    [[nodiscard]] Place randomPlace();
    [[nodiscard]] Place neighbour(Place place);
    [[nodiscard]] std::optional<std::vector<Place>> annealed(std::size_t count, const LatencyModel &model);
    [[nodiscard]] std::size_t size() const;

    std::vector<std::vector<int>> m_axes;
    std::vector<float> m_features;
    std::minstd_rand m_random;
    std::map<Place, double> m_known; // ratios
};

} // namespace stagecraft
