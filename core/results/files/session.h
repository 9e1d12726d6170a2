#pragma once

// The contents of a session file: the models by place and hash, all results on the shelf, and the view. Plain values;
// results/files/session_json.h reads and writes them, attached() connects them to open models.

#include "graph/block.h"
#include "graph/graph.h"
#include "graph/model_reference.h"
#include "results/schedule_result.h"
#include "search/options.h"
#include "search/pruning_points.h"
#include "support/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// A model at one batch size. Schedules of a session refer to operators by their index in `operators`.
struct SessionModel {
    ModelReference reference;
    std::int64_t batch = 1;
    std::string source; // built-in name or absolute path
    std::vector<std::string> operators;

    friend bool operator==(const SessionModel &, const SessionModel &) = default;
};

using SessionModelPtr = std::shared_ptr<const SessionModel>;

struct SessionView {
    std::optional<std::size_t> model; // for the next search; index into Session::models
    std::string device;               // for the next search
    StrategySet strategies = StrategySet::Both;
    std::string streams = {}; // the strategy for streams that is chosen instead ("opara"); empty: none
    std::optional<int> r = 3;
    std::optional<int> s = 8;
    bool singleSource = false;
    bool launchOrder = false;           // SearchOptions::ordersLaunches
    std::optional<PruningGrid> pruning; // of the pruning study
    std::vector<std::int64_t> batches;  // of the specialisation study; with `devices` empty: not chosen
    std::vector<std::string> devices;
    std::vector<ResultId> panes; // from left to right
    std::size_t focused = 0;     // index into panes

    friend bool operator==(const SessionView &, const SessionView &) = default;
};

// The points of a pruning study of one model and device: results with the same settings, in the order of study. They
// are not on the shelf; those of missing models are dropped.
struct SessionStudy {
    std::vector<ScheduleResult> points;
    std::vector<std::int64_t> stagesAsked; // by the search of each point, by itself
    std::int64_t stagesMeasured = 0;       // distinct, for all points together
};

// The point that a search of a study is; the record has both bounds.
[[nodiscard]] PruningPoint pointOf(const SearchRecord &record);

// For files that a window saves automatically.
struct AutosaveNote {
    std::string title;          // of the window
    std::string file;           // the session file it belongs to; empty: none yet
    std::string savedDigest;    // of the contents of that file
    std::int64_t atSeconds = 0; // since 1970
    std::size_t results = 0;
    bool isClosed = false; // the window was closed: nothing was lost

    friend bool operator==(const AutosaveNote &, const AutosaveNote &) = default;
};

struct Session {
    std::vector<SessionModelPtr> models; // one for each model and batch of the results
    std::vector<ScheduleResult> results; // their ids ascend; equal schedules are numbered by the shelf
    std::vector<ResultId> baselines;     // the chosen ones, each for its settings
    std::vector<SessionStudy> studies;   // none is empty
    SessionView view;
    std::optional<AutosaveNote> autosave;
};

// Ends work that was running when the session was written: results with a schedule are done, those without have failed
// and say so. Returns the number of the latter.
std::size_t endInterrupted(std::vector<ScheduleResult> &results);

// The results of the model that have a schedule, connected to the opened graph: operators by name, schedules verified.
// The error says what does not fit.
[[nodiscard]] Result<std::vector<ScheduleResult>> attached(const std::vector<ScheduleResult> &results,
                                                           const SessionModel &model, const Graph &graph,
                                                           const Blocks &blocks);

} // namespace stagecraft
