#pragma once

// A result: a schedule with what made it and every latency that was measured of it. Plain values; the shelf
// (shelf/shelf.h) holds them.

#include "schedule/schedule.h"
#include "search/result.h"
#include "support/ids.h"
#include "support/provenance.h"
#include "support/timing.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

using ResultId = Id<struct ResultTag>; // as the shelf counts them; never used again

// What latencies belong to: only those of equal settings compare and are pooled.
struct MeasurementSettings {
    ModelReference model;
    std::string device;        // id
    std::string deviceVersion; // tells apart what stood behind one id: another driver, a device file that was changed
    std::int64_t batch = 1;
    std::string precision = "fp32";

    friend bool operator==(const MeasurementSettings &, const MeasurementSettings &) = default;
};

enum class Origin {
    Baseline,    // Sequential, Greedy
    Searched,    // on the device of its settings
    Edited,      // from another result
    OpenedFile,  // and measured on the device of its settings
    OtherDevice, // another result, searched on another device and measured on this one
    Published,   // by others
    Stated,      // a latency that a person brought, without a schedule
};

enum class ResultState {
    Waiting, // in line
    Running, // searched or measured now
    Done,
    Failed,
};

enum class MeasuredHow {
    SumOfStages, // never timed in one go: a search was stopped, or whole schedules were not recorded
    Alone,       // in one go
    InRounds,    // in one go, round by round with others, so that what drifts, drifts for all
};

// One time the whole schedule was measured.
struct ResultMeasurement {
    MeasuredHow how = MeasuredHow::Alone;
    double us = 0; // of single runs the median, of rounds their geometric mean
    Timing timing; // unknown of what is exact
    Provenance provenance = Provenance::Simulated;
    std::int64_t atSeconds = 0;        // since 1970
    std::int64_t session = 0;          // of rounds: results of one session were timed with each other; 0: none
    std::vector<double> roundsUs = {}; // of rounds
    double secondsPerRound = 0;
};

struct ScheduleResult {
    ResultId id; // given by the shelf
    ResultState state = ResultState::Done;
    Origin origin = Origin::Searched;
    std::string title; // "IOS-Both": what it is called unless a person names it
    // What was asked for: strategy, r, s, single source. Of a schedule that was found, its search record.
    SearchRecord asked;
    MeasurementSettings settings;
    ResultId from; // of Edited and OtherDevice, where that is on the shelf
    // Of OpenedFile its path, of OtherDevice that device, of Published what for, of Stated its file (empty: typed).
    std::string source;
    std::int64_t madeAtSeconds = 0; // since 1970

    std::shared_ptr<const Schedule> schedule; // null until made
    std::uint32_t equalSchedules = 0; // given by the shelf: of one number are those with equal settings and stages
    std::vector<BlockSearch> blocks;  // of a search
    std::vector<ResultMeasurement> measurements;

    double bestUs = 0;   // of a search under way; 0: none yet
    std::string trouble; // why it failed

    std::string name; // a person's; empty: the title
    std::string note; // a person's
    bool isPinned = false;

    [[nodiscard]] const SearchRecord &record() const { return schedule ? schedule->search : asked; }
    [[nodiscard]] const std::string &shownName() const { return name.empty() ? title : name; }
    [[nodiscard]] bool isUnderWay() const { return state == ResultState::Waiting || state == ResultState::Running; }
};

} // namespace stagecraft
