#pragma once

// An export as a whole: what would be written, for a preview, and writing it. The table of formats is in
// export_results.h.

#include "device/device.h"
#include "export/cpp_project/cpp_project.h"
#include "services/export_results.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// The format needs the results that it has a view for: with timelines for ExportView::Timeline, measured ones for
// ExportView::Comparison, and one schedule otherwise (the first).
struct ExportRequest {
    const ExportFormat *format = nullptr;
    ExportView view = ExportView::Schedule;
    CppTarget target = CppTarget::Cpu; // of "cpp"
    std::shared_ptr<const Model> model;
    std::vector<ExportedResult> results;
    ExportStyle style = {};
};

struct ExportWritten {
    std::size_t files = 1;
    std::uint64_t bytes = 0;
    std::vector<std::string> remarks; // for people
};

using DeviceFinderForExport = std::function<Result<std::unique_ptr<Device>>(const std::string &id)>;

// Whole or absent. Refuses what the formats refuse, and to overwrite a file of the model. `findDevice`: of "cpu", on
// which a C++ project for it is run once.
[[nodiscard]] Result<ExportWritten> writeExport(const ExportRequest &request, const std::string &output,
                                                const DeviceFinderForExport &findDevice, const std::stop_token &stop);

// A file of an export.
struct PreviewedFile {
    std::string name;        // in its folder; empty: the file itself
    std::uint64_t bytes = 0; // 0: known when it is written
    std::string text;        // its beginning, or a whole picture; for a binary file, what is in it
};

// Writes nothing and runs nothing. Errors as of writeExport, except for those of the target.
[[nodiscard]] Result<std::vector<PreviewedFile>> previewExport(const ExportRequest &request);

} // namespace stagecraft
