#pragma once

// Values of tensors that lie in files beside the model. What the model says of them is checked when it is opened; large
// ones are read when something needs them.

#include "operators/values/shared_values.h"
#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class GraphProto;
class TensorProto;
} // namespace onnx

namespace stagecraft {

// A part of a file, as it was when the model was opened.
struct ExternalRange {
    std::filesystem::path path;
    std::string location; // as the model names the file
    std::uint64_t offset = 0;
    std::uint64_t length = 0; // bytes
    std::uint64_t fileBytes = 0;
    std::filesystem::file_time_type changed;
};

// Refuses a file outside `folder`, one that is missing or too short, and another length than `expectedBytes`.
[[nodiscard]] Result<ExternalRange> externalRange(const onnx::TensorProto &tensor, const std::filesystem::path &folder,
                                                  std::uint64_t expectedBytes);

// Refuses a file that is gone or has changed.
[[nodiscard]] Result<std::string> readRange(const ExternalRange &range);

using DecodeValues = std::function<std::shared_ptr<const ConstantValues>(std::string_view bytes)>;

// `decode` gets as many zeros if the bytes cannot be read.
[[nodiscard]] SharedValues valuesLater(ExternalRange range, std::size_t count, bool areReal, DecodeValues decode);

// The files with initializers of the graph, without repeats.
[[nodiscard]] std::vector<std::string> externalFiles(const onnx::GraphProto &graph,
                                                     const std::filesystem::path &folder);

} // namespace stagecraft
