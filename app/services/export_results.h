#pragma once

// Results as files for other programs and people. What each format needs is said by its row; making the bytes writes
// nothing.

#include "model/model.h"
#include "schedule/schedule.h"
#include "support/result.h"
#include "timeline/timeline.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class ExportView {
    Schedule,   // one schedule, its latencies where they are known
    Graph,      // the model alone
    Comparison, // several schedules, measured
    Timeline,   // of one schedule or several, measured
};

[[nodiscard]] std::string_view toString(ExportView view); // "schedule", "graph", ...

struct ExportFormat {
    std::string_view name;                 // "csv"
    std::string_view what;                 // "a table, comma-separated"
    std::vector<std::string_view> endings; // of file names; the first is the usual one: ".csv"
    std::vector<ExportView> views;         // the first unless told otherwise
};

[[nodiscard]] std::span<const ExportFormat> exportFormats();
// WrongUse, with what was meant: no such format, no such view, or a view that the format does not have. An empty name:
// the first that has the file's ending; an empty view: the first of the format.
[[nodiscard]] Result<const ExportFormat *> findExportFormat(const std::string &name, const std::string &file);
[[nodiscard]] Result<ExportView> findExportView(const ExportFormat &format, const std::string &name);
// WrongUse where a file of this name would be taken for something else.
[[nodiscard]] Result<void> checkExportName(const ExportFormat &format, const std::string &file);

struct ExportedResult {
    std::string name; // "IOS-Both"
    Schedule schedule;
    std::optional<Timeline> timeline; // of Timeline
};

// At least one result, except of Graph. The first is what a comparison is against. InvalidInput, naming stage or
// operator: the format cannot express it.
[[nodiscard]] Result<std::string> exportText(const ExportFormat &format, ExportView view, const Model &model,
                                             std::span<const ExportedResult> results);

} // namespace stagecraft
