#pragma once

#include <QString>

namespace stagecraft {

// The text for an unexpected exception. Called in a catch block.
[[nodiscard]] QString unexpectedReason();

} // namespace stagecraft
