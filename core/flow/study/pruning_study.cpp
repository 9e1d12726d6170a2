#include "flow/study/pruning_study.h"

#include "flow/explain/memory_of_schedule.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

PruningStudy::PruningStudy(const Model &model, std::unique_ptr<MeasuringSession> session, DeviceInfo device)
    : m_model(model), m_session(std::move(session)), m_device(std::move(device))
{
}

PruningStudy::PruningStudy(const Model &model, std::unique_ptr<DeviceSession> session, DeviceInfo device)
    : PruningStudy(model, std::make_unique<MeasuringSession>(std::move(session), *model.graph), std::move(device))
{
}

Result<const StudyPoint *> PruningStudy::study(const PruningPoint &point, const SearchProgressCallback &progress,
                                               std::stop_token stop)
{
    if (const StudyPoint *known = find(point))
        return known;
    SearchOptions options;
    options.r = point.r;
    options.s = point.s;
    options.singleSource = point.singleSource;
    options.order = SearchOrder::Auto;
    options.bounds = SearchBounds::Auto; // as any search of the command line and the window
    (void)m_session->takeAsked();
    const double savedBefore = m_session->savedSeconds();
    auto made = findSchedule(m_model, *m_session, m_device, {kindOf(point.strategies), options}, {progress}, stop);
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the study was cancelled");
    TRY(made);
    made->schedule.search.measureSeconds += m_session->savedSeconds() - savedBefore;
    // A recording is asked by name: nothing is shared, and its answers count as measurements.
    const std::int64_t asked = std::max(m_session->takeAsked(), made->schedule.search.stageMeasurements);
    const auto livePeakBytes = livePeakBytesOf(m_model, made->schedule, m_device);
    return &m_points.emplace_back(StudyPoint{point, std::make_shared<const TimedSchedule>(std::move(made->schedule)),
                                             std::move(made->blocks), asked, std::move(made->refusal), livePeakBytes});
}

const StudyPoint *PruningStudy::find(const PruningPoint &point) const
{
    const auto found = std::ranges::find(m_points, point, &StudyPoint::point);
    return found == m_points.end() ? nullptr : &*found;
}

std::vector<StudyPoint> PruningStudy::known(std::span<const PruningPoint> points) const
{
    std::vector<StudyPoint> all;
    for (const PruningPoint &point : points) {
        if (const StudyPoint *studied = find(point))
            all.push_back(*studied);
    }
    return all;
}

} // namespace stagecraft
