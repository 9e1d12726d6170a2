#pragma once

#include "support/result.h"

class QPixmap;
class QString;

namespace stagecraft {

// All or nothing (support/output_file.h), in the format of the file name's extension; PNG if it has none.
[[nodiscard]] Result<void> writePicture(const QPixmap &picture, const QString &path);

} // namespace stagecraft
