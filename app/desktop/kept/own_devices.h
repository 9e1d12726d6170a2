#pragma once

// The simulated devices a user added, changed or from files. They are kept in the settings, so they are available at
// the next start. Newest first; the oldest beyond kMostOwnDevices are dropped.

#include <QStringList>

namespace stagecraft {

inline constexpr qsizetype kMostOwnDevices = 8;

[[nodiscard]] QStringList ownDevices();
void keepOwnDevice(const QString &id); // ignores ids of devices that are not simulated

} // namespace stagecraft
