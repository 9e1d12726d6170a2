#pragma once

// How files were read the last time, in the window's settings: a file that is opened again shows the same graph.

#include "graph/model_reference.h"

#include <QString>

namespace stagecraft {

[[nodiscard]] Reading keptReading(const QString &spec); // the usual one if nothing else was chosen
void keepReading(const QString &spec, const Reading &asRead);

} // namespace stagecraft
