#pragma once

// Reports (export/html_report.h) of a whole shelf.

#include "export/html_report.h"
#include "flow/export/export_tools.h"
#include "flow/open/session_opener.h"
#include "results/rated_result.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// The results of one model on one device at one batch size.
struct ShelvedGroup {
    RunContext settings;
    std::shared_ptr<const Model> model; // null: missing
    std::vector<RatedResult> results;   // as they were made; pinned ones first. None has a schedule without the model
    std::string baseline{};             // what speed-ups are over; empty: nothing
    std::optional<std::size_t> chosen{};
    std::vector<StudyPoint> tradeoff;

    [[nodiscard]] std::string name() const; // "inception_v3, sim:v100, batch 1"
};

// Chosen is, in each group, the result of the pane in focus, else the fastest.
[[nodiscard]] std::vector<ShelvedGroup> shelvedGroups(const OpenedSession &opened);

// The whole shelf. `tools.draw` makes the pictures of trade-offs; without it there are none. Errors: its own.
[[nodiscard]] Result<std::string> shelfReport(const std::vector<ShelvedGroup> &groups, const std::string &title,
                                              const std::string &program, const ExportTools &tools);

} // namespace stagecraft
