#pragma once

// Session files (.stagecraft), version 1: one JSON object with one line per model and result.
//
//   "models": name, sha256, batch, source (built-in name or path), operators (names)
//   "results": id, model (place in "models"), device, device_version, precision, origin, state, title, asked (as
//     "search" of a schedule file), from, source, made_at, schedule (as a schedule file), blocks, measurements,
//     trouble, name, note, pinned, pinned_stages
//   "studies": stages_measured, points (as results, with stages_asked)
//   "baselines": ids of results; "view": what was in sight; "autosave": of what a window keeps by itself
//
// Every member is described in resources/help/index.html, "Sessions".

#include "results/files/session.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

inline constexpr std::string_view kSessionExtension = ".stagecraft";

[[nodiscard]] std::string toJson(const Session &session);

// Checks everything except schedules against graphs, which attached() does. Errors: InvalidInput, naming the place;
// files of newer versions are refused with that reason.
[[nodiscard]] Result<Session> sessionFromJson(std::string_view text);

// Read from the first lines of a file only; nullopt if there is none.
[[nodiscard]] std::optional<AutosaveNote> autosaveNoteIn(std::string_view start);

// For the text of a file: equal if models, results and baselines are equal, whatever the view.
[[nodiscard]] std::string digestOf(std::string_view text);

} // namespace stagecraft
