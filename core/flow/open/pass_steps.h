#pragma once

// The graph before and after one pass that formed a model's units. Nothing of it is kept while a model is open: the
// file is read again, as it was read, and the values of weights are dropped.

#include "model/model.h"
#include "model/rewrite/pass_step.h"
#include "support/result.h"

#include <stop_token>
#include <string_view>
#include <vector>

namespace stagecraft {

// One step for each run of the pass that took operators away. Errors: the file cannot be read any more, or without the
// pass, or is another one by now; Cancelled.
[[nodiscard]] Result<std::vector<PassStep>> passStepsOf(const Model &model, std::string_view pass,
                                                        const std::stop_token &stop = {});

} // namespace stagecraft
