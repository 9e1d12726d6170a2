#pragma once

// Executes a model for real: named input files in, outputs out.

#include "device/device.h"
#include "model/model.h"

#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

// "NAME=FILE.npy", or "FILE.npy" for a model with one input. A path with "=" in it is no name where the graph has no
// such input and the path is there.
struct InputFile {
    std::string name; // empty: the only input
    std::string path;
};

[[nodiscard]] InputFile inputFileFrom(const std::string &text, const Graph &graph);

// The name of the output `wanted`, or, where that is empty, of the first one of the file. WrongUse: there is none of
// that name. InvalidInput: it needs no computation, so that the graph does not have it.
[[nodiscard]] Result<std::string> outputToWrite(const Model &model, const std::string &wanted);

// All outputs of the graph, in its order. WrongUse: an input is missing, unknown or given twice. InvalidInput, naming
// the file: it cannot be read, or its shape is another; or the model is one in training.
[[nodiscard]] Result<std::vector<HostTensor>> runModel(const Model &model, DeviceSession &session,
                                                       const DeviceInfo &device, const Schedule &schedule,
                                                       const std::vector<InputFile> &inputs, std::stop_token stop);

} // namespace stagecraft
