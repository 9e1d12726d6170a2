#pragma once

// Where file dialogs start: in the folder of the last file, else the user's own folder.

#include <QString>

namespace stagecraft {

[[nodiscard]] QString dialogFolder(); // is there
void keepDialogFolder(const QString &file);

} // namespace stagecraft
