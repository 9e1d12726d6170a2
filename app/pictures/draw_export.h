#pragma once

// The pictures of exports (export/formats.h), painted by what paints the views of the window. Creates widgets
// that are never shown, so it needs a QApplication, on any platform, and belongs to the UI thread.

#include "export/formats.h"
#include "pictures/picture.h"

namespace stagecraft {

// All of the view that the request names.
[[nodiscard]] Picture pictureOf(const ExportRequest &request);

// A picture as a file of the format. A PDF page that would be too large is drawn smaller, with a remark.
[[nodiscard]] Result<DrawnFile> pictureFile(const Picture &picture, const ExportFormat &format, double scale);

// Both; ExportTools::draw.
[[nodiscard]] Result<DrawnFile> drawExport(const ExportRequest &request);

} // namespace stagecraft
