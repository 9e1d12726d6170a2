#pragma once

// Results as files for other programs and people. The table of formats says what each one needs; exportText() writes no
// file.

#include "export/cpp_project/cpp_project.h"
#include "export/drawn_file.h"
#include "export/file_kind.h"
#include "export/study_tables.h"
#include "model/model.h"
#include "schedule/schedule.h"
#include "support/result.h"
#include "timing/timeline/timeline.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class ExportView {
    Schedule,       // one schedule, with latencies if they are known
    Graph,          // the model; pictures of it show the stages of a schedule, if there is one
    Comparison,     // several schedules, measured
    Timeline,       // one or several schedules, measured
    Tradeoff,       // of the pruning study
    Specialisation, // of the specialisation study
    Report,         // one or several schedules, with latencies if they are known
};

inline constexpr std::array kExportViews{ExportView::Schedule,   ExportView::Graph,    ExportView::Timeline,
                                         ExportView::Comparison, ExportView::Tradeoff, ExportView::Specialisation,
                                         ExportView::Report};

[[nodiscard]] std::string_view toString(ExportView view); // "schedule", "graph", ...

struct ExportFormat {
    std::string_view name;                 // "csv"
    std::string_view what;                 // "a table, comma-separated"
    std::vector<std::string_view> endings; // file name extensions; the first is the default: ".csv". None: a folder
    std::vector<ExportView> views;         // the first is the default
    FileKind kind = FileKind::Other;       // of the file; of a folder: none

    [[nodiscard]] bool isFolder() const { return endings.empty(); }
    [[nodiscard]] bool isPicture() const { return name == "svg" || name == "pdf" || name == "png"; }
    [[nodiscard]] bool hasScale() const { return name == "png" || name == "pdf"; }
};

[[nodiscard]] std::span<const ExportFormat> exportFormats();
// WrongUse, with suggestions: no such format, no such view, or a view that the format does not have. An empty name: the
// first format with the file's extension; an empty view: the first of the format.
[[nodiscard]] Result<const ExportFormat *> findExportFormat(const std::string &name, const std::string &file);
[[nodiscard]] Result<ExportView> findExportView(const ExportFormat &format, const std::string &name);
// WrongUse if a folder is named like a file. A file may have any name: the format that is stated counts.
[[nodiscard]] Result<void> checkExportName(const ExportFormat &format, const std::string &file);

struct ExportedResult {
    std::string name; // "IOS-Both"
    Schedule schedule;
    std::optional<Timeline> timeline;   // for Timeline
    std::optional<double> speedup = {}; // over the baseline of the request; empty: it is not compared
};

struct ExportStyle {
    bool dark = false;   // of pictures
    double scale = 1;    // of pictures in pixels: pixels per unit of the picture; of a PDF: its size
    std::string program; // that made a report, with its version
};

inline constexpr double kLeastScale = 0.1;
inline constexpr double kMostScale = 16;

// The format needs what it has a view for: results with timelines for ExportView::Timeline, measured ones for
// ExportView::Comparison, the points or the table of a study, and one schedule otherwise (the first).
struct ExportRequest {
    const ExportFormat *format = nullptr;
    ExportView view = ExportView::Schedule;
    CppTarget target = CppTarget::Cpu; // of "cpp"
    std::shared_ptr<const Model> model = {};
    std::vector<ExportedResult> results = {};
    std::string baseline = {}; // what speed-ups are over: "Sequential"; it need not be among the results
    std::vector<StudyPoint> tradeoff = {};
    std::optional<SpecialisationTable> specialisation = {};
    ExportStyle style = {};
    bool isDrawn = false;            // what ExportTools::draw returns is the file, whatever the format
    bool replacesAnyWeights = false; // of an ONNX file: whatever is in their place, as a person agreed to
};

// The first result is the baseline of the others; a single one is not compared.
void compareWithFirst(ExportRequest &request);

// Whether Qt has to draw it: pictures, except for the schedule as SVG, which is text.
[[nodiscard]] bool isDrawn(const ExportFormat &format, ExportView view);

// For formats of one file that are not drawn. InvalidInput, naming a stage or
// operator, if the format cannot express it.
[[nodiscard]] Result<std::string> exportText(const ExportRequest &request);

} // namespace stagecraft
