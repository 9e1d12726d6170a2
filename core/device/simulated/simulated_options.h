#pragma once

// What the id of a simulated device says behind its name: sim:NAME, then any of
//   precision  fp32, tf32 (of convolutions and products), fp16; unless told, that of the file, and TF32 for its float32
//              convolutions where the device has TF32 (PyTorch's default: convolutions only)
//   launches   host (a launch at a time), graph (the whole schedule is one CUDA graph); unless told, what the device's
//              description says
// separated by colons: sim:a100:fp16, sim:v100:graph, sim:FILE.json:tf32:host. Changed numbers stand behind them:
// sim:a100:fp16*sm_count=54.

#include "device/simulated/device_description.h"
#include "graph/graph.h"
#include "support/option_words.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

enum class SimulatedPrecision { OfFile, Tf32Convolutions, Fp32, Tf32, Fp16 };

// "that of the file", "that of the file, float32 convolutions in tf32", "fp32", "tf32", "fp16".
[[nodiscard]] std::string_view toString(SimulatedPrecision precision);
// Of a kernel that has float32 operands unless the precision is fp16: "fp32", "tf32", "fp16", "fp32 with tf32
// convolutions".
[[nodiscard]] std::string_view kernelPrecision(SimulatedPrecision precision);
// "from the host", "from one CUDA graph".
[[nodiscard]] std::string_view toString(Launches launches);

// As asked for; what is empty is left to the device.
struct SimulatedOptions {
    std::optional<SimulatedPrecision> precision;
    std::optional<Launches> launches;

    friend bool operator==(const SimulatedOptions &, const SimulatedOptions &) = default;
};

// "a100:fp16*sm_count=54" in its parts. The device is a built-in name or a path, which may have colons and asterisks.
struct SimulatedName {
    std::string device;  // "a100"
    std::string options; // ":fp16"
    std::string changes; // "*sm_count=54"
};

[[nodiscard]] OptionWords simulatedOptionWords();
[[nodiscard]] SimulatedName simulatedName(const std::string &name);
// WrongUse: an unknown option, or two that contradict each other.
[[nodiscard]] Result<SimulatedOptions> simulatedOptions(const std::string &name);

// How the device computes and launches.
struct SimulatedRun {
    SimulatedPrecision precision = SimulatedPrecision::OfFile;
    Launches launches = Launches::Host;
};

// WrongUse where the description lacks what is asked for: a rate for TF32, the cost of a kernel in a CUDA graph.
[[nodiscard]] Result<SimulatedRun> runOf(const DeviceDescription &device, const SimulatedOptions &options);

// The name again, the shortest with these options: launches as the device has them unless told are left out.
[[nodiscard]] std::string nameWith(const SimulatedName &name, const SimulatedOptions &options,
                                   const DeviceDescription &device);

// The device as its launches make it: from one CUDA graph, no host takes part, stages need no barrier, and a kernel
// takes `graph_kernel_us` in addition to its blocks.
[[nodiscard]] DeviceDescription launching(DeviceDescription device, Launches launches);

// Float32 or Float16 per operator, for storage and computation of its floating-point operands.
[[nodiscard]] std::vector<DataType> arithmeticOn(const Graph &graph, SimulatedPrecision precision);

// "fp32", "fp16", "tf32", "fp32 with tf32 convolutions": what the operators of the graph are computed in.
[[nodiscard]] std::string precisionText(const Graph &graph, std::string_view ofFile, SimulatedPrecision precision);

} // namespace stagecraft
