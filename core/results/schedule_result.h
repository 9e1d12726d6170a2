#pragma once

// A result: a schedule with its origin and all its measured latencies. Plain values, held by the shelf
// (results/shelf.h).

#include "schedule/timed_schedule.h"
#include "search/result.h"
#include "support/ids.h"
#include "timing/provenance.h"
#include "timing/timing.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

using ResultId = Id<struct ResultTag>; // given in order by the shelf; never used again

enum class Origin {
    Baseline,    // Sequential, Greedy
    Searched,    // on the device of its settings
    Edited,      // from another result
    OpenedFile,  // and measured on the device of its settings
    OtherDevice, // another result's schedule, searched on another device and measured on this one
    Published,   // by others
    Layouts,     // the stages of another result, in layouts chosen on the device of its settings
    Stated,      // a latency supplied by a user, without a schedule
    Profiled,    // observed in a profile that another program recorded, on the device that it names
};

enum class ResultState {
    Waiting, // in the queue
    Running, // being searched or measured
    Done,
    Failed,
};

// Of one of several models that run as one (model/union).
struct ModelShare {
    std::string name;
    double endsAt = 1;  // of the latency of all: when the model has its result
    double aloneUs = 0; // what it takes alone on the same device

    friend bool operator==(const ModelShare &, const ModelShare &) = default;
};

struct ScheduleResult {
    ResultId id; // given by the shelf
    ResultState state = ResultState::Done;
    Origin origin = Origin::Searched;
    std::string title; // "IOS-Both": the default name
    // What was asked for: strategy, r, s, single source; once a schedule is found, its search record.
    SearchRecord asked;
    RunContext settings;
    ResultId from; // source result of Edited, OtherDevice and Layouts, if it is on the shelf
    // Path of OpenedFile, of the first file of Profiled, device of OtherDevice, model of Published, file of Stated
    // (empty: typed), what was chosen of Layouts ("NCHW and NHWC, 4 conversions").
    std::string source;
    std::int64_t madeAtSeconds = 0; // since 1970

    std::shared_ptr<const TimedSchedule> schedule; // null until made
    std::uint32_t equalSchedules =
        0;                           // given by the shelf: the same for results with equal settings, stages and layouts
    std::vector<BlockSearch> blocks; // from a search
    std::vector<Measurement> measurements;

    std::vector<ModelShare> models; // of a plan for several; empty: not known
    double bestUs = 0;              // of a running search; 0: none yet
    std::string trouble;            // why it failed

    std::string name; // given by a user; empty: the title
    std::string note; // written by a user
    bool isPinned = false;
    // Stages that a search from this result has to keep (search/stages/pins.h). Stages that the schedule no longer has
    // stay: undo brings them back.
    std::vector<Stage> pins;

    [[nodiscard]] const SearchRecord &record() const { return schedule ? schedule->search : asked; }
    [[nodiscard]] const std::string &shownName() const { return name.empty() ? title : name; }
    [[nodiscard]] bool isUnderWay() const { return state == ResultState::Waiting || state == ResultState::Running; }
    // A search makes it: it waits in line with other searches.
    [[nodiscard]] bool isFound() const { return origin == Origin::Searched || origin == Origin::Layouts; }
};

} // namespace stagecraft
