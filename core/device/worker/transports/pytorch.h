#pragma once

// The worker for PyTorch: one Python file, made from resources/pytorch_worker, that needs PyTorch and nothing else. Its
// devices: pytorch:cpu and pytorch:cuda:N (device/pytorch/pytorch_options.h).

#include <string>
#include <vector>

namespace stagecraft {

// Runs as a file, or behind python3 -c.
[[nodiscard]] const std::string &pytorchWorkerText();

// STAGECRAFT_PYTHON, else python3 as found in PATH.
[[nodiscard]] std::string pytorchPython();

// The worker on this machine: WorkerOptions::command.
[[nodiscard]] std::vector<std::string> pytorchWorkerCommand(const std::string &python = pytorchPython());

} // namespace stagecraft
