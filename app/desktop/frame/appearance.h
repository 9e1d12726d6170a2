#pragma once

// The look of the program: Fusion with its own light and dark palettes, and a small style sheet for what palettes
// cannot express. Views follow the palette (widgets/base/theme.h).

#include <QString>

#include <optional>

class QApplication;

namespace stagecraft {

enum class Appearance { System, Light, Dark };

[[nodiscard]] std::optional<Appearance> appearanceFromString(const QString &text); // "system", "light", "dark"
[[nodiscard]] QString toString(Appearance appearance);

void applyAppearance(QApplication &application, Appearance appearance);

} // namespace stagecraft
