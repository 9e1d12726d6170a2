#pragma once

// A device that runs the kernels which tuning found faster than the library's (flow/tune_kernels.h), from the latency
// store. Its latencies are stored apart from those of the library's kernels, and from those of other tuned ones: the
// fingerprint names them. Without tuned kernels it is the device itself.

#include "device/device.h"
#include "measure/stored_session.h"

#include <memory>
#include <string>

namespace stagecraft {

// The kernels are those that the store at `path` has now. A store that cannot be read is reported: the library's
// kernels are used.
[[nodiscard]] std::unique_ptr<Device> tunedDevice(std::unique_ptr<Device> device, const std::string &path,
                                                  const StoreErrorHandler &onError);

} // namespace stagecraft
