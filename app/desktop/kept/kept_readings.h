#pragma once

// How files were read the last time, in the window's settings: a file that is opened again shows the same graph.

#include "results/files/session.h"

#include <QString>

namespace stagecraft {

[[nodiscard]] SessionReading keptReading(const QString &spec); // the usual one if nothing else was chosen
void keepReading(const QString &spec, const SessionReading &reading);

} // namespace stagecraft
