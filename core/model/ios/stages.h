#pragma once

// The schedule in the IOS JSON format: "stages" of a block, a list of stages, each a list of groups of node names.
// Where the public project merged convolutions, the file has one node, and its hint_name the names of all of them.

#include "model/ios/json_fields.h"
#include "model/ios_stage.h"

#include <cstddef>
#include <vector>

namespace stagecraft::ios {

// Empty: the block has no schedule.
[[nodiscard]] Result<std::vector<IosStage>> stagesOf(const Json &block, std::size_t index);

} // namespace stagecraft::ios
