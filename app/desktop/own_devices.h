#pragma once

// The simulated devices a person added, changed ones and those from files: kept in the settings, so that they are
// there again when the program starts. The latest come first; the oldest beyond kMostOwnDevices are forgotten.

#include <QStringList>

namespace stagecraft {

inline constexpr qsizetype kMostOwnDevices = 8;

[[nodiscard]] QStringList ownDevices();
void keepOwnDevice(const QString &id); // any other id than a simulated device's is not kept

} // namespace stagecraft
