#pragma once

// The members of what is known of a device (device/device.h), for JSON and messages.

#include "device/device.h"
#include "support/records/record.h"

namespace stagecraft {

void eachMember(Of<DeviceInfo> auto &info, auto &&visit)
{
    visit({"id", "what --device takes"}, info.id);
    visit({"title", "name for people"}, info.title);
    visit({"provenance", "of its latencies: measured, recorded or simulated"}, info.provenance);
    visit({"available", "whether it can be used now"}, info.available);
    visit({"reason", "what is missing where it is not available, and how to get it; else empty", Unit::None,
           "unavailable_reason"},
          info.unavailableReason);
    visit({"calibration", "of a simulated device: what its numbers rest on; else empty"}, info.calibration);
    visit({"precision", "of arithmetic and tensors: fp32, tf32 or fp16; of a simulated device also that of the file"},
          info.precision);
    visit({"launches", "of a simulated device: from the host or from one CUDA graph; else empty"}, info.launches);
    visit({"simulator", "version of the simulator: latencies of another one are not comparable; else empty", Unit::None,
           "version"},
          info.version);
    visit({"facts", "what is known of it, by name, units with the values"}, info.facts);
    visit({{}, {}, Unit::None, "fingerprint"}, info.fingerprint);
}

// Without the device.
void eachMember(Of<DeviceWait> auto &wait, auto &&visit)
{
    visit({{}, {}, Unit::None, "holder"}, wait.holder);
    visit({{}, {}, Unit::None, "is_own"}, wait.isOwn);
    visit({{}, {}, Unit::None, "waited_seconds"}, wait.seconds);
}

} // namespace stagecraft
