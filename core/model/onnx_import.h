#pragma once

// Reads ONNX files of any exporter. Shapes are propagated and small integer computations on shapes are carried out
// here, not by the onnx library, which crashes on some real files.
//
// Refused, naming the operator and the reason: files that are not ONNX, are cut short or have no graph; cycles; tensors
// that no operator or two operators produce; shapes that do not fit or are absurd; weights that are missing, of the
// wrong size, or in an external file outside the model's folder. Kept: operators without a rule (OperatorKind::Unknown,
// with the shapes that are known), listed in the report.

#include "model/open_request.h"
#include "model/source_graph.h"
#include "support/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

[[nodiscard]] Result<SourceGraph> importOnnx(const OpenRequest &request);

// Reads from memory; `folder` is where external data is read from. The request names no file.
[[nodiscard]] Result<SourceGraph> importOnnxBytes(std::string_view bytes, const std::string &name,
                                                  const std::filesystem::path &folder, const OpenRequest &request = {});

// The inputs with sizes besides the batch that the file leaves open, with the program's first proposal, also where the
// file is refused because none fits.
[[nodiscard]] Result<std::vector<OpenInput>> onnxOpenInputs(const std::filesystem::path &path);

struct OnnxNodeName {
    std::string name;        // empty: the node has none
    bool isConstant = false; // programs that execute the file make a weight of it
};

// The nodes of the file's graph, in its order.
[[nodiscard]] Result<std::vector<OnnxNodeName>> onnxNodeNames(const std::filesystem::path &path);

} // namespace stagecraft
