#pragma once

// The answer of "compare", as JSON and for people.

#include "cli/command_line.h"
#include "cli/schedule_names.h"
#include "flow/compare_in_rounds.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// --fail-below: the last schedule against the first.
struct SpeedupWanted {
    double wanted = 1;
    SpeedupEstimate against;
    bool hasInterval = false;

    [[nodiscard]] bool isPassed() const { return against.speedup >= wanted; }

    [[nodiscard]] std::string text(const std::string &last, const std::string &first) const; // it is not passed
};

struct CompareAnswer {
    const Model &model;
    const DeviceInfo &device;
    const CostBasis &basis;
    const SearchOptions &search;
    const std::vector<FoundSchedule> &made;
    const std::vector<ComparedSchedule> &shown; // which those are
    const Comparison &comparison;
    bool hasFirst = true; // of those that were asked for; speed-ups are against it
    bool differences = false;
    std::optional<SpeedupWanted> verdict = {};

    [[nodiscard]] bool isTimed() const { return comparison.rounds > 1; } // in rounds that have an interval
    [[nodiscard]] bool isComparable(std::size_t which) const;
};

// On standard error: baselines that replace what was searched for.
void tellReplaced(const Comparison &comparison, const std::vector<ComparedSchedule> &shown);
[[nodiscard]] Json compareJson(const CompareAnswer &answer);
void printComparison(const CompareAnswer &answer);

} // namespace stagecraft
