#pragma once

// A profile that another program recorded, bound to a model: which operators each kernel or layer computed, and what
// their times add up to. What no rule binds stays, as unmapped time with its kernels.

#include "device/recorded/profiles/profile.h"
#include "device/recorded/profiles/profile_reader.h"
#include "device/recorded/profiles/profile_times.h"
#include "flow/profile/kernel_order.h"
#include "flow/profile/node_names.h"
#include "model/model.h"
#include "support/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// What one operator took in the typical run. The time of a kernel that computed several is counted for the one with the
// most arithmetic; `with` names the others.
struct ProfiledOperator {
    OperatorId op;
    std::int64_t timeNs = 0;
    MappedBy by = MappedBy::Name; // of the kernel that took longest
    KernelPlaces kernels{};
    std::vector<OperatorId> with{};
};

// A chain that nothing could shorten but faster kernels.
struct ProfiledPath {
    enum class Along { Edges, Streams, Events };

    Along along = Along::Edges;
    std::int64_t lengthNs = 0;
    std::vector<OperatorId> operators; // along edges
    KernelPlaces kernels;              // else
};

[[nodiscard]] std::string_view toString(ProfiledPath::Along along);

struct ImportedProfile {
    Profile profile;
    ProfileTimes times;
    KernelMappings mappings;                 // by kernel; the first operator is the one its time is counted for
    std::vector<ProfiledOperator> operators; // with time, in the order of the graph
    std::int64_t mappedNs = 0;               // of the typical run: with unmappedNs, the sum of its kernels
    std::int64_t unmappedNs = 0;
    KernelPlaces unmapped;            // kernels of the typical run, longest first
    std::optional<ProfiledPath> path; // empty: kernels have no starts, and too few are mapped
};

[[nodiscard]] ImportedProfile bindProfile(const Model &model, Profile profile);

// Errors: InvalidInput, naming file, line or table and reason; Cancelled.
[[nodiscard]] Result<ImportedProfile> importProfile(const Model &model, std::span<const std::string> files,
                                                    const std::stop_token &stop = {});
[[nodiscard]] Result<ImportedProfile> importProfile(const Model &model, std::vector<ProfileFile> files,
                                                    const std::stop_token &stop = {});

} // namespace stagecraft
