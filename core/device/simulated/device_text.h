#pragma once

// Numbers of a device description as text. Private to the files that read and write descriptions.

#include "device/simulated/device_description.h"

#include <string>

namespace stagecraft {

// In full, without an exponent; reads back as the same number.
[[nodiscard]] std::string plain(double value);

// "Give the SM clock in MHz, from 50 to 10000"
[[nodiscard]] std::string wantedText(const DeviceNumber &number);

// "40 SMs", "DRAM bandwidth 1800 GB/s"
[[nodiscard]] std::string spoken(const DeviceNumber &number, double value);

// Refuses, naming the key, what is out of range, not a number, or a fraction instead of a count.
[[nodiscard]] Result<void> checkNumber(const DeviceNumber &number, double value);

} // namespace stagecraft
