#pragma once

// Operators that are picked up: where they can be put down, where they are held now, and what putting them down there
// would do. Plain values; nothing is changed.

#include "widgets/schedule/planned_move.h"

#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

namespace stagecraft {

class EditMove {
public:
    // At least one operator.
    EditMove(EditContext context, std::vector<OperatorId> operators, bool byKeys);

    [[nodiscard]] const std::vector<OperatorId> &operators() const { return m_operators; }
    [[nodiscard]] std::size_t block() const; // of the first of them
    [[nodiscard]] const std::vector<EditPlaceAnswer> &places() const { return m_places; }
    [[nodiscard]] bool isByKeys() const { return m_byKeys; }
    [[nodiscard]] bool takesAlong() const { return m_takesAlong; }
    [[nodiscard]] const std::optional<PlannedMove> &plan() const { return m_plan; } // nothing: held nowhere
    [[nodiscard]] QString text() const;                                             // of the plan; empty: none

    // False: it is held there already.
    bool aim(const std::optional<EditPlace> &place, bool takeAlong);
    // To the next place where it can be put down; false: there is none.
    bool visit(int direction, bool takeAlong);
    [[nodiscard]] QString whyNoFurther(int direction) const;
    // A digit more of the number of a stage; false: there is no such stage.
    bool type(int digit);
    void endNumber() { m_typed = 0; }

private:
    EditContext m_context;
    std::vector<OperatorId> m_operators;
    std::size_t m_stage = 0; // of the first of them
    std::vector<EditPlaceAnswer> m_places;
    std::optional<PlannedMove> m_plan;
    bool m_byKeys = false;
    bool m_takesAlong = false;
    int m_typed = 0;
};

} // namespace stagecraft
