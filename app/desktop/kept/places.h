#pragma once

// The machines whose devices a person uses (desktop/dialogs/devices_dialog.h), kept in the settings. Newest first.

#include <QStringList>

namespace stagecraft {

[[nodiscard]] QStringList keptPlaces(); // "ssh:gpu1", "slurm:gpu"
void keepPlace(const QString &place);
void forgetPlace(const QString &place);

} // namespace stagecraft
