#pragma once

#include "support/result.h"

class QPixmap;
class QString;

namespace stagecraft {

// All or nothing (support/output_file.h), in the format the name asks for; PNG where it asks for none.
[[nodiscard]] Result<void> writePicture(const QPixmap &picture, const QString &path);

} // namespace stagecraft
