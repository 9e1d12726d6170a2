#pragma once

// Results as files for other programs and people. The table of formats says what each one needs; exportText() writes no
// file.

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
    Schedule,   // one schedule, with latencies if they are known
    Graph,      // the model alone
    Comparison, // several schedules, measured
    Timeline,   // one or several schedules, measured
    Report,     // one or several schedules, with latencies if they are known
};

[[nodiscard]] std::string_view toString(ExportView view); // "schedule", "graph", ...

struct ExportFormat {
    std::string_view name;                 // "csv"
    std::string_view what;                 // "a table, comma-separated"
    std::vector<std::string_view> endings; // file name extensions; the first is the default: ".csv". None: a folder
    std::vector<ExportView> views;         // the first is the default

    [[nodiscard]] bool isFolder() const { return endings.empty(); }
};

[[nodiscard]] std::span<const ExportFormat> exportFormats();
// WrongUse, with suggestions: no such format, no such view, or a view that the format does not have. An empty name: the
// first format with the file's extension; an empty view: the first of the format.
[[nodiscard]] Result<const ExportFormat *> findExportFormat(const std::string &name, const std::string &file);
[[nodiscard]] Result<ExportView> findExportView(const ExportFormat &format, const std::string &name);
// WrongUse if the file name has an extension that the format does not use; a folder must not look like a file.
[[nodiscard]] Result<void> checkExportName(const ExportFormat &format, const std::string &file);

struct ExportedResult {
    std::string name; // "IOS-Both"
    Schedule schedule;
    std::optional<Timeline> timeline; // for Timeline
};

struct ExportStyle {
    bool dark = false;   // of pictures
    std::string program; // that made a report, with its version
};

// For formats of one file. Needs at least one result, except for Graph. Comparisons refer to the first. InvalidInput,
// naming a stage or operator, if the format cannot express it.
[[nodiscard]] Result<std::string> exportText(const ExportFormat &format, ExportView view, const Model &model,
                                             std::span<const ExportedResult> results, const ExportStyle &style = {});

} // namespace stagecraft
