#pragma once

// What is known of two models that share a device: when each has its result under each plan, what it takes alone, and
// where the time of a plan goes. Values; times in microseconds.

#include "timing/provenance.h"
#include "timing/timeline/time_parts.h"

#include <QString>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kModelsTogether = 2;

struct TogetherPlan {
    QString name; // "streams, resnet50 first"
    double latencyUs = 0;
    std::array<double, kModelsTogether> endsUs{}; // when each model has its result
    bool isOnFront = false;                       // no other plan here has both results as early
};

struct TogetherTime { // where it goes
    QString name;     // of the plan
    TimeParts parts;
    TimePartSources sources;
};

struct TogetherFacts {
    std::array<QString, kModelsTogether> models;
    std::array<double, kModelsTogether> aloneUs{}; // 0: not known
    double inTurnUs = 0;                           // both, one after another; 0: not known
    std::vector<TogetherPlan> plans;
    std::optional<std::size_t> shown; // that of the result that all views show
    std::vector<TogetherTime> times;  // one after another, and the plan shown, as far as there are timelines
    std::optional<Provenance> provenance;

    [[nodiscard]] bool isEmpty() const { return plans.empty(); }
};

// Marks the plans that no other beats in both latencies.
void markFront(std::vector<TogetherPlan> &plans);

// "streams: squeezenet 312 µs, alexnet 401 µs, both 401 µs; no plan here has both earlier"
[[nodiscard]] QString planText(const TogetherFacts &facts, std::size_t plan);

// Both tables as rows of tab-separated texts, for the clipboard.
[[nodiscard]] QString togetherText(const TogetherFacts &facts);

} // namespace stagecraft
