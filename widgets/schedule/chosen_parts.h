#pragma once

// What is chosen of a schedule: several operators and several stages at once. Plain values.

#include "schedule/schedule.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct ChosenParts {
    std::vector<OperatorId> operators; // in the order in which they were chosen, the last one in front
    std::vector<std::size_t> stages;   // likewise

    [[nodiscard]] bool isEmpty() const { return operators.empty() && stages.empty(); }
    [[nodiscard]] bool has(OperatorId op) const;
    [[nodiscard]] bool has(std::size_t stage) const;
    void toggle(OperatorId op);
    void toggle(std::size_t stage);

    friend bool operator==(const ChosenParts &, const ChosenParts &) = default;
};

// Operators and those of the stages, ascending.
[[nodiscard]] std::vector<OperatorId> operatorsOf(const ChosenParts &chosen, const Schedule &schedule);
// Stages and those of the operators, ascending.
[[nodiscard]] std::vector<std::size_t> stagesOf(const ChosenParts &chosen, const Schedule &schedule);
// The same in another schedule of the model: stages that hold nothing but what was chosen.
[[nodiscard]] ChosenParts chosenIn(const Schedule &now, const ChosenParts &chosen, const Schedule &before);

} // namespace stagecraft
