#pragma once

// The recently opened models, newest first, kept in the user's settings.

#include <QStringList>

namespace stagecraft {

[[nodiscard]] QStringList recentFiles();
void addRecentFile(const QString &spec);
void clearRecentFiles();

} // namespace stagecraft
