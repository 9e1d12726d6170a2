#pragma once

// The only place that turns an Error into text for people: where, what, and what to do, in one line without control
// characters (support/shown_text.h).

#include "support/result.h"

#include <string>

namespace stagecraft {

// "models/a.onnx: operator conv1: channels do not match (3 against 4). Export the model again with shapes."
[[nodiscard]] std::string errorText(const Error &error);

} // namespace stagecraft
