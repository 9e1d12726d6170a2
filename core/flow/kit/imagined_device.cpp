#include "flow/kit/imagined_device.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

Result<StageLatency> ImaginedDevice::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "stopped");
    const StageSignature signature = m_known.signatureOf(question);
    // Answers count as stored: none of them takes a measurement, and their speed says nothing about the device.
    const auto answer = [](double us) { return StageLatency{Timing::ofLatency(us), LatencyKind::Stored}; };
    if (const auto known = m_known.latencyUs(signature)) {
        if (std::isfinite(*known))
            return answer(*known);
        return fail(ErrorCode::DeviceFailed, "the device refused the stage");
    }
    if (!m_asked.has(signature) && m_asked.size() >= m_most)
        return fail(ErrorCode::Cancelled, "the budget is used up");
    m_asked.add(question.stage, signature);
    const double us = m_guesses.latencyUs(question.stage, signature);
    if (m_less == 0 || question.stage.operatorCount() == 1)
        return answer(us);
    return answer(std::max(us * (1 - m_less), m_guesses.slowestGroupUs(question.stage)));
}

} // namespace stagecraft
