#pragma once

// A picture for each view of an export.

#include "export/formats.h"
#include "pictures/picture.h"
#include "widgets/base/theme.h"

namespace stagecraft {

[[nodiscard]] Picture graphPicture(const ExportRequest &request, const Theme &theme);
[[nodiscard]] Picture schedulePicture(const ExportRequest &request);
[[nodiscard]] Picture timelinePicture(const ExportRequest &request, const Theme &theme);
[[nodiscard]] Picture timePartsPicture(const ExportRequest &request, const Theme &theme);
[[nodiscard]] Picture comparisonPicture(const ExportRequest &request, const Theme &theme);
[[nodiscard]] Picture tradeoffPicture(const ExportRequest &request, const Theme &theme);
[[nodiscard]] Picture specialisationPicture(const ExportRequest &request, const Theme &theme);

} // namespace stagecraft
