#pragma once

// The members of a recorded profile (timing/recorded_profile.h) for JSON.

#include "support/records/record.h"
#include "timing/recorded_profile.h"

namespace stagecraft {

void eachMember(Of<ProfileSource> auto &source, auto &&visit)
{
    visit(Field{"file", "as it was named"}.required(), source.file);
    visit({"sha256", "of the file as it lies there"}, source.sha256);
}

void eachMember(Of<UnmappedKernels> auto &kernels, auto &&visit)
{
    visit({"name", "name of the kernel or layer"}, kernels.name);
    visit({"time_us", "of all of them", Unit::Us}, kernels.timeUs);
    visit({"kernels", "how many there are", Unit::Count}, kernels.count);
}

void eachMember(Of<RecordedProfile> auto &profile, auto &&visit)
{
    visit({"program", "the program that recorded it"}, profile.program);
    visit({"program_version", "its version; empty: unknown"}, profile.version);
    visit({"files", "a file of the profile"}, profile.files);
    visit({"mapped_us", "of kernels that were told to be an operator's", Unit::Us}, profile.mappedUs);
    visit({"unmapped_us", "of the others", Unit::Us}, profile.unmappedUs);
    visit({"unmapped", "kernels of one name that were told to be no operator's, longest first"}, profile.unmapped);
    visit({"profile_notes", "what its schedule does not say of what was observed"}, std::as_const(profile.notes));
}
template <>
inline constexpr std::string_view kPartName<RecordedProfile> = "recorded_profile";

} // namespace stagecraft
