#pragma once

// The fit behind resources/devices/k80.json: one constant, gemm_efficiency, on the four published latencies of
// Inception V3, for the schedules made for the K80 and for the V100, run on both. The other constants are those of the
// V100; winograd_efficiency is close to zero, since cuDNN has fused Winograd kernels only from Maxwell on.

#include "device/simulated/device_description.h"

#include <array>

namespace stagecraft {

// Simulated / published - 1. Rows: run on K80, V100; columns: searched for K80, V100.
using K80Residuals = std::array<double, 4>;

[[nodiscard]] K80Residuals k80Residuals(const DeviceDescription &k80, const DeviceDescription &v100);
[[nodiscard]] DeviceDescription fitK80(const DeviceDescription &start, const DeviceDescription &v100);

} // namespace stagecraft
