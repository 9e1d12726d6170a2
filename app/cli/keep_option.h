#pragma once

// --keep FILE:STAGE,...: stages of schedule files that a search has to keep.

#include "model/model.h"
#include "schedule/schedule.h"
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
    std::vector<Stage> stages;   // each once
    std::vector<Schedule> files; // that they are from
};

// WrongUse: not of this form. InvalidInput: the file, or a stage or block that it does not have.
[[nodiscard]] Result<KeptStages> keptStages(const KeepOption &option, const Model &model);

} // namespace stagecraft
