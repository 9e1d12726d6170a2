#include "flow/study/specialization.h"

#include "flow/study/side_by_side.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace stagecraft {

std::vector<RunPlace> placesOf(std::span<const std::string> devices, std::span<const std::int64_t> batches)
{
    constexpr std::int64_t kOwnBatch = 0;
    const std::span<const std::int64_t> own(&kOwnBatch, 1);
    std::vector<RunPlace> places;
    for (const std::string &device : devices) {
        for (const std::int64_t batch : batches.empty() ? own : batches) {
            RunPlace place{device, batch};
            if (std::ranges::find(places, place) == places.end())
                places.push_back(std::move(place));
        }
    }
    return places;
}

Result<void> Specialization::study(std::span<const RunPlace> places, const SpecializationCallbacks &told,
                                   const std::stop_token &stop)
{
    std::vector<Lane> lanes;
    for (std::vector<RunPlace> &each : sideBySide(places))
        lanes.push_back({std::move(each)});
    TRY(onEach(
        lanes,
        [&](Lane &lane, const RunPlace &place, const std::stop_token &ended) { return make(lane, place, told, ended); },
        stop));
    const auto measureAll = [&](Lane &lane, const RunPlace &on, const std::stop_token &ended) -> Result<void> {
        for (const RunPlace &madeFor : places)
            TRY(measure(lane, on, madeFor, told, ended));
        return {};
    };
    return onEach(lanes, measureAll, stop);
}

// The first error ends all lanes.
Result<void> Specialization::onEach(std::vector<Lane> &lanes, const Work &work, const std::stop_token &stop)
{
    std::stop_source ended;
    const std::stop_callback endAll(stop, [&ended] { ended.request_stop(); });
    std::mutex mutex; // protects `first`
    std::optional<Error> first;
    const auto run = [&](Lane &lane) {
        for (const RunPlace &place : lane.places) {
            auto done = ended.stop_requested() ? fail(ErrorCode::Cancelled, "the study was cancelled")
                                               : work(lane, place, ended.get_token());
            if (done)
                continue;
            const std::scoped_lock lock(mutex);
            if (!first)
                first = std::move(done.error());
            ended.request_stop();
            return;
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < lanes.size(); ++i)
            others.emplace_back([&run, &lane = lanes[i]] { run(lane); });
        if (!lanes.empty())
            run(lanes.front());
    }
    return first ? Result<void>(tl::unexpected(std::move(*first))) : Result<void>();
}

Result<void> Specialization::open(Lane &lane, const RunPlace &place, const SpecializationCallbacks &told)
{
    if (lane.opened.session && lane.place == place)
        return {};
    lane.opened.session.reset(); // before its device
    lane.opened = {};
    TRY_AS(lane.opened, m_open(place));
    lane.place = place;
    const StudiedPlace *known = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        known = &m_opened.try_emplace(place, StudiedPlace{lane.opened.model, lane.opened.device}).first->second;
    }
    if (told.opened)
        told.opened(place, *known);
    return {};
}

Result<void> Specialization::make(Lane &lane, const RunPlace &place, const SpecializationCallbacks &told,
                                  const std::stop_token &stop)
{
    if (made(place))
        return {};
    TRY(open(lane, place, told));
    const OpenedPlace &at = lane.opened;
    SearchOptions options;
    options.order = SearchOrder::Auto;
    options.bounds = SearchBounds::Auto; // as any search of the command line and the window
    const auto progress = [&](const SearchProgress &now) {
        if (told.searching)
            told.searching(place, now);
    };
    auto found = findSchedule(*at.model, *at.session, at.device, {ScheduleKind::IosBoth, options}, {progress}, stop);
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the study was cancelled");
    TRY(found);
    const FoundSchedule *known = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        known = &m_made.emplace(place, std::move(*found)).first->second;
    }
    if (told.made)
        told.made(place, *known);
    return {};
}

Result<void> Specialization::measure(Lane &lane, const RunPlace &on, const RunPlace &madeFor,
                                     const SpecializationCallbacks &told, const std::stop_token &stop)
{
    if (measured(on, madeFor))
        return {};
    TRY(open(lane, on, told));
    const OpenedPlace &at = lane.opened;
    TimedSchedule schedule = made(madeFor)->schedule;
    schedule.context.batch = at.model->graph->batch();
    TRY(measureInto(schedule, *at.model, *at.session, at.device, stop));
    const TimedSchedule *known = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        known = &m_measured.emplace(std::pair(on, madeFor), std::move(schedule)).first->second;
    }
    if (told.measured)
        told.measured(on, madeFor, *known);
    return {};
}

const StudiedPlace *Specialization::opened(const RunPlace &place) const
{
    const std::scoped_lock lock(m_mutex);
    const auto known = m_opened.find(place);
    return known != m_opened.end() ? &known->second : nullptr;
}

const FoundSchedule *Specialization::made(const RunPlace &place) const
{
    const std::scoped_lock lock(m_mutex);
    const auto known = m_made.find(place);
    return known != m_made.end() ? &known->second : nullptr;
}

const TimedSchedule *Specialization::measured(const RunPlace &on, const RunPlace &madeFor) const
{
    const std::scoped_lock lock(m_mutex);
    const auto known = m_measured.find({on, madeFor});
    return known != m_measured.end() ? &known->second : nullptr;
}

} // namespace stagecraft
