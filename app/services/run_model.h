#pragma once

// Executes a model: takes named input files, returns outputs.

#include "device/device.h"
#include "model/model.h"

#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// "NAME=FILE.npy", or "FILE.npy" for a model with one input. A path that contains "=" is not split if the graph has no
// such input and the path exists.
struct InputFile {
    std::string name; // empty: the only input
    std::string path;
};

[[nodiscard]] InputFile inputFileFrom(const std::string &text, const Graph &graph);

// The name of the output `wanted` or, if that is empty, of the first output in the file. WrongUse: there is no such
// output. InvalidInput: it needs no computation, so the graph does not have it.
[[nodiscard]] Result<std::string> outputToWrite(const Model &model, const std::string &wanted);

// All outputs of the graph, in its order. WrongUse: an input is missing, unknown or given twice. InvalidInput, naming
// the file: it cannot be read, or has another shape; or the model is in training mode.
[[nodiscard]] Result<std::vector<HostTensor>> runModel(const Model &model, DeviceSession &session,
                                                       const DeviceInfo &device, const Schedule &schedule,
                                                       const std::vector<InputFile> &inputs, std::stop_token stop);

} // namespace stagecraft
