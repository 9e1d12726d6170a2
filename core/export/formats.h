#pragma once

// Results as files for other programs and people: a row for each format, with how its text is made and what it needs.
// Writes no file (flow/export_results.h).

#include "export/cpp_project/cpp_project.h"
#include "export/drawn_file.h"
#include "export/file_kind.h"
#include "export/study_tables.h"
#include "model/model.h"
#include "results/rated_result.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class ExportView { Schedule, Graph, Timeline, TimeParts, Comparison, Tradeoff, Specialisation, Report };

struct ExportedView {
    ExportView view;
    std::string_view name;
    bool needsSchedule = false;
    bool isOfMany = false; // of one or several schedules
    bool isMeasured = false;
    bool needsTimeline = false;
    bool isStudy = false; // that searches its own schedules
};

// Pictures of a graph show the stages of a schedule, if there is one; schedules and reports
// have latencies if they are known.
inline constexpr std::array kExportViews{
    ExportedView{.view = ExportView::Schedule, .name = "schedule", .needsSchedule = true},
    ExportedView{.view = ExportView::Graph, .name = "graph"},
    ExportedView{.view = ExportView::Timeline,
                 .name = "timeline",
                 .needsSchedule = true,
                 .isOfMany = true,
                 .isMeasured = true,
                 .needsTimeline = true},
    ExportedView{.view = ExportView::TimeParts, // where the time goes, and why one is faster
                 .name = "time-parts",
                 .needsSchedule = true,
                 .isOfMany = true,
                 .isMeasured = true,
                 .needsTimeline = true},
    ExportedView{.view = ExportView::Comparison, .name = "comparison", .isOfMany = true, .isMeasured = true},
    ExportedView{.view = ExportView::Tradeoff, .name = "tradeoff", .isMeasured = true, .isStudy = true},
    ExportedView{.view = ExportView::Specialisation, .name = "specialisation", .isMeasured = true, .isStudy = true},
    ExportedView{.view = ExportView::Report, .name = "report", .needsSchedule = true, .isOfMany = true},
};

[[nodiscard]] constexpr const ExportedView &exportedView(ExportView view)
{
    return *std::ranges::find(kExportViews, view, &ExportedView::view);
}

[[nodiscard]] constexpr std::string_view toString(ExportView view) // "schedule", "graph", ...
{
    return exportedView(view).name;
}

struct ExportRequest;

// A file of an export.
struct PreviewedFile {
    std::string name;        // in its folder; empty: the file itself
    std::uint64_t bytes = 0; // 0: known when it is written
    std::string text;        // its beginning; for a binary file, what is in it
};

[[nodiscard]] PreviewedFile previewedFile(std::string name, const std::string &text);
[[nodiscard]] Result<std::vector<PreviewedFile>> previewedText(const ExportRequest &request); // of ExportFormat::text

// What others execute: written by flow/export_results.cpp, with operators in the place of fused units.
enum class ExecutedFormat { CppProject, PytorchModule, OnnxModel, OnnxRuntime };

struct ExportFormat {
    std::string_view name;                                  // "csv"
    std::string_view title;                                 // "CSV table"
    std::string_view what;                                  // "a table, comma-separated"
    std::vector<std::string_view> endings = {};             // of file names; the first is suggested. None: a folder
    std::vector<ExportView> views = {ExportView::Schedule}; // the first is the default
    FileKind kind = FileKind::Other;                        // of the file; of a folder: none
    // InvalidInput, naming a stage or operator, if the format cannot express it. Null: it is drawn, or executed. Of a
    // picture: the default view, which then is not drawn.
    Result<std::string> (*text)(const ExportRequest &request) = nullptr;
    Result<std::vector<PreviewedFile>> (*preview)(const ExportRequest &request) = previewedText;
    std::string_view unit = {}; // of a picture's size: "pixels"; empty: it is no picture
    bool hasScale = false;
    std::optional<ExecutedFormat> executed = {};
    bool hasTargets = false;
    bool copiesModel = false;               // from its own file; the weights may be in a file beside it
    std::vector<ExportView> ofStreams = {}; // views whose schedules may have streams instead of stages

    [[nodiscard]] bool takesStreams(ExportView view) const
    {
        return std::ranges::find(ofStreams, view) != ofStreams.end();
    }
    [[nodiscard]] bool isFolder() const { return endings.empty(); }
    [[nodiscard]] bool isPicture() const { return !unit.empty(); }
    [[nodiscard]] bool isDrawn(ExportView view) const { return isPicture() && !(text && view == views.front()); }
};

[[nodiscard]] std::span<const ExportFormat> exportFormats();
// WrongUse, with suggestions: no such format, no such view, or a view that the format does not have. An empty name: the
// first format with the file's extension; an empty view: the first of the format.
[[nodiscard]] Result<const ExportFormat *> findExportFormat(const std::string &name, const std::string &file);
[[nodiscard]] Result<ExportView> findExportView(const ExportFormat &format, const std::string &name);
// WrongUse if a folder is named like a file. A file may have any name: the format that is stated counts.
[[nodiscard]] Result<void> checkExportName(const ExportFormat &format, const std::string &file);

struct ExportStyle {
    bool dark = false;   // of pictures
    double scale = 1;    // of pictures in pixels: pixels per unit of the picture; of a PDF: its size
    std::string program; // that made a report, with its version
};

inline constexpr double kLeastScale = 0.1;
inline constexpr double kMostScale = 16;

// The format needs what it has a view for: results with timelines for ExportView::Timeline and ExportView::TimeParts,
// measured ones for ExportView::Comparison, the points or the table of a study, and one schedule otherwise (the first).
struct ExportRequest {
    const ExportFormat *format = nullptr;
    ExportView view = ExportView::Schedule;
    CppTarget target = CppTarget::Cpu; // if the format has targets
    std::shared_ptr<const Model> model = {};
    std::vector<RatedResult> results = {}; // with schedules
    std::string baseline = {};             // what speed-ups are over: "Sequential"; it need not be among the results
    std::vector<StudyPoint> tradeoff = {};
    std::optional<SpecialisationTable> specialisation = {};
    ExportStyle style = {};
    bool isDrawn = false;            // what ExportTools::draw returns is the file, whatever the format
    bool replacesAnyWeights = false; // of an ONNX file: whatever is in their place, as a person agreed to

    [[nodiscard]] const Graph &graph() const { return *model->graph; }
    [[nodiscard]] const TimedSchedule &schedule() const { return *results.front().schedule; }
};

// The first result is the baseline of the others; a single one is not compared.
void compareWithFirst(ExportRequest &request);

} // namespace stagecraft
