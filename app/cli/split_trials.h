#pragma once

// optimize --try-splits: operators that are faster in parts are split before the search.

#include "cli/command_line.h"
#include "flow/find/find_splits.h"
#include "model/model.h"
#include "support/result.h"

#include <cstdint>

namespace stagecraft {

// Tries the operators of the model on the device; the model has those split that are worth it.
[[nodiscard]] Result<SplitSearch> trySplits(Model &model, const DeviceOption &device, const SearchRequest &request,
                                            std::int64_t mostParts, const CommandLine &line);

void printSplits(const SplitSearch &search, const CostBasis &basis);

} // namespace stagecraft
