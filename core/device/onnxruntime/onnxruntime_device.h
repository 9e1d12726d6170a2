#pragma once

// The device "onnxruntime": schedules as ONNX Runtime runs them on the CPU, measured in a Python of the user's that has
// it. Groups of a stage and streams become its streams, which wait for each other only where a node reads what another
// made: there are no barriers. A schedule that is one stream runs one node after another (ORT_SEQUENTIAL). Nodes that
// run at a time share the threads.
//
// Whole schedules are measured, and no single stages. An operator alone takes what its nodes took in ONNX Runtime's own
// profile of one stream; one that its optimiser made part of another has no latency (WrongUse).

#include "device/device.h"
#include "device/executing/adaptive_measurement.h"
#include "device/onnxruntime/onnxruntime_options.h"
#include "device/onnxruntime/python_program.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// A node of a model file, and what it computes; none: a constant.
struct OnnxRuntimeNode {
    std::string name;
    std::vector<OperatorId> operators;
};

// What the device needs of the program that has it.
struct OnnxRuntimeSetting {
    std::string python;                // by path, or as found in PATH
    std::vector<PythonModule> modules; // "run" and "measure" (export/onnxruntime/onnxruntime_folder.h)
    // Writes the graph as an ONNX file, with the merged operators of the schedule; what it does not hold is copied from
    // `source`, if there is one. Its nodes, in the order of the file.
    std::function<Result<std::vector<OnnxRuntimeNode>>(const Graph &graph, const std::optional<ModelFile> &source,
                                                       const Schedule &schedule, const std::filesystem::path &file)>
        writeModel;
    int processors = 1;    // that the program may use
    std::string processor; // their name
    MeasurementOptions schedule{
        .warmup = 2, .minRepeat = 9, .maxRepeat = 400, .minSampleUs = 1000, .budget = std::chrono::milliseconds(300)};
};

// Asks Python what it has when it is made: if that fails, the device is unavailable, with the reason.
[[nodiscard]] std::unique_ptr<Device> makeOnnxRuntimeDevice(const OnnxRuntimeOptions &options,
                                                            OnnxRuntimeSetting setting);

} // namespace stagecraft
