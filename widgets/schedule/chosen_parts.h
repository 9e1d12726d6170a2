#pragma once

// The chosen parts of a schedule: any number of operators and stages. Plain values.

#include "schedule/schedule.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

struct ChosenParts {
    std::vector<OperatorId> operators; // in the order they were chosen; the last one is current
    std::vector<std::size_t> stages;   // likewise

    [[nodiscard]] bool isEmpty() const { return operators.empty() && stages.empty(); }
    [[nodiscard]] bool has(OperatorId op) const;
    [[nodiscard]] bool has(std::size_t stage) const;
    void toggle(OperatorId op);
    void toggle(std::size_t stage);

    friend bool operator==(const ChosenParts &, const ChosenParts &) = default;
};

// The operators, including those of the stages, ascending.
[[nodiscard]] std::vector<OperatorId> operatorsOf(const ChosenParts &chosen, const Schedule &schedule);
// The stages, including those of the operators, ascending.
[[nodiscard]] std::vector<std::size_t> stagesOf(const ChosenParts &chosen, const Schedule &schedule);
// The same choice in another schedule of the model: keeps stages that contain only chosen operators.
[[nodiscard]] ChosenParts chosenIn(const Schedule &now, const ChosenParts &chosen, const Schedule &before);

} // namespace stagecraft
