#pragma once

// Writes a graph as an ONNX file that other programs run. Generated weights are written out; large ones go to
// NAME.onnx.data next to it. Where the structure alone would not tell a schedule unit, its node has a mark in its
// doc_string, so that reading the file gives the same units.
//
// A graph that was read from an ONNX file keeps that file's opset: operators that were kept as in the file are copied
// with their attributes, subgraphs and element types; others are written in the form of that opset. Other graphs are
// written in opset 17, IR version 8. Up to opset 17 the result is checked against the schemas of the installed ONNX
// library.

#include "graph/graph.h"
#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

struct OnnxOrigin;

struct OnnxExportOptions {
    std::uint64_t externalAboveBytes = std::uint64_t{64}
                                       << 20U;          // total size of weights above which they go to the data file
    std::shared_ptr<const OnnxOrigin> origin = nullptr; // of the file the graph was read from
};

struct OnnxExported {
    std::vector<std::string> remarks; // differences to the source file, for people
};

// Where large weights go.
[[nodiscard]] std::filesystem::path dataFileOf(std::filesystem::path path);

// Files appear complete or not at all. Refuses, naming the operator, what ONNX cannot express or the program does not
// know well enough to write.
[[nodiscard]] Result<OnnxExported> exportOnnx(const Graph &graph, const std::filesystem::path &path,
                                              const OnnxExportOptions &options = {});

} // namespace stagecraft
