// tune: the tiles of a device's own kernels, against the library's.

#include "answers/tune_answer.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "cli/text_table.h"
#include "flow/tune_kernels.h"
#include "support/number_text.h"
#include "wiring/device_catalog.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct TuneOptions {
    ModelOptions model;
    DeviceOption device;
    TuneRequest request;
    bool forgets = false;
};

// Tuned against the library's kernels, so on the device without tuned ones.
Result<DeviceOption> libraryDevice(const DeviceOption &given)
{
    DeviceOption device = given;
    if (device.id == "cpu")
        device.id = "cpu:library";
    if (device.id == "cpu:library")
        return device;
    if (device.id.starts_with("gpu:"))
        return fail(ErrorCode::WrongUse,
                    "the tiles of " + device.id +
                        " are not searched: its convolutions are chosen among cuDNN's and our "
                        "templates when a stage is compiled",
                    "Tune on cpu");
    return fail(ErrorCode::WrongUse, device.id + " has no kernels of its own whose tiles could be searched",
                "Tune on cpu");
}

std::string parametersText(const KernelTuning &kernel)
{
    if (kernel.best.parameters.empty())
        return "library";
    std::vector<std::string> words;
    for (std::size_t i = 0; i < kernel.best.parameters.size(); ++i)
        words.push_back(fmt::format("{} {}", kernel.parameterNames[i], kernel.best.parameters[i]));
    return fmt::format("{}", fmt::join(words, ", "));
}

void print(const std::vector<KernelTuning> &kernels, bool isStopped)
{
    TextTable table({"kernel", "operators", "trials", "library", "tuned", "speedup", "95 % interval", "used"});
    for (const KernelTuning &kernel : kernels)
        table.add(kernel.best.key, kernel.operators.size(), kernel.best.trials, plainLatency(kernel.best.libraryUs),
                  plainLatency(kernel.best.tunedUs), fmt::format("{:.2f}x", kernel.best.speedup),
                  fmt::format("{:.2f} to {:.2f}", kernel.best.speedupLow, kernel.best.speedupHigh),
                  parametersText(kernel));
    const auto faster =
        std::ranges::count_if(kernels, [](const KernelTuning &kernel) { return !kernel.best.parameters.empty(); });
    std::cout << table << '\n'
              << fmt::format("{} of {} kernels are faster than the library's; geometric mean over all: {:.2f}x\n",
                             faster, kernels.size(), meanSpeedup(kernels))
              << (isStopped ? "stopped: the other kernels keep what they had\n" : "")
              << (faster > 0 ? "cpu uses them from now on; cpu:library does not\n" : "");
}

Result<void> tune(const TuneOptions &options, const CommandLine &line)
{
    TRY_AS(const auto which, libraryDevice(options.device));
    TRY_AS(const auto model, options.model.open());
    TRY_AS(const auto device, which.open(model));
    TRY_AS(auto store, LatencyStore::open(defaultLatencyStorePath()));
    if (options.forgets) {
        TRY(store.forgetKernels(device.info.fingerprint));
    }
    const auto listening = line.listen();
    const auto found = [&](const KernelTuning &kernel) {
        return store.addKernel(device.info.fingerprint, kernel.best);
    };
    const auto progress = [](const TuneProgress &now) {
        showProgress({fmt::format("tuning kernel {} of {}", now.kernel + 1, now.kernels),
                      fmt::format("{} trials", now.trials), fmt::format("best {:.2f}x", 1 / now.bestRatio)});
    };
    auto kernels = tuneKernels(*device.session, options.request, found, progress, line.stop);
    endProgress();
    if (!kernels)
        return withinModel(model, std::move(kernels.error()));
    const bool isStopped = line.stop.stop_requested();
    if (line.json)
        printAnswer(answers::TuneAnswer{model.name, device.info.id, model.graph->batch(), isStopped,
                                        meanSpeedup(*kernels), std::move(*kernels)});
    else
        print(*kernels, isStopped);
    return {};
}

} // namespace

void addTuneCommand(CLI::App &app, CommandLine &line)
{
    constexpr int kMostTrials = 10'000;
    auto *command = app.add_subcommand("tune", "Search the tiles of the device's own kernels against the library's");
    const auto options = std::make_shared<TuneOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    options->device.id = "cpu";
    command->get_option("--device")->default_str("cpu");
    command->add_option("--trials", options->request.trials, "measure at most so many tiles of each kernel")
        ->type_name("N")
        ->check(wholeNumber(1, kMostTrials))
        ->capture_default_str();
    command
        ->add_option("--seconds", options->request.seconds,
                     "spend about so many seconds on all kernels (default: what the trials take)")
        ->type_name("T")
        ->check(numberAbove(0));
    command->add_flag("--forget", options->forgets, "first forget every tuned kernel of the device");
    command->callback([&line, options] { line.command = [&line, options] { return tune(*options, line); }; });
}

} // namespace stagecraft
