#include "search/pruning_points.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace stagecraft {
namespace {

// The position of a bound among those studied, from 0 to 1.
class Scale {
public:
    explicit Scale(const std::set<int> &bounds) : m_bounds(bounds.begin(), bounds.end()) {}

    [[nodiscard]] double operator()(int bound) const
    {
        const auto place = std::ranges::lower_bound(m_bounds, bound) - m_bounds.begin();
        return m_bounds.size() < 2 ? 0.0 : static_cast<double>(place) / static_cast<double>(m_bounds.size() - 1);
    }

private:
    std::vector<int> m_bounds;
};

// The smallest bounds first, then always the point farthest from all previous ones.
std::vector<PruningPoint> farthestFirst(const std::vector<PruningPoint> &points)
{
    std::set<int> r;
    std::set<int> s;
    for (const PruningPoint &point : points) {
        r.insert(point.r);
        s.insert(point.s);
    }
    const Scale scaleR(r);
    const Scale scaleS(s);
    std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());
    std::vector<PruningPoint> ordered;
    ordered.reserve(points.size());
    auto next = static_cast<std::size_t>(
        std::ranges::min_element(points, {}, [](const PruningPoint &point) { return std::pair(point.r, point.s); }) -
        points.begin());
    while (ordered.size() < points.size()) {
        const PruningPoint &taken = points[next];
        ordered.push_back(taken);
        distance[next] = -1;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double alongR = scaleR(points[i].r) - scaleR(taken.r);
            const double alongS = scaleS(points[i].s) - scaleS(taken.s);
            distance[i] = std::min(distance[i], alongR * alongR + alongS * alongS);
        }
        next = static_cast<std::size_t>(std::ranges::max_element(distance) - distance.begin());
    }
    return ordered;
}

} // namespace

std::string nameOf(const PruningPoint &point)
{
    return fmt::format("{}, r = {}, s = {}{}", toString(point.strategies), point.r, point.s,
                       point.singleSource ? ", single source" : "");
}

std::vector<PruningPoint> pointsOf(const PruningGrid &grid)
{
    std::vector<PruningPoint> points;
    points.reserve(grid.size());
    for (const StrategySet set : grid.strategies) {
        for (const bool singleSource : grid.singleSource) {
            for (const int r : grid.r) {
                for (const int s : grid.s)
                    points.push_back({set, r, s, singleSource});
            }
        }
    }
    return points;
}

std::vector<PruningPoint> mostInformativeFirst(std::span<const PruningPoint> points)
{
    std::vector<std::vector<PruningPoint>> perStrategy;
    for (const PruningPoint &point : points) {
        const auto same = std::ranges::find_if(perStrategy, [&](const std::vector<PruningPoint> &of) {
            return of.front().strategies == point.strategies && of.front().singleSource == point.singleSource;
        });
        if (same == perStrategy.end())
            perStrategy.push_back({point});
        else
            same->push_back(point);
    }
    std::ranges::transform(perStrategy, perStrategy.begin(), farthestFirst);
    std::vector<PruningPoint> ordered;
    ordered.reserve(points.size());
    for (std::size_t i = 0; ordered.size() < points.size(); ++i) {
        for (const std::vector<PruningPoint> &of : perStrategy) {
            if (i < of.size())
                ordered.push_back(of[i]);
        }
    }
    return ordered;
}

std::vector<bool> paretoFront(std::span<const CostAndLatency> points)
{
    std::vector<std::size_t> byCost(points.size());
    std::iota(byCost.begin(), byCost.end(), std::size_t{0});
    std::ranges::sort(byCost, {}, [&](std::size_t i) { return std::pair(points[i].cost, points[i].latencyUs); });
    std::vector<bool> isOnFront(points.size());
    CostAndLatency last{0, std::numeric_limits<double>::infinity()};
    for (const std::size_t i : byCost) {
        const CostAndLatency &point = points[i];
        isOnFront[i] =
            point.latencyUs < last.latencyUs || (point.latencyUs == last.latencyUs && point.cost == last.cost);
        if (isOnFront[i])
            last = point;
    }
    return isOnFront;
}

} // namespace stagecraft
