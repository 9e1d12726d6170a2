#pragma once

// An export as a whole: what would be written, for a preview, and writing it. The table of formats is in
// export/formats.h.

#include "export/formats.h"
#include "flow/export/export_tools.h"

#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// Whole or absent. Refuses what the formats refuse, to overwrite a file of the model, and, in the place of an ONNX
// file's weights, any other file (refuseReplacingWeights); what is at `output` itself is for the caller to look at.
[[nodiscard]] Result<ExportWritten> exportResults(const ExportRequest &request, const std::string &output,
                                                  const ExportTools &tools, const std::stop_token &stop);

// Writes nothing and runs nothing. Errors as of exportResults, except for those of the target. Not for pictures.
[[nodiscard]] Result<std::vector<PreviewedFile>> previewExport(const ExportRequest &request);

} // namespace stagecraft
