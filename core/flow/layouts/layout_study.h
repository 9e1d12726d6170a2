#pragma once

// Layouts on a device that executes: what operators and conversions take, and whole networks in different layouts,
// timed side by side.

#include "device/device.h"
#include "measure/rounds.h"
#include "model/model.h"
#include "search/layouts/layout_costs.h"
#include "search/layouts/layout_search.h"
#include "support/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// The layouts that a device executes tensor by tensor; empty: none.
[[nodiscard]] std::vector<TensorLayout> executedLayouts(const std::string &deviceId);

struct LayoutProfiles {
    std::int64_t asked = 0;    // latencies that the problem has
    std::int64_t distinct = 0; // of which so many differ in operator, shapes or layouts
    std::int64_t kept = 0;     // of the distinct ones, those that were stored already
    std::int64_t refused = 0;  // distinct ones for which the device has no kernel: impossible
};

struct ProfiledLayouts {
    LayoutCosts costs;
    LayoutProfiles profiles;
};

// Called before each profile with how many are done, of how many.
using ProfileProgress = std::function<void(std::int64_t done, std::int64_t all)>;

// Operators and conversions are timed one by one, equal ones once. A latency that is stored is not timed again, even if
// something disturbed it: it was the better of two then, and a second run that has all of them measures nothing.
// Errors: the device's.
[[nodiscard]] Result<ProfiledLayouts> profileLayouts(const Model &model, const Device &device,
                                                     std::span<const TensorLayout> layouts,
                                                     const ProfileProgress &progress, const std::stop_token &stop);

// The network in the layouts of an assignment; without one, in those that the device chooses.
struct LayoutVariant {
    std::string name;
    std::optional<LayoutAssignment> assignment;
};

struct MeasuredVariant {
    TimingInRounds timing;        // compared with the first variant
    double largestDifference = 0; // of its outputs from those of the first, relative to the largest value
};

// One operator after the other, all variants in rounds, `rounds` times. Errors: the device's.
[[nodiscard]] Result<std::vector<MeasuredVariant>> measureVariants(const Model &model, const Device &device,
                                                                   const LayoutProblem &problem,
                                                                   std::span<const LayoutVariant> variants, int rounds,
                                                                   const std::stop_token &stop);

} // namespace stagecraft
