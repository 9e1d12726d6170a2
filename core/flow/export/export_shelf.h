#pragma once

// A whole shelf for other programs: a folder with a file or folder for each result, or for each group of results that
// can be compared. The report of a shelf is shelfReport().

#include "flow/export/shelf_report.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// Makes the timeline of a schedule of the model.
using TimelineMaker = std::function<Result<Timeline>(const Model &model, const TimedSchedule &schedule)>;

// `wanted`: format, view (not Report, not Specialisation), target and style; remarks name their file. By the rule of
// export/cpp_project/export_folder.h. Refused, naming the result: what the format refuses; a shelf with nothing of the
// view. `makeTimeline`: for views that need timelines.
[[nodiscard]] Result<ExportWritten> exportShelf(const std::vector<ShelvedGroup> &groups, const ExportRequest &wanted,
                                                const std::string &folder, const ExportTools &tools,
                                                const TimelineMaker &makeTimeline, const std::stop_token &stop);

} // namespace stagecraft
