#pragma once

// The device "onnxruntime" of this machine, in the Python that STAGECRAFT_PYTHON names, else python3.

#include "device/device.h"
#include "device/onnxruntime/onnxruntime_options.h"

#include <memory>

namespace stagecraft::worker {

[[nodiscard]] std::unique_ptr<Device> onnxRuntime(const OnnxRuntimeOptions &options);

} // namespace stagecraft::worker
