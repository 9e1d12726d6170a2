#pragma once

// edit --split-operator: operators of a schedule's model become parts that run side by side.

#include "cli/command_line.h"
#include "cli/edit_options.h"
#include "cli/model_options.h"
#include "cli/scheduled_model.h"
#include "graph/graph.h"
#include "graph/model_reference.h"
#include "support/result.h"

#include <optional>
#include <set>
#include <stop_token>
#include <string>

namespace stagecraft {

struct SplitInEdit {
    OperatorSplits splits;
    std::set<std::string> byRows{};   // of these
    std::optional<double> beforeUs{}; // what the whole took before, measured in a run of its own; empty: no device

    // Its words, "conv1 split into 2 parts", and the stages with parts and joins, which are new.
    void addTo(EditedByHand &edited, const Graph &graph) const;
};

// Splits what `options` asks for, in the model that was opened without these splits and in its schedule, which loses
// its latencies. Errors name the operator.
[[nodiscard]] Result<SplitInEdit> splitInEdit(ScheduledModel &opened, const ModelOptions &options,
                                              const DeviceOption &device, const std::stop_token &stop);

} // namespace stagecraft
