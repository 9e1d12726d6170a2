#pragma once

// Where file dialogs start, in the folder of the last file, else the user's own folder; and which files are models.

#include <QString>

namespace stagecraft {

[[nodiscard]] QString dialogFolder(); // is there
void keepDialogFolder(const QString &file);
[[nodiscard]] QString modelPatterns(); // "*.onnx *.json"

} // namespace stagecraft
