#pragma once

// What is drawn of the graph before and after a pass: all of a small one, the neighbourhood of a change of a large one.
// A pure function over values.

#include "model/rewrite/pass_step.h"
#include "widgets/graph/paint/operator_marks.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kWholeStep = 150; // operators; more is shown in part
inline constexpr std::size_t kStepsAround = 2;

struct ShownGraph {
    std::shared_ptr<const Graph> graph;
    std::vector<OperatorId> operators; // by operator of `graph`: the one of the whole; ascending
    std::vector<OperatorMark> marks;   // by operator of `graph`
    std::vector<OperatorId> change;    // operators of `graph`, of the change that is looked at
    bool isWhole = true;

    // The operator here; nullopt: it is not in this part.
    [[nodiscard]] std::optional<OperatorId> find(OperatorId ofWhole) const;
};

struct ShownStep {
    ShownGraph before;
    ShownGraph after;
};

// `change`: operators of `step.before` that are gone; empty: none is looked at, and of a large graph the first is.
[[nodiscard]] ShownStep shownStep(const PassStep &step, std::span<const OperatorId> change);

} // namespace stagecraft
