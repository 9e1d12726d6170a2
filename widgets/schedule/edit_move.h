#pragma once

// A move of operators in progress: where they can be dropped, the current target, and what dropping them there would
// do. Plain values; changes nothing.

#include "widgets/schedule/planned_move.h"

#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

class EditMove {
public:
    // Needs at least one operator.
    EditMove(EditContext context, std::vector<OperatorId> operators, bool byKeys);

    [[nodiscard]] const std::vector<OperatorId> &operators() const { return m_operators; }
    [[nodiscard]] std::size_t block() const; // of the first operator
    [[nodiscard]] const std::vector<EditPlaceAnswer> &places() const { return m_places; }
    [[nodiscard]] bool isByKeys() const { return m_byKeys; }
    [[nodiscard]] bool takesAlong() const { return m_takesAlong; }
    [[nodiscard]] const std::optional<PlannedMove> &plan() const { return m_plan; } // nullopt: no target
    [[nodiscard]] QString text() const; // of the plan; empty if there is none

    // False if that is the target already.
    bool aim(const std::optional<EditPlace> &place, bool takeAlong);
    // Goes to the next place where they can be dropped; false if there is none.
    bool visit(int direction, bool takeAlong);
    [[nodiscard]] QString whyNoFurther(int direction) const;
    // Adds a digit to the stage number; false if there is no such stage.
    bool type(int digit);
    void endNumber() { m_typed = 0; }

private:
    EditContext m_context;
    std::vector<OperatorId> m_operators;
    std::size_t m_stage = 0; // of the first operator
    std::vector<EditPlaceAnswer> m_places;
    std::optional<PlannedMove> m_plan;
    bool m_byKeys = false;
    bool m_takesAlong = false;
    int m_typed = 0;
};

} // namespace stagecraft
