#pragma once

#include "support/result.h"

class QImage;
class QString;

namespace stagecraft {

// All or nothing (support/output_file.h), in the format of the file name's extension; PNG if it has none.
[[nodiscard]] Result<void> writePicture(const QImage &picture, const QString &path);

} // namespace stagecraft
