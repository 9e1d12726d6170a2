// devices fit: the constants of a simulated device from kernels that somebody measured.

#include "answers/fit_answer.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "cli/text_table.h"
#include "flow/fit_device.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kMostFolds = 100;

struct FitCommandOptions {
    std::vector<std::string> files;
    std::string base;
    std::string output;
    FitOptions fit;
};

std::string signedShare(double error)
{
    return fmt::format("{:+} %", std::llround(100 * error));
}

std::string share(double error)
{
    return fmt::format("{} %", std::llround(100 * error));
}

void printKernels(const std::vector<SimulatedKernel> &kernels)
{
    TextTable table({"kernel", "family", "measured", "simulated", "error"});
    for (const KernelGroup &family : groupedBy(familyOf, kernels)) {
        for (const SimulatedKernel &kernel : family.kernels)
            table.add(kernelText(kernel.kernel), family.name, plainLatency(kernel.kernel.us),
                      plainLatency(kernel.simulatedUs), signedShare(kernel.error()));
    }
    std::cout << table << '\n';
}

void printErrors(const DeviceJudgement &judgement)
{
    TextTable table({"family", "kernels", "median error", "mean error"});
    for (const FamilyError &family : judgement.families)
        table.add(family.family, family.kernels, share(family.medianError), share(family.meanError));
    table.add("all", judgement.error.kernels, share(judgement.error.medianError), share(judgement.error.meanError));
    std::cout << table << '\n';
}

void printFit(const FittedDevice &fitted, const KernelDevice &base)
{
    printKernels(fitted.kernels);
    if (!fitted.constants.empty()) {
        TextTable table({"constant", base.id, "fitted"});
        for (const FittedConstant &constant : fitted.constants)
            table.add(constant.key, fmt::format("{:.4g}", constant.from), fmt::format("{:.4g}", constant.to));
        std::cout << table << '\n';
    }
    printErrors(fitted.judgement);
    std::cout << simulatedText(std::vector{fitted.judgement.error}) << '\n';
}

answers::FitAnswer answerOf(FittedDevice fitted, const FitCommandOptions &options)
{
    const SimulationError &error = fitted.judgement.error;
    answers::FitAnswer answer{options.base,      error.precision, options.output,   error.isOnLeftOut,
                              error.medianError, error.meanError, fitted.constants, std::move(fitted.kernels)};
    for (const FamilyError &family : fitted.judgement.families)
        answer.families.emplace_back(family.family,
                                     answers::ErrorOfFamily{family.kernels, family.medianError, family.meanError});
    return answer;
}

Result<void> fitCommand(const FitCommandOptions &options, const CommandLine &line)
{
    TRY_AS(auto base, kernelDevice(options.base));
    const FitRequest request{options.files, base, options.fit};
    const auto listening = line.listen();
    const auto progress = [](const std::string &what, double done) {
        showProgress({"fitting", fmt::format("{} %", static_cast<int>(done * 100)), what});
    };
    auto fitted = fitDevice(request, progress, line.stop);
    endProgress();
    TRY(fitted);
    if (!options.output.empty()) {
        TRY(writeTextFile(options.output, deviceFileText(fitted->device, options.output)));
        std::cerr << "wrote " << options.output << ": use it as sim:" << options.output << '\n';
    }
    if (line.json)
        printAnswer(answerOf(*std::move(fitted), options));
    else
        printFit(*fitted, base);
    return {};
}

} // namespace

void addFitCommand(CLI::App &devices, CommandLine &line)
{
    auto *command =
        devices.add_subcommand("fit", "Fit the constants of a simulated device to kernels that were measured");
    const auto options = std::make_shared<FitCommandOptions>();
    command
        ->add_option("FILE", options->files,
                     "tables of kernels (.csv; columns kind, n_or_m, c_or_n, h_or_k, w, k, kh, kw, pad_h, pad_w, "
                     "stride_h, stride_w, trans_a, trans_b, time_us, algorithm; as DeepBench counts), or traces of the "
                     "PyTorch profiler with shapes")
        ->required()
        ->expected(1, -1);
    command
        ->add_option("--base", options->base,
                     "the device with the hardware's numbers, and the constants to begin with; :fp16 behind it: the "
                     "kernels ran in float16 (sim:v100:fp16)")
        ->type_name("DEVICE")
        ->required();
    command
        ->add_option("--folds", options->fit.folds,
                     "leave out one of so many parts of the kernels at a time, for the error on kernels left out")
        ->type_name("N")
        ->check(wholeNumber(2, kMostFolds))
        ->capture_default_str();
    command->add_flag("--keep-constants", options->fit.keepConstants,
                      "fit nothing: judge the base as it is, by all kernels");
    addOutputTo(*command, line, options->output, "write the device description to this file",
                [] { return FileKind::DeviceDescription; });
    command->callback([&line, options] { line.command = [&line, options] { return fitCommand(*options, line); }; });
}

} // namespace stagecraft
