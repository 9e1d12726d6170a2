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

// What an output needs: the part of the model that makes it, with the stages or launches of the schedule that have a
// part in it.
struct NeededPart {
    Model model; // its graph has this output alone
    Schedule schedule;
};
[[nodiscard]] Result<NeededPart> neededFor(const Model &model, const Schedule &schedule, const std::string &output);

// The arrays of inputs ("NAME=FILE.npy", "FILE.npy"), with values as far as they are small enough to decide sizes
// (OpenRequest).
// Files that cannot be read are left out: runModel refuses them.
[[nodiscard]] GivenInputs givenInputs(const std::vector<std::string> &texts);

// The arrays for inputs of the model, which they fit. WrongUse: an input is unknown or given twice. InvalidInput,
// naming the file: it cannot be read, or has another shape.
[[nodiscard]] Result<std::vector<HostTensor>> arraysFor(const Model &model, const std::vector<InputFile> &inputs);

// A constant output as a tensor.
[[nodiscard]] HostTensor hostTensor(const ConstantOutput &output);

// `part`: of this model, on which the session was opened. Inputs that it does not need may be left out.
// All outputs of its graph, in its order. WrongUse: an input is missing, unknown or given twice. InvalidInput, naming
// the file: it cannot be read, or has another shape; or the model is in training mode.
[[nodiscard]] Result<std::vector<HostTensor>> runModel(const Model &model, const NeededPart &part,
                                                       DeviceSession &session, const DeviceInfo &device,
                                                       const std::vector<InputFile> &inputs, std::stop_token stop);

} // namespace stagecraft
