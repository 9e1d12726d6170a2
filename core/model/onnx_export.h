#pragma once

// Writes a graph as an ONNX file (opset 17, IR version 8) that other programs run. Seeded weights are written out;
// large ones go to NAME.onnx.data beside the file. Where the structure alone would not tell a schedule unit, its node
// carries a mark in its doc_string, so that reading the file back gives the same units.

#include "graph/graph.h"
#include "support/result.h"

#include <cstdint>
#include <filesystem>

namespace stagecraft {

struct OnnxExportOptions {
    std::uint64_t externalAboveBytes = std::uint64_t{64} << 20U; // weights in all; above, they go to the data file
};

// Where large weights go.
[[nodiscard]] std::filesystem::path dataFileOf(std::filesystem::path path);

// Files appear complete or not at all. Refuses, naming the operator, what ONNX cannot say or the program does not know
// well enough to write.
[[nodiscard]] Result<void> exportOnnx(const Graph &graph, const std::filesystem::path &path,
                                      const OnnxExportOptions &options = {});

} // namespace stagecraft
