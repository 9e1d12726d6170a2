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
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

struct OnnxSource;

// What is written as one: an operator, or several as one bigger convolution or product and a split (schedule/merge.h).
struct OnnxUnit {
    std::vector<OperatorId> operators;
    std::optional<Operator> merged = {};    // with weight and bias, if there are several
    std::vector<std::int64_t> extents = {}; // of several: of each along the axis of the split
    std::size_t axis = 0;
    std::vector<std::pair<std::string, std::string>> metadata = {}; // of each of its nodes
};

// A file with stages: see model/onnx/file/stage_metadata.h.
struct OnnxStages {
    std::vector<OnnxUnit> units; // all operators, in the order of the file
    std::string schedule;        // a schedule file as text
};

struct OnnxExportOptions {
    std::uint64_t externalAboveBytes = std::uint64_t{64}
                                       << 20U;        // total size of weights above which they go to the data file
    std::shared_ptr<const OnnxSource> onnx = nullptr; // of the file the graph was read from
    std::optional<OnnxStages> stages = std::nullopt;  // empty: operator by operator, as in the graph
    std::vector<bool> inUnits = {}; // by operator: part of a unit of several, which a reader forms again; empty: none
    // Called before a data file is written, with what it will take; an error ends the export.
    std::function<Result<void>(const std::filesystem::path &data, std::uint64_t bytes)> announce = nullptr;
};

// A node of the written file.
struct ExportedNode {
    std::string name;
    std::optional<std::size_t> unit; // of OnnxStages::units; empty: it only names a constant output
};

struct OnnxExported {
    std::size_t files = 0;             // 2 with a data file
    std::uint64_t bytes = 0;           // of all
    std::vector<ExportedNode> nodes{}; // in the order of the file
};

// Where large weights go.
[[nodiscard]] std::filesystem::path dataFileOf(std::filesystem::path path);

// Files appear complete or not at all. Refuses, naming the operator, what ONNX cannot express or the program does not
// know well enough to write.
[[nodiscard]] Result<OnnxExported> exportOnnx(const Graph &graph, const std::filesystem::path &path,
                                              const OnnxExportOptions &options = {});

} // namespace stagecraft
