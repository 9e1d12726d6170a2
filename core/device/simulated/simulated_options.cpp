#include "device/simulated/simulated_options.h"

#include "graph/cost_basis.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr std::array kOptions{OptionWord{"fp32", "precision"}, OptionWord{"tf32", "precision"},
                              OptionWord{"fp16", "precision"}, OptionWord{"graph", "launches"},
                              OptionWord{"host", "launches"}};

bool isFile(const std::string &path)
{
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

bool isDevice(const std::string &name)
{
    const auto &descriptions = builtInDeviceDescriptions();
    return std::ranges::find(descriptions, name, &DeviceDescription::name) != descriptions.end() || isFile(name);
}

bool isOption(std::string_view word)
{
    return std::ranges::find(kOptions, word, &OptionWord::word) != kOptions.end();
}

// Where the options of "a100:fp16" begin: behind the longest name of a device, else before the last known words.
std::size_t startOfOptions(const std::string &name)
{
    if (isDevice(name))
        return name.size();
    for (std::size_t colon = name.rfind(':'); colon != std::string::npos && colon > 0;
         colon = name.rfind(':', colon - 1)) {
        if (isDevice(name.substr(0, colon)))
            return colon;
    }
    std::size_t start = name.size();
    for (std::size_t colon = name.rfind(':'); colon != std::string::npos && colon > 0;
         colon = name.rfind(':', colon - 1)) {
        if (!isOption(std::string_view(name).substr(colon + 1, start - colon - 1)))
            break;
        start = colon;
    }
    return start;
}

bool hasFloat32Convolution(const Graph &graph, const std::vector<DataType> &arithmetic)
{
    const auto convolves = [](const Operator &op) { return op.conv() || op.convTranspose() || op.sepConv(); };
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &op = graph.operators()[i];
        const Graph *body = op.body();
        if (arithmetic[i] == DataType::Float32 &&
            (convolves(op) || (body && std::ranges::any_of(body->operators(), convolves))))
            return true;
    }
    return false;
}

} // namespace

std::string_view toString(SimulatedPrecision precision)
{
    switch (precision) {
    case SimulatedPrecision::OfFile: return "that of the file";
    case SimulatedPrecision::Tf32Convolutions: return "that of the file, float32 convolutions in tf32";
    case SimulatedPrecision::Fp32: return "fp32";
    case SimulatedPrecision::Tf32: return "tf32";
    case SimulatedPrecision::Fp16: return "fp16";
    }
    return "";
}

std::string_view kernelPrecision(SimulatedPrecision precision)
{
    switch (precision) {
    case SimulatedPrecision::OfFile: return toString(SimulatedPrecision::Fp32);
    case SimulatedPrecision::Tf32Convolutions: return "fp32 with tf32 convolutions";
    default: return toString(precision);
    }
}

std::string_view toString(Launches launches)
{
    return launches == Launches::Host ? "from the host" : "from one CUDA graph";
}

OptionWords simulatedOptionWords()
{
    return {kOptions, "sim:NAME", "sim:a100:fp16:host"};
}

SimulatedName simulatedName(const std::string &name)
{
    const std::size_t star = isDevice(name) ? std::string::npos : name.rfind('*');
    std::string asked = name.substr(0, star);
    std::string changes = star == std::string::npos ? "" : name.substr(star);
    const std::size_t options = startOfOptions(asked);
    return {asked.substr(0, options), asked.substr(options), std::move(changes)};
}

Result<SimulatedOptions> simulatedOptions(const std::string &name)
{
    const SimulatedName parts = simulatedName(name);
    TRY_AS(const auto words, simulatedOptionWords().read("sim:" + name, parts.options));
    SimulatedOptions options;
    for (const std::string_view word : words) {
        for (const auto precision : {SimulatedPrecision::Fp32, SimulatedPrecision::Tf32, SimulatedPrecision::Fp16}) {
            if (word == toString(precision))
                options.precision = precision;
        }
        if (word == "host" || word == "graph")
            options.launches = word == "host" ? Launches::Host : Launches::Graph;
    }
    return options;
}

Result<SimulatedRun> runOf(const DeviceDescription &device, const SimulatedOptions &options)
{
    const bool hasTf32 = device.tf32FmaPerClockPerSm > 0;
    const auto lacks = [&](std::string_view what, std::string_view key) {
        return fail(
            ErrorCode::WrongUse, fmt::format("{} has no {}: its description has no {}", device.title, what, key),
            fmt::format("Leave the option out, or give the device one: devices sim:NAME -o FILE.json writes its "
                        "description, and FILE.json can say {}",
                        key));
    };
    if (options.precision == SimulatedPrecision::Tf32 && !hasTf32)
        return lacks("TF32", "tf32_fma_per_clock_per_sm");
    const Launches launches = options.launches.value_or(device.launches);
    if (launches == Launches::Graph && device.graphKernelUs == 0)
        return lacks("CUDA graphs", "graph_kernel_us");
    const auto unlessTold = hasTf32 ? SimulatedPrecision::Tf32Convolutions : SimulatedPrecision::OfFile;
    return SimulatedRun{options.precision.value_or(unlessTold), launches};
}

std::string nameWith(const SimulatedName &name, const SimulatedOptions &options, const DeviceDescription &device)
{
    std::string text = name.device;
    if (options.precision)
        text += fmt::format(":{}", toString(*options.precision));
    if (options.launches && *options.launches != device.launches)
        text += *options.launches == Launches::Host ? ":host" : ":graph";
    return text + name.changes;
}

DeviceDescription launching(DeviceDescription device, Launches launches)
{
    device.eventUs = eventUs(device);
    if (launches == Launches::Graph) {
        device.launchUs = device.cudnnCallUs = device.barrierUs = 0;
        device.kernelRampUs = device.graphKernelUs;
        device.eventUs = 0;
    }
    return device;
}

std::vector<DataType> arithmeticOn(const Graph &graph, SimulatedPrecision precision)
{
    switch (precision) {
    case SimulatedPrecision::OfFile:
    case SimulatedPrecision::Tf32Convolutions: return arithmeticTypes(graph);
    case SimulatedPrecision::Fp32:
    case SimulatedPrecision::Tf32: return std::vector(graph.size(), DataType::Float32);
    case SimulatedPrecision::Fp16: return std::vector(graph.size(), DataType::Float16);
    }
    return {};
}

std::string precisionText(const Graph &graph, std::string_view ofFile, SimulatedPrecision precision)
{
    if (precision == SimulatedPrecision::OfFile)
        return std::string(ofFile);
    if (precision != SimulatedPrecision::Tf32Convolutions)
        return std::string(toString(precision));
    return std::string(ofFile) +
           (hasFloat32Convolution(graph, arithmeticTypes(graph)) ? " with tf32 convolutions" : "");
}

} // namespace stagecraft
