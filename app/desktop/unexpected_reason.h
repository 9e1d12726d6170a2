#pragma once

#include <QString>

namespace stagecraft {

// What an exception that nobody expected tells a person. Called in a catch block.
[[nodiscard]] QString unexpectedReason();

} // namespace stagecraft
