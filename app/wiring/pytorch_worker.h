#pragma once

// Workers for PyTorch: what they are sent beside a graph, and the one of this machine.

#include "device/device.h"
#include "device/worker/worker_device.h"

#include <vector>

namespace stagecraft {

// For WorkerOptions::python, wherever the worker runs.
[[nodiscard]] PythonMaker pythonMaker();

// The same options for the worker in a Python of this machine.
[[nodiscard]] WorkerOptions withPytorchWorker(WorkerOptions options);

// pytorch:cpu and the GPUs that PyTorch has, available or not.
[[nodiscard]] std::vector<DeviceInfo> listPytorchDevices(const WorkerOptions &options);

} // namespace stagecraft
