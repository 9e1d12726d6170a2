#pragma once

// What a person types for an edit and for stages: "conv3:2", "1:conv1,conv2", "4,5". Stages are counted from 1, as on
// screen; names of operators may have commas and colons of their own.

#include "graph/graph.h"
#include "schedule/edit.h"
#include "support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct TypedEdit {
    std::string option; // "--move"
    std::string value;
};

// WrongUse: a value that is not of the option's form, or a stage 0. InvalidInput: operators that the model does not
// have, with what they may have been meant to be. Errors name the option.
[[nodiscard]] Result<Edit> editFrom(const TypedEdit &typed, const Graph &graph);

// "2,5": numbers from 1 on, as indices from 0 on. WrongUse, without the name of the option.
[[nodiscard]] Result<std::vector<std::size_t>> stageNumbers(std::string_view text);

} // namespace stagecraft
