#pragma once

// Names of operators, tensors and types on screen: whatever a file calls them, they stay in their line and in their
// order (support/shown_text.h).

#include "support/shown_text.h"

#include <QString>

namespace stagecraft {

[[nodiscard]] inline QString shownName(std::string_view name)
{
    return QString::fromStdString(shownText(name));
}

} // namespace stagecraft
