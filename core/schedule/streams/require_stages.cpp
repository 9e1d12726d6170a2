#include "schedule/streams/require_stages.h"

#include <fmt/format.h>

namespace stagecraft {

Result<void> requireStages(const Schedule &schedule, std::string_view what)
{
    if (!schedule.streams)
        return {};
    return fail(ErrorCode::WrongUse,
                fmt::format("{} takes a schedule with stages, and this one has streams without barriers", what),
                "Use a schedule with stages, as optimize --strategy both makes it");
}

} // namespace stagecraft
