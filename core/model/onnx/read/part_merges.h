#pragma once

// Takes merged operators of a file with stages (model/onnx/file/stage_metadata.h) apart, into the operators of the
// model that was exported: the same names, kernels and weights.

#include "support/result.h"

#include <filesystem>
#include <string>

namespace onnx {
class ModelProto;
}

namespace stagecraft {

// `merges`: what the file states. Refuses, leaving the model as it is, what does not fit its nodes and weights.
[[nodiscard]] Result<void> partMerges(onnx::ModelProto &model, const std::string &merges,
                                      const std::filesystem::path &folder);

} // namespace stagecraft
