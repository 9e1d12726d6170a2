#include "flow/study/specialization.h"

#include <algorithm>

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

Result<const OpenedPlace *> Specialization::open(const RunPlace &place)
{
    if (m_opened.session && m_place == place)
        return &m_opened;
    m_opened.session.reset(); // before its device
    m_opened = {};
    TRY_AS(auto opened, m_open(place));
    m_place = place;
    m_opened = std::move(opened);
    return &m_opened;
}

Result<const FoundSchedule *> Specialization::make(const RunPlace &place, const SearchProgressCallback &progress,
                                                   std::stop_token stop)
{
    if (const auto known = m_made.find(place); known != m_made.end())
        return &known->second;
    TRY_AS(const auto opened, open(place));
    const OpenedPlace &at = *opened;
    SearchOptions options;
    options.bounds = SearchBounds::Auto; // as any search of the command line and the window
    auto made = findSchedule(*at.model, *at.session, at.device, {ScheduleKind::IosBoth, options}, {progress}, stop);
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the study was cancelled");
    TRY(made);
    return &m_made.emplace(place, std::move(*made)).first->second;
}

Result<const TimedSchedule *> Specialization::measure(const RunPlace &on, const RunPlace &madeFor, std::stop_token stop)
{
    const std::pair cell(on, madeFor);
    if (const auto known = m_measured.find(cell); known != m_measured.end())
        return &known->second;
    const auto made = m_made.find(madeFor);
    if (made == m_made.end())
        return fail(ErrorCode::WrongUse, "no schedule was made for this place");
    TRY_AS(const auto opened, open(on));
    const OpenedPlace &at = *opened;
    TimedSchedule schedule = made->second.schedule;
    schedule.context.batch = at.model->graph->batch();
    TRY(measureInto(schedule, *at.model, *at.session, at.device, std::move(stop)));
    return &m_measured.emplace(cell, std::move(schedule)).first->second;
}

} // namespace stagecraft
