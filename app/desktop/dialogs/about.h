#pragma once

// The text of Help > About: version, licences, and the libraries used.

#include <QString>

namespace stagecraft {

[[nodiscard]] QString aboutTitle();
[[nodiscard]] QString aboutText();

} // namespace stagecraft
