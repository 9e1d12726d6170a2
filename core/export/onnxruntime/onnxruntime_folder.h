#pragma once

// A schedule for ONNX Runtime: its nodes by stream, as the session option session.node_partition_config_file takes them
// (since ONNX Runtime 1.14), with a program that runs them and a page about it. The model with its stages is written
// beside them (export/onnx_stages.h).
//
// Streams stay streams; groups of a stage become streams, the first groups of all stages the first. ONNX Runtime lets a
// stream wait for another only where a node reads what the other one made: barriers and events become these waits.

#include "export/cpp_project/cpp_project.h"
#include "graph/graph.h"
#include "model/onnx_export.h"
#include "schedule/schedule.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft {

inline constexpr const char *kOnnxRuntimeModel = "model.onnx";
inline constexpr const char *kOnnxRuntimeStreams = "streams.json";

// Names of nodes by stream: those of a merged operator and those of no unit are in the first. `units`: of
// onnxStages() for the schedule; `nodes`: as they were written from them.
[[nodiscard]] std::vector<std::vector<std::string>>
onnxRuntimeStreams(const Schedule &schedule, std::span<const OnnxUnit> units, std::span<const ExportedNode> nodes);

// "streams.json": the streams on the CPU, or on a GPU.
[[nodiscard]] std::string onnxRuntimeStreamsText(const std::vector<std::vector<std::string>> &streams,
                                                 CppTarget target);

// "run.py", "run.cpp" with its "CMakeLists.txt", "README.md" and the licence of the programs.
[[nodiscard]] std::vector<ProjectFile> onnxRuntimeFiles(const Graph &graph, const Schedule &schedule,
                                                        const std::string &modelName, CppTarget target);

// The modules by which the device "onnxruntime" measures on the CPU, by name: "run", that of the folder, and "measure",
// which imports it.
[[nodiscard]] std::vector<ProjectFile> onnxRuntimePrograms();

} // namespace stagecraft
