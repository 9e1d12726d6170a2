// Profiles of other programs, and plans that are verified.

#include "device/recorded/profiles/profile_reader.h"
#include "flow/verify_plan.h"
#include "fuzz/target.h"

#include <array>

namespace stagecraft::fuzz {

void readProfile(std::string_view bytes)
{
    const std::array paths{fileWith("fuzzed.profile", bytes)};
    const auto read = stagecraft::readProfile(paths);
    if (!read)
        return;
    for (const ProfiledKernel &kernel : read->kernels)
        require(kernel.stream == kNoPlace || kernel.stream < read->streams.size(),
                "kernels are on streams of the profile");
}

void readPlan(std::string_view bytes)
{
    auto plan = openPlan(fileWith("fuzzed.plan", bytes));
    if (plan)
        (void)verifyPlan(std::move(*plan), &sampleModel());
}

} // namespace stagecraft::fuzz
