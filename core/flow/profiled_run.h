#pragma once

// The typical run of a profile, kernel by kernel, from its first start.

#include "flow/import_profile.h"
#include "timing/recorded_profile.h"

#include <cstdint>
#include <vector>

namespace stagecraft {

struct SpanInRun {
    std::uint32_t kernel = 0; // of Profile::kernels
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
};

// Ascending by start. Layers, which have none, one after the other in the order of the file.
[[nodiscard]] std::vector<SpanInRun> spansOfRun(const ImportedProfile &imported);

[[nodiscard]] std::vector<UnmappedKernels> unmappedByName(const ImportedProfile &imported); // longest first

[[nodiscard]] constexpr double profiledUs(std::int64_t ns)
{
    return static_cast<double>(ns) / 1000;
}

} // namespace stagecraft
