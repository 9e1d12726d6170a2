#pragma once

// The recently opened models, newest first, kept in the user's settings. A row may be of several that were open as one.

#include <QStringList>

namespace stagecraft {

[[nodiscard]] QStringList recentFiles();
void addRecentFile(const QString &spec);
void clearRecentFiles();
[[nodiscard]] QString shortSpec(const QString &spec); // "resnet18.onnx + heads", without folders

} // namespace stagecraft
