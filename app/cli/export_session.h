#pragma once

// export SESSION: a whole shelf.

#include "cli/export_subject.h"
#include "flow/export_results.h"

#include <string>

namespace stagecraft {

[[nodiscard]] bool isSession(const std::string &spec);

// A report as one file, every other format as a folder. Refused before anything is read: what a shelf has not.
[[nodiscard]] Result<void> exportSession(const ExportOptions &options, const CommandLine &line);

// What both kinds of export use.
[[nodiscard]] Result<ExportRequest> requestOf(const ExportOptions &options); // format, view, target and style
[[nodiscard]] Result<void> checkStyle(const ExportFormat &format, const ExportOptions &options); // --target, too
[[nodiscard]] ExportTools exportTools(const CommandLine &line);
void tellWritten(const std::string &model, const ExportOptions &options, const ExportRequest &request,
                 const ExportWritten &written, const CommandLine &line);
// Goes on as the program that draws, with the same arguments. Returns only if there is none.
[[nodiscard]] Result<void> goOnDrawing(const CommandLine &line);

} // namespace stagecraft
