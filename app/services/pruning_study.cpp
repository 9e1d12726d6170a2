#include "services/pruning_study.h"

#include <algorithm>
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

PruningStudy::PruningStudy(const Model &model, std::unique_ptr<DeviceSession> session, DeviceInfo device)
    : m_model(model), m_session(std::move(session)), m_device(std::move(device))
{
}

Result<const StudiedPoint *> PruningStudy::study(const PruningPoint &point, const SearchProgressCallback &progress,
                                                 std::stop_token stop)
{
    if (const StudiedPoint *known = find(point))
        return known;
    SearchOptions options;
    options.r = point.r;
    options.s = point.s;
    const double savedBefore = m_session.savedSeconds();
    auto made = makeSchedule(m_model, m_session, m_device, kindOf(point.strategies), options, progress, stop);
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the study was cancelled");
    if (!made)
        return tl::unexpected(std::move(made.error()));
    made->schedule.search.measureSeconds += m_session.savedSeconds() - savedBefore;
    return &m_points.emplace_back(StudiedPoint{point, std::move(*made)});
}

const StudiedPoint *PruningStudy::find(const PruningPoint &point) const
{
    const auto found = std::ranges::find(m_points, point, &StudiedPoint::point);
    return found == m_points.end() ? nullptr : &*found;
}

std::vector<PruningPoint> pruningGrid(std::span<const StrategySet> strategies, std::span<const int> r,
                                      std::span<const int> s)
{
    std::vector<PruningPoint> points;
    points.reserve(strategies.size() * r.size() * s.size());
    for (const StrategySet set : strategies) {
        for (const int boundR : r) {
            for (const int boundS : s)
                points.push_back({set, boundR, boundS});
        }
    }
    return points;
}

std::vector<PruningPoint> mostInformativeFirst(std::span<const PruningPoint> points)
{
    std::vector<std::vector<PruningPoint>> perStrategy;
    for (const PruningPoint &point : points) {
        const auto same = std::ranges::find_if(perStrategy, [&](const std::vector<PruningPoint> &of) {
            return of.front().strategies == point.strategies;
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
