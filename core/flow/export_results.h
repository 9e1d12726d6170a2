#pragma once

// An export as a whole: what would be written, for a preview, and writing it. The table of formats is in
// export/formats.h.

#include "device/device.h"
#include "export/formats.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct ExportWritten {
    std::size_t files = 1;
    std::uint64_t bytes = 0;
    std::vector<std::string> remarks = {}; // for people
    std::vector<std::string> names = {};   // of a shelf: in the folder, in the order of the shelf
    std::vector<std::string> leftOut = {}; // of a shelf: results without a schedule, with the reason
};

// What an export needs from others.
struct ExportTools {
    // Of "cpu", on which a C++ project for it is run once.
    std::function<Result<std::unique_ptr<Device>>(const std::string &id)> findDevice;
    // What a C++ project for CUDA refuses; a plan needs no GPU.
    std::function<Result<void>(const Graph &graph, const Schedule &schedule)> checkOnCuda;
    // The file of a request that is drawn. In the window: not for background threads, so made before.
    std::function<Result<DrawnFile>(const ExportRequest &request)> draw;
};

// Whole or absent. Refuses what the formats refuse, to overwrite a file of the model, and, in the place of an ONNX
// file's weights, any other file (refuseReplacingWeights); what is at `output` itself is for the caller to look at.
[[nodiscard]] Result<ExportWritten> exportResults(const ExportRequest &request, const std::string &output,
                                                  const ExportTools &tools, const std::stop_token &stop);

// Writes nothing and runs nothing. Errors as of exportResults, except for those of the target. Not for pictures.
[[nodiscard]] Result<std::vector<PreviewedFile>> previewExport(const ExportRequest &request);

} // namespace stagecraft
