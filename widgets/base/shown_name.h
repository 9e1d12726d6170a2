#pragma once

// Names of operators, tensors and types on screen: whatever the file contains, they stay on one line and in reading
// order (support/shown_text.h).

#include "support/shown_text.h"

#include <QString>

namespace stagecraft {

[[nodiscard]] inline QString shownName(std::string_view name)
{
    return QString::fromStdString(shownText(name));
}

} // namespace stagecraft
