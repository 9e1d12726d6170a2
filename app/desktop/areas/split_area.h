#pragma once

// Operators that a person splits into parts, or makes whole again: the open model is read again, and the schedule in
// front comes along where it can.

#include "desktop/areas/area.h"

#include <cstdint>
#include <optional>
#include <string>

namespace stagecraft {

class OpenArea;

class SplitArea : public Area {
    Q_OBJECT

public:
    SplitArea(const AreaContext &context, OpenArea &opening);

    void refresh() override;

private:
    // The selected one; of a part or a join the operator that they are of. Empty: none is selected.
    [[nodiscard]] std::optional<std::string> selected() const;
    void choose();
    void split(const std::string &op, std::int64_t parts, bool byRows); // 1: whole

    OpenArea &m_opening;
};

} // namespace stagecraft
