#pragma once

// The answer of "compare", for programs and for people.

#include "answers/comparison_answers.h"
#include "cli/schedule_names.h"
#include "flow/compare_in_rounds.h"
#include "flow/find/one_cuda_graph.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

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
    bool why = false;
    std::optional<OneCudaGraph> oneCudaGraph = {}; // beside a sequential schedule that the host launches
    std::optional<answers::OnOwnStreams> ownStreams = {};
    std::optional<answers::FailBelow> verdict = {};
    std::vector<std::shared_ptr<const TimelineIndex>> timelines = {}; // by schedule; null, or none at all: it has none

    [[nodiscard]] bool isTimed() const { return comparison.rounds > 1; } // in rounds that have an interval
    [[nodiscard]] bool isComparable(std::size_t which) const;
    [[nodiscard]] std::optional<double> overOneCudaGraph(std::size_t which) const;
};

// On standard error: baselines that replace what was searched for.
void tellReplaced(const Comparison &comparison, const std::vector<ComparedSchedule> &shown);
[[nodiscard]] answers::Compare compareAnswer(const CompareAnswer &answer);
[[nodiscard]] std::string notPassedText(const answers::FailBelow &verdict, const std::string &last,
                                        const std::string &first);
void printComparison(const CompareAnswer &answer);

} // namespace stagecraft
