#pragma once

// What the simulator knows about a device: a flat list of numbers, each with its unit in its name. Files are JSON
// (resources/devices/*.json, or the user's own); a number that is missing, unknown or out of range is refused by its
// key. Hardware numbers come from vendors' data sheets; the few constants after "calibrated" were fitted (see
// `calibration`).

#include "device/simulated/device_judgement.h"
#include "support/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

enum class Launches { Host, Graph }; // one at a time from the host, or the whole schedule as one CUDA graph

struct DeviceDescription {
    std::string name;                   // "v100": the device's id is "sim:v100"
    std::string title;                  // "NVIDIA Tesla V100 SXM2"
    std::string calibration;            // what the constants were fitted to, for people
    std::string sources;                // where the hardware numbers come from; may be empty
    Launches launches = Launches::Host; // unless the id says otherwise (simulated_options.h)

    // By measured kernels, one for each precision; empty: never judged. Of these numbers: a file whose numbers were
    // changed since is read as never judged.
    std::vector<DeviceJudgement> judgements;

    // Hardware.
    double smCount = 0;
    double smClockMhz = 0;
    double fp32FmaPerClockPerSm = 0;
    double fp16FmaPerClockPerSm = 0;   // without tensor cores
    double tensorFmaPerClockPerSm = 0; // fp16 on tensor cores; 0: none
    double tf32FmaPerClockPerSm = 0;   // float32 rounded to TF32, on tensor cores; 0: none
    double int8FmaPerClockPerSm = 0;   // on integers of 8 bits, dense; 0: none, they are computed as fp32
    double maxBlocksPerSm = 0;
    double maxWarpsPerSm = 0;
    double registersPerSm = 0;
    double sharedMemoryPerSmKib = 0;
    double l2Kib = 0;
    double l2GbPerSecond = 0;
    double dramGbPerSecond = 0;

    // Calibrated.
    double launchUs = 0;             // host time of one launch
    double cudnnCallUs = 0;          // host time of a cuDNN call, in addition to its launches
    double kernelRampUs = 0;         // device time of a kernel in addition to its blocks: ramp and drain
    double blockLatencyUs = 0;       // of a product's block, whatever else runs: until its first operands are there
    double barrierUs = 0;            // device-wide synchronisation between two stages
    double saturatingWarpsPerSm = 0; // with fewer resident warps, a part of the SM is unused
    double gemmEfficiency = 0;       // share of the FMA peak that an SM full of GEMM blocks reaches
    double convEfficiency = 0;       // the same for implicit products of convolutions; 0: gemm_efficiency
    double tensorConvEfficiency = 0; // the same for those on tensor cores; 0: gemm_efficiency
    double winogradEfficiency = 0;   // the same for Winograd products in one kernel
    double depthwiseEfficiency = 0;  // the same for depthwise convolutions
    double dramEfficiency = 0;       // share of the DRAM bandwidth that streaming reaches
    double graphKernelUs = 0;        // as kernelRampUs, in one CUDA graph, launch included; 0: not known
    double eventUs = 0; // an event between two streams launched from the host: host time to record it or to wait for
                        // it, device time until the waiting stream goes on; 0: not known, kAssumedEventUs. In a CUDA
                        // graph a kernel costs graphKernelUs, whatever it waits for.

    friend bool operator==(const DeviceDescription &, const DeviceDescription &) = default;
};

// Nobody has measured it on these devices. On an RTX 3080 one stream goes on about 3 us after another one's event, the
// launch of the next kernel included (Velox, pull request 6096); cudarc's authors name about 1 us for the event alone.
inline constexpr double kAssumedEventUs = 1;
[[nodiscard]] double eventUs(const DeviceDescription &description);

// One number of a description: its key in files, its label for people, and its range.
struct DeviceNumber {
    std::string_view key;   // "sm_clock_mhz"
    std::string_view label; // "SM clock"
    std::string_view unit;  // "MHz"; empty for counts and shares
    double minimum = 0;
    double maximum = 0;
    bool whole = false; // counts are whole numbers
    double DeviceDescription::*member = nullptr;
    bool needed = true; // otherwise a file may leave it out, for 0
};

[[nodiscard]] std::span<const DeviceNumber> deviceNumbers();
// Those that are fitted, not taken from data sheets: from launch_us on.
[[nodiscard]] std::span<const DeviceNumber> calibratedNumbers();

// Refuses, naming the place or the key: text that is not JSON, another format or version, a key that is missing,
// unknown, repeated, not a number or out of range.
[[nodiscard]] Result<DeviceDescription> deviceDescriptionFromJson(std::string_view text);
[[nodiscard]] std::string toJson(const DeviceDescription &description);

// The text of a file that describes the same device under the file's name.
[[nodiscard]] std::string deviceFileText(DeviceDescription description, const std::string &path);

// The built-in descriptions, in the order of lists.
[[nodiscard]] const std::vector<DeviceDescription> &builtInDeviceDescriptions();

using DeviceChange = std::pair<std::string, double>; // key and value of a number

// A what-if question: a device (built-in name or path) and changed numbers.
struct WhatIf {
    std::string original;
    std::vector<DeviceChange> changes;

    friend bool operator==(const WhatIf &, const WhatIf &) = default;
};

// The name of a what-if device: "v100*sm_count=40,l2_kib=12288"; the original name if nothing is changed. Can be read
// back.
[[nodiscard]] std::string whatIfName(const WhatIf &whatIf);
[[nodiscard]] Result<WhatIf> readWhatIfName(const std::string &name);

// A built-in name, the path of a description file, or a what-if name; otherwise WrongUse. Title and calibration of a
// device from a file name the file, so that nobody mistakes it for what it was copied from; a file may not use a
// built-in name.
[[nodiscard]] Result<DeviceDescription> findDeviceDescription(const std::string &nameOrPath);

// The same device with changed numbers. Its name ends in "*", its title has the first changes, its calibration all of
// them.
[[nodiscard]] Result<DeviceDescription> withChanges(DeviceDescription description,
                                                    std::span<const DeviceChange> changes);

} // namespace stagecraft
