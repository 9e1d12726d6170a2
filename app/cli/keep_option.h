#pragma once

// --keep FILE:STAGE,...: stages of schedule files that a search has to keep.

#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "support/result.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

struct KeepOption {
    std::vector<std::string> values;

    void addTo(CLI::App &command);
};

struct KeptStages {
    std::vector<Stage> stages;        // without repeats
    std::vector<TimedSchedule> files; // the files they are from
};

// WrongUse: another form. InvalidInput: the file, or a stage or block that it does not have.
[[nodiscard]] Result<KeptStages> keptStages(const KeepOption &option, const Model &model);

} // namespace stagecraft
