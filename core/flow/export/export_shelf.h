#pragma once

// A whole shelf for other programs: a folder with a file or folder for each result, or for each group of results that
// can be compared. The report of a shelf is shelfReport().

#include "flow/export/shelf_report.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct ShelfExport {
    const ExportFormat *format = nullptr;
    ExportView view = ExportView::Schedule; // not Report, not Specialisation
    CppTarget target = CppTarget::Cpu;
    ExportStyle style = {};
};

struct ShelfWritten {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> names = {};   // in the folder, in the order of the shelf
    std::vector<std::string> leftOut = {}; // results without a schedule, with the reason
    std::vector<std::string> remarks = {}; // for people, with the file's name
};

// Makes the timeline of a schedule of the model.
using TimelineMaker = std::function<Result<Timeline>(const Model &model, const Schedule &schedule)>;

// By the rule of export/cpp_project/export_folder.h. Refused, naming the result: what the format refuses; a shelf with
// nothing of the view. `makeTimeline`: for ExportView::Timeline.
[[nodiscard]] Result<ShelfWritten> exportShelf(const std::vector<ShelvedGroup> &groups, const ShelfExport &wanted,
                                               const std::string &folder, const ExportTools &tools,
                                               const TimelineMaker &makeTimeline, const std::stop_token &stop);

} // namespace stagecraft
