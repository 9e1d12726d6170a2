#pragma once

// What Help > About says: version, licences, and what the program is built on.

#include <QString>

namespace stagecraft {

[[nodiscard]] QString aboutTitle();
[[nodiscard]] QString aboutText();

} // namespace stagecraft
