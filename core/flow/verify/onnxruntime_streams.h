#pragma once

// What ONNX Runtime takes as session.node_partition_config_file, checked against the nodes of its model:
// {"type": "DeviceBasedPartitioner", "devices": ["0", ...], "streams": [["node", ...], ...]}.

#include "flow/verify/verified_plan.h"
#include "model/model.h"
#include "support/result.h"

#include <stop_token>
#include <string_view>

namespace stagecraft {

// Whether it says to be one; it may be damaged.
[[nodiscard]] bool isOnnxRuntimeStreams(std::string_view text);

// Errors: InvalidInput, naming the place: the text is damaged, or the model is no ONNX file; Cancelled.
[[nodiscard]] Result<VerifiedPlan> verifyOnnxRuntimeStreams(std::string_view text, const Model &model,
                                                            const std::stop_token &stop = {});

} // namespace stagecraft
