#include "schedule/rtasks/require_unfused.h"

#include "schedule/verify_words.h"

#include <fmt/format.h>

namespace stagecraft {

Result<void> requireUnfused(std::span<const Stage> stages, std::string_view what)
{
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (const auto checked = requireUnfused(stages[i], what); !checked)
            return within(stageName(i), checked.error());
    }
    return {};
}

Result<void> requireUnfused(const Stage &stage, std::string_view what)
{
    if (!stage.isFused())
        return {};
    return fail(ErrorCode::WrongUse, fmt::format("{} has no fused stages", what),
                "Run the stage concurrently (edit --concurrent STAGE), or use cpu or a simulated device");
}

} // namespace stagecraft
