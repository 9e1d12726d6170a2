#include "flow/export/result_timeline.h"

#include "flow/profiled_timeline.h"
#include "support/error_text.h"

#include <memory>
#include <utility>

namespace stagecraft {

Result<void> addTimeline(RatedResult &result, const Model &model, DeviceSession *session, const std::stop_token &stop)
{
    auto timeline = timelineOfResult(model, *result.schedule, session, stop);
    if (!timeline) {
        result.whyNoTimeline = errorText(timeline.error());
        return tl::unexpected(std::move(timeline.error()));
    }
    result.timeline = std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(std::move(*timeline)));
    return {};
}

} // namespace stagecraft
