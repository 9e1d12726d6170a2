#pragma once

// What a session file keeps of a window: the models by place and hash, every result on the shelf, and what was in
// sight. Plain values; shelf/session_json.h reads and writes them, attached() ties them to models that are open.

#include "graph/block.h"
#include "graph/graph.h"
#include "search/options.h"
#include "shelf/schedule_result.h"
#include "support/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// A model at one batch size. Schedules of a session refer to operators by their place in `operators`.
struct SessionModel {
    ModelReference reference;
    std::int64_t batch = 1;
    std::string source; // built-in name or absolute path
    std::vector<std::string> operators;

    friend bool operator==(const SessionModel &, const SessionModel &) = default;
};

using SessionModelPtr = std::shared_ptr<const SessionModel>;

struct SessionView {
    std::optional<std::size_t> model; // of the next search; into Session::models
    std::string device;               // of the next search
    StrategySet strategies = StrategySet::Both;
    std::optional<int> r = 3;
    std::optional<int> s = 8;
    bool singleSource = false;
    std::vector<ResultId> panes; // from left to right
    std::size_t focused = 0;     // of them

    friend bool operator==(const SessionView &, const SessionView &) = default;
};

// Of what a window keeps by itself, whether it is saved or not.
struct AutosaveNote {
    std::string title;          // of the window
    std::string file;           // the session file it belongs to; empty: it has none yet
    std::string savedDigest;    // of what is in that file
    std::int64_t atSeconds = 0; // since 1970
    std::size_t results = 0;
    bool isClosed = false; // the window was closed: nothing was lost

    friend bool operator==(const AutosaveNote &, const AutosaveNote &) = default;
};

struct Session {
    std::vector<SessionModelPtr> models; // one for every model and batch of the results
    std::vector<ScheduleResult> results; // their ids ascend; equal schedules are numbered by the shelf
    std::vector<ResultId> baselines;     // that were chosen, each of its settings
    SessionView view;
    std::optional<AutosaveNote> autosave;
};

// What was under way when a session was written does not go on: what has a schedule is done, what has none has failed
// and says so. How many there were without one.
std::size_t endInterrupted(std::vector<ScheduleResult> &results);

// Those of the results that are of the model and have a schedule, tied to the graph that was opened for it: operators
// by name, schedules verified. The error says what does not fit.
[[nodiscard]] Result<std::vector<ScheduleResult>> attached(const std::vector<ScheduleResult> &results,
                                                           const SessionModel &model, const Graph &graph,
                                                           const Blocks &blocks);

} // namespace stagecraft
