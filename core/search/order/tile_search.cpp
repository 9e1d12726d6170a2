#include "search/order/tile_search.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kChains = 16;
constexpr int kSteps = 48;
constexpr double kHottest = 0.3;        // a ratio that is so much worse is taken once in e times, at first
constexpr std::size_t kRandomShare = 4; // one of so many is random

} // namespace

TileSearch::TileSearch(std::vector<std::vector<int>> axes, std::vector<float> features, std::uint32_t seed)
    : m_axes(std::move(axes)), m_features(std::move(features)), m_random(seed)
{
}

std::vector<TileSearch::Parameters> TileSearch::next(std::size_t count, const LatencyModel *model)
{
    count = std::min(count, size() - m_known.size());
    std::set<Place> chosen;
    if (model) {
        const std::size_t random = std::max<std::size_t>(1, count / kRandomShare);
        if (const auto found = annealed(count > random ? count - random : count, *model))
            chosen.insert(found->begin(), found->end());
    }
    while (chosen.size() < count) {
        Place place = randomPlace();
        // In a space that is nearly exhausted, the next one that is free.
        while (m_known.contains(place) || chosen.contains(place)) {
            for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
                place[axis] = (place[axis] + 1) % m_axes[axis].size();
                if (place[axis] != 0)
                    break;
            }
        }
        chosen.insert(std::move(place));
    }
    std::vector<Parameters> parameters;
    for (const Place &place : chosen)
        parameters.push_back(at(place));
    return parameters;
}

void TileSearch::add(const Parameters &parameters, double ratio)
{
    Place place;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
        const auto found = std::ranges::find(m_axes[axis], parameters[axis]);
        place.push_back(static_cast<std::size_t>(found - m_axes[axis].begin()));
    }
    m_known[place] = ratio;
}

std::vector<TileSearch::Parameters> TileSearch::fastest(std::size_t count) const
{
    std::vector<std::pair<double, Place>> order;
    for (const auto &[place, ratio] : m_known)
        order.emplace_back(ratio, place);
    std::ranges::sort(order);
    std::vector<Parameters> parameters;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
        parameters.push_back(at(order[i].second));
    return parameters;
}

std::vector<StageSample> TileSearch::samples() const
{
    std::vector<StageSample> samples;
    for (const auto &[place, ratio] : m_known)
        samples.push_back({featuresOf(place), 1, ratio});
    return samples;
}

TileSearch::Parameters TileSearch::at(const Place &place) const
{
    Parameters parameters;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
        parameters.push_back(m_axes[axis][place[axis]]);
    return parameters;
}

std::vector<float> TileSearch::featuresOf(const Place &place) const
{
    std::vector<float> features = m_features;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
        features.push_back(static_cast<float>(m_axes[axis][place[axis]]));
    return features;
}

TileSearch::Place TileSearch::randomPlace()
{
    Place place;
    for (const auto &axis : m_axes)
        place.push_back(m_random() % axis.size());
    return place;
}

TileSearch::Place TileSearch::neighbour(Place place)
{
    const std::size_t axis = m_random() % m_axes.size();
    const std::size_t last = m_axes[axis].size() - 1;
    const bool isUp = m_random() % 2 == 0;
    place[axis] = isUp ? std::min(place[axis] + 1, last) : place[axis] - std::min<std::size_t>(place[axis], 1);
    return place;
}

std::optional<std::vector<TileSearch::Place>> TileSearch::annealed(std::size_t count, const LatencyModel &model)
{
    const auto ratiosOf = [&](const std::vector<Place> &places) {
        std::vector<float> rows;
        for (const Place &place : places) {
            const auto row = featuresOf(place);
            rows.insert(rows.end(), row.begin(), row.end());
        }
        return model.ratios(rows);
    };
    std::vector<Place> chains;
    for (std::size_t i = 0; i < kChains; ++i)
        chains.push_back(randomPlace());
    auto ratios = ratiosOf(chains);
    if (!ratios)
        return std::nullopt;
    std::map<Place, float> visited;
    for (int step = 0; step < kSteps; ++step) {
        std::vector<Place> moved;
        for (const Place &place : chains)
            moved.push_back(neighbour(place));
        const auto expected = ratiosOf(moved);
        if (!expected)
            return std::nullopt;
        const double heat = kHottest * (1 - static_cast<double>(step) / kSteps);
        for (std::size_t i = 0; i < kChains; ++i) {
            visited[chains[i]] = (*ratios)[i];
            const double worse = (*expected)[i] - (*ratios)[i];
            const double chance = static_cast<double>(m_random()) / static_cast<double>(std::minstd_rand::max());
            if (worse > 0 && std::exp(-worse / heat) < chance)
                continue;
            chains[i] = std::move(moved[i]);
            (*ratios)[i] = (*expected)[i];
        }
    }
    for (std::size_t i = 0; i < kChains; ++i)
        visited[chains[i]] = (*ratios)[i];
    std::vector<std::pair<float, Place>> order;
    for (const auto &[place, ratio] : visited) {
        if (!m_known.contains(place))
            order.emplace_back(ratio, place);
    }
    std::ranges::sort(order);
    std::vector<Place> best;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
        best.push_back(order[i].second);
    return best;
}

std::size_t TileSearch::size() const
{
    std::size_t all = 1;
    for (const auto &axis : m_axes)
        all *= axis.size();
    return all;
}

} // namespace stagecraft
