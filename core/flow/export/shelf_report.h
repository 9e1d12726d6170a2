#pragma once

// Reports (export/html_report.h) of a whole shelf.

#include "export/html_report.h"
#include "flow/export/export_tools.h"
#include "flow/open/session_opener.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

// A result of a shelf, with its one latency, as the window shows it.
struct ShelvedResult {
    ReportedResult reported;
    std::shared_ptr<const Schedule> schedule; // with that latency; null: none was found, or its model is missing
    std::string whyNot;                       // there is no schedule
};

// The results of one model on one device at one batch size.
struct ShelvedGroup {
    MeasurementSettings settings;
    std::shared_ptr<const Model> model; // null: missing
    std::vector<ShelvedResult> results; // as they were made; pinned ones first
    std::vector<StudyPoint> tradeoff;

    [[nodiscard]] std::string name() const; // "inception_v3, sim:v100, batch 1"
};

// Chosen is, in each group, the result of the pane in focus, else the fastest.
[[nodiscard]] std::vector<ShelvedGroup> shelvedGroups(const OpenedSession &opened);

// The whole shelf. `tools.draw` makes the pictures of trade-offs; without it there are none. Errors: its own.
[[nodiscard]] Result<std::string> shelfReport(const std::vector<ShelvedGroup> &groups, const std::string &title,
                                              const std::string &program, const ExportTools &tools);

} // namespace stagecraft
