#include "flow/study/size_study.h"

#include "flow/compare_in_rounds.h"
#include "flow/find_schedule.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kBaselines = 2; // Sequential and Greedy

Result<std::vector<FoundSchedule>> schedulesOf(const OpenedPlace &at, const SearchProgressCallback &progress,
                                               const std::stop_token &stop)
{
    std::vector<FoundSchedule> all;
    for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy}) {
        TRY_AS(auto baseline, measuredBaseline(kind, *at.model, *at.session, at.device, stop));
        all.push_back(std::move(baseline));
    }
    SearchOptions options;
    options.order = SearchOrder::Auto;
    options.bounds = SearchBounds::Auto; // as any search of the command line and the window
    TRY_AS(auto found,
           findSchedule(*at.model, *at.session, at.device, {ScheduleKind::IosBoth, options}, {progress}, stop));
    all.push_back(std::move(found));
    return all;
}

} // namespace

Result<const SizePoint *> SizeStudy::study(std::int64_t size, const Progress &progress, const std::stop_token &stop)
{
    const auto known = std::ranges::find(m_points, size, &SizePoint::size);
    if (known != m_points.end())
        return &*known;
    TRY_AS(const auto at, m_open(size));
    auto made = schedulesOf(at, progress ? progress(size, at) : SearchProgressCallback(), stop);
    const auto cancelled = [] { return fail(ErrorCode::Cancelled, "the sweep was cancelled"); };
    if (stop.stop_requested())
        return cancelled();
    TRY(made);
    TRY_AS(auto compared, compareInRounds(*made, kBaselines, *at.session, m_rounds, stop));
    if (stop.stop_requested())
        return cancelled();
    SizePoint point{.size = size, .rounds = compared.rounds, .refusal = made->back().refusal};
    std::ranges::move(compared.times, point.times.begin());
    point.found = std::make_shared<const TimedSchedule>(std::move(made->back().schedule));
    return &m_points.emplace_back(std::move(point));
}

std::vector<SizePoint> SizeStudy::points() const
{
    std::vector<SizePoint> all(m_points.begin(), m_points.end());
    std::ranges::sort(all, {}, &SizePoint::size);
    return all;
}

} // namespace stagecraft
