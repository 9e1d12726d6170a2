#pragma once

// Reads ONNX files of any program. Shapes are propagated and small integer computations on shapes are carried out here,
// not by the onnx library, which crashes on some real files.
//
// Refused, naming the operator and the reason: what is no ONNX file, is cut short or has no graph; cycles; tensors that
// nothing makes or that two operators make; shapes that do not fit or are absurd; weights that are missing, of the
// wrong size, or in an external file outside the model's folder. Kept: operators without a rule (OperatorKind::Unknown,
// with whatever shape is known), listed in the report.

#include "model/source_graph.h"
#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace stagecraft {

struct OnnxImportOptions {
    std::int64_t batch = 0;  // 0: the file's own, 1 where it leaves it open
    bool keepOrigin = false; // for exportOnnx, which copies from it; costs memory
};

[[nodiscard]] Result<SourceGraph> importOnnx(const std::filesystem::path &path, const OnnxImportOptions &options = {});

// The same from memory; `folder` is where external data is looked for.
[[nodiscard]] Result<SourceGraph> importOnnxBytes(std::string_view bytes, const std::string &name,
                                                  const std::filesystem::path &folder,
                                                  const OnnxImportOptions &options = {});

} // namespace stagecraft
