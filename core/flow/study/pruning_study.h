#pragma once

// The pruning trade-off (IOS, section 7.3): what bounds on r and s and on the strategies cost in latency and save in
// search. The points of a study share measurements; each states its own cost.

#include "flow/find_schedule.h"
#include "measure/measuring_session.h"
#include "model/model.h"
#include "results/study_point.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

class PruningStudy {
public:
    // The model must outlive the study. The session is one for a study.
    PruningStudy(const Model &model, std::unique_ptr<MeasuringSession> session, DeviceInfo device);
    // On a session of its own.
    PruningStudy(const Model &model, std::unique_ptr<DeviceSession> session, DeviceInfo device);

    // A repeated request returns the same answer at no cost. Errors: as in findSchedule, and Cancelled if the search
    // was stopped early; previous points stay.
    [[nodiscard]] Result<const StudyPoint *> study(const PruningPoint &point, const SearchProgressCallback &progress,
                                                   std::stop_token stop);

    [[nodiscard]] const std::deque<StudyPoint> &points() const { return m_points; } // in the order of study
    [[nodiscard]] const StudyPoint *find(const PruningPoint &point) const;          // null: not studied yet
    // In the order of `points`; those that a stop left out are not there.
    [[nodiscard]] std::vector<StudyPoint> known(std::span<const PruningPoint> points) const;
    // For all points together; shared measurements count once.
    [[nodiscard]] std::int64_t stageMeasurements() const { return m_session->measurements(); }

private:
    const Model &m_model;
    std::unique_ptr<MeasuringSession> m_session;
    DeviceInfo m_device;
    std::deque<StudyPoint> m_points;
};

} // namespace stagecraft
