// Runs the network on .npy files, or measures its latency.

#include "stagecraft_model.hpp"

#include "device/npy.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string_view>
#include <unistd.h>

namespace {

using namespace stagecraft_model;
using engine::HostTensor;

constexpr int kWrongUse = 2;
constexpr int kRefused = 3;

#ifdef STAGECRAFT_MODEL_CUDA
constexpr std::string_view kNumber = "--device";
constexpr std::string_view kSwitch = "--quick";
constexpr const char *kTargetHelp = "  --device N            which GPU (0)\n"
                                    "  --quick               try few ways to compute a convolution: loads in seconds\n";
#else
constexpr std::string_view kNumber = "--threads";
constexpr std::string_view kSwitch = "--no-pin";
constexpr const char *kTargetHelp = "  --threads N           0: one for each processor (0)\n"
                                    "  --no-pin              let the system move threads between processors\n";
#endif

std::string help()
{
    std::string text = "Usage: stagecraft_model-run --input [NAME=]X.npy ... --output [NAME=]Y.npy ...\n"
                       "       stagecraft_model-run --benchmark [--runs N]\n"
                       "\n"
                       "  --input [NAME=]FILE   values of an input; without a name: of the only one\n"
                       "  --output [NAME=]FILE  where to write an output; without a name: the first\n"
                       "  --benchmark           print latencies, for random inputs unless inputs are given\n"
                       "  --runs N              how many runs to measure (100), after 10 runs to warm up\n";
    return text + kTargetHelp +
           "  --weights FILE        weights.bin (" STAGECRAFT_MODEL_WEIGHTS ")\n"
           "  --help                this text\n";
}

struct Arguments {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::string weights = STAGECRAFT_MODEL_WEIGHTS;
    Options options;
    int runs = 100;
    bool benchmark = false;
    bool help = false;
};

int refuse(int status, const std::string &message)
{
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return status;
}

std::optional<int> count(std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

Result<Arguments> parse(std::span<const char *const> words)
{
    Arguments arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "--help") {
            arguments.help = true;
            continue;
        }
        if (word == "--benchmark") {
            arguments.benchmark = true;
            continue;
        }
        if (word == kSwitch) {
#ifdef STAGECRAFT_MODEL_CUDA
            arguments.options.quick = true;
#else
            arguments.options.pin = false;
#endif
            continue;
        }
        const bool known =
            word == "--input" || word == "--output" || word == "--weights" || word == "--runs" || word == kNumber;
        if (!known)
            return Error{std::string(word) + " is not known. See --help"};
        if (++i == words.size())
            return Error{std::string(word) + " needs a value"};
        const std::string value = words[i];
        if (word == "--input")
            arguments.inputs.push_back(value);
        else if (word == "--output")
            arguments.outputs.push_back(value);
        else if (word == "--weights")
            arguments.weights = value;
        else if (const auto number = count(value); !number)
            return Error{std::string(word) + ": " + value + " is not a count"};
        else if (word == "--runs")
            arguments.runs = *number;
        else
#ifdef STAGECRAFT_MODEL_CUDA
            arguments.options.device = *number;
#else
            arguments.options.threads = *number;
#endif
    }
    return arguments;
}

// "NAME=FILE" or "FILE". A tensor of that name decides, so both may contain "=".
struct NamedFile {
    std::size_t tensor = 0;
    std::string file;
};

Result<NamedFile> namedFile(const std::string &text, const std::vector<TensorInfo> &tensors, bool isInput)
{
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (text.starts_with(tensors[i].name + "="))
            return NamedFile{i, text.substr(tensors[i].name.size() + 1)};
    }
    std::string names;
    for (const TensorInfo &tensor : tensors)
        names += (names.empty() ? "" : ", ") + tensor.name;
    if (text.find('=') != std::string::npos && !std::filesystem::exists(text))
        return Error{text + ": the network has no tensor of this name. There is " + names};
    if (isInput && tensors.size() != 1)
        return Error{text + ": the network has several inputs, name one of " + names};
    return NamedFile{0, text};
}

std::string message(const engine::Error &error)
{
    std::string text;
    for (const std::string &where : error.context)
        text += where + ": ";
    return text + error.message + (error.remedy.empty() ? "" : ". " + error.remedy);
}

Result<std::vector<std::vector<float>>> readInputs(const Network &network, const std::vector<std::string> &files)
{
    std::vector<std::vector<float>> values(network.inputs().size());
    std::vector<bool> isGiven(values.size());
    for (const std::string &text : files) {
        const auto named = namedFile(text, network.inputs(), true);
        if (!named)
            return named.error();
        const TensorInfo &input = network.inputs()[named->tensor];
        auto tensor = engine::readNpy(named->file);
        if (!tensor)
            return Error{message(tensor.error())};
        if (tensor->shape.dims != input.shape)
            return Error{named->file + ": the array is " + toString(tensor->shape) + ", input " + input.name + " is " +
                         toString(engine::Shape{input.shape})};
        values[named->tensor] = std::move(tensor->values);
        isGiven[named->tensor] = true;
    }
    for (std::size_t i = 0; i < isGiven.size(); ++i) {
        if (!isGiven[i])
            return Error{"input " + network.inputs()[i].name + " is missing"};
    }
    return values;
}

std::vector<std::vector<float>> randomInputs(const Network &network)
{
    std::minstd_rand generator(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<std::vector<float>> values;
    for (const TensorInfo &input : network.inputs()) {
        std::vector<float> &of = values.emplace_back(input.elements());
        std::ranges::generate(of, [&] { return uniform(generator); });
    }
    return values;
}

std::optional<Error> benchmark(const Network &network, int runs)
{
    constexpr int kWarmUp = 10;
    if (const auto warm = network.measure(kWarmUp); !warm)
        return warm.error();
    auto latencies = network.measure(std::max(runs, 1));
    if (!latencies)
        return latencies.error();
    std::ranges::sort(*latencies);
    const auto at = [&](double share) {
        return (*latencies)[static_cast<std::size_t>(share * static_cast<double>(latencies->size() - 1))];
    };
    std::printf("latency of %zu runs, measured on this machine: median %.1f us, 5 %% %.1f us, 95 %% %.1f us\n",
                latencies->size(), at(0.5), at(0.05), at(0.95));
    return {};
}

// What the libraries read from the environment, unless it is set.
#ifdef STAGECRAFT_MODEL_CUDA
void settleEnvironment(char **)
{
    // Streams that share a queue of the GPU wait for each other without need; there are 8 unless told.
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}
#else
// A thread that waits for others spins only for a moment: long enough for the next operator, short enough that other
// programs on the processor do not delay a run by its whole turn. OpenMP reads this before main, so the program starts
// itself again.
void settleEnvironment(char **words)
{
    if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY"))
        return;
    setenv("GOMP_SPINCOUNT", "2000", 0);
    execv("/proc/self/exe", words); // returns where that fails: it works all the same
}
#endif

} // namespace

int main(int count, char **words)
{
    settleEnvironment(words);
    const auto arguments = parse(std::span<const char *const>(words, static_cast<std::size_t>(count)).subspan(1));
    if (!arguments)
        return refuse(kWrongUse, arguments.error().message);
    if (arguments->help) {
        std::fputs(help().c_str(), stdout);
        return 0;
    }
    if (!arguments->benchmark && arguments->outputs.empty())
        return refuse(kWrongUse, "nothing to do: say --output FILE or --benchmark. See --help");
    const auto network = Network::load(arguments->weights, arguments->options);
    if (!network)
        return refuse(kRefused, network.error().message);
    std::vector<NamedFile> files;
    for (const std::string &output : arguments->outputs) {
        const auto named = namedFile(output, network->outputs(), false);
        if (!named)
            return refuse(kWrongUse, named.error().message);
        files.push_back(*named);
    }
    const bool isRandom = arguments->benchmark && arguments->inputs.empty() && files.empty();
    const auto inputs = isRandom ? Result(randomInputs(*network)) : readInputs(*network, arguments->inputs);
    if (!inputs)
        return refuse(kRefused, inputs.error().message);
    const std::vector<std::span<const float>> views(inputs->begin(), inputs->end());
    auto outputs = network->run(views);
    if (!outputs)
        return refuse(kRefused, outputs.error().message);
    for (const NamedFile &file : files) {
        const TensorInfo &output = network->outputs()[file.tensor];
        const HostTensor tensor{output.name, {output.shape}, (*outputs)[file.tensor]};
        if (const auto written = engine::writeNpy(file.file, tensor); !written)
            return refuse(kRefused, message(written.error()));
    }
    if (arguments->benchmark) {
        if (const auto error = benchmark(*network, arguments->runs))
            return refuse(kRefused, error->message);
    }
    return 0;
}
