#pragma once

// The answer on a device that was fitted to measured kernels, or judged by them.

#include "answers/answer_parts.h"
#include "device/simulated/device_judgement.h"
#include "device/simulated/fit/kernel_errors.h"
#include "flow/fit_device.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

void eachMember(Of<FittedConstant> auto &constant, auto &&visit)
{
    visit({"key", "of the number in a device description"}, constant.key);
    visit({"from", "of the base", Unit::InKey}, constant.from);
    visit({"to", "of the fitted device", Unit::InKey}, constant.to);
}

void eachMember(Of<SimulatedKernel> auto &kernel, auto &&visit)
{
    visit({"kernel", "what it computes"}, kernelText(kernel.kernel));
    visit({"family", "kernels that it is judged with"}, familyOf(kernel.kernel));
    visit({"algorithm", "as the file names it; \"other\" for a name that is not known, \"not told\" without one"},
          algorithmOf(kernel.kernel));
    visit({"source", "the file and its line, or the operator of a profile"}, kernel.kernel.source);
    visit({"measured_us", "as the file says", Unit::Us}, kernel.kernel.us);
    visit({"simulated_us", "on a device that was not fitted to it; with --keep-constants on the base", Unit::Us},
          kernel.simulatedUs);
    visit({"error", "simulated against measured, less 1", Unit::Share}, kernel.error());
}

namespace answers {

struct ErrorOfFamily {
    std::int64_t kernels = 0;
    double medianError = 0;
    double meanError = 0;
};

void eachMember(Of<ErrorOfFamily> auto &family, auto &&visit)
{
    visit({"kernels", "how many", Unit::Count}, family.kernels);
    visit({"median_error", "median of the absolute errors", Unit::Share}, family.medianError);
    visit({"mean_error", "mean of the absolute errors", Unit::Share}, family.meanError);
}

struct FitAnswer {
    static constexpr Title kTitle{"devices-fit",
                                  "stagecraft-cli devices fit FILE... --base DEVICE -o DEVICE.json --json",
                                  "a simulated device fitted to measured kernels, and its error on kernels left out"};
    std::string base;
    std::string precision;
    std::string file{};
    bool isOnLeftOut = false;
    double medianError = 0;
    double meanError = 0;
    std::vector<FittedConstant> constants{};
    std::vector<SimulatedKernel> kernels{};
    std::vector<std::pair<std::string, ErrorOfFamily>> families{};
};

void eachMember(Of<FitAnswer> auto &answer, auto &&visit)
{
    visit({"base", "the device it began with"}, answer.base);
    visit({"precision", "in which the kernels ran: fp32, tf32, fp16, or what of them in which"}, answer.precision);
    visit({"file", "the device description that was written; empty: none"}, answer.file);
    visit({"left_out", "whether each kernel was simulated by a device fitted to others; false with --keep-constants"},
          answer.isOnLeftOut);
    visit({"median_error", "median of the absolute errors of all kernels", Unit::Share}, answer.medianError);
    visit({"mean_error", "mean of the absolute errors of all kernels", Unit::Share}, answer.meanError);
    visit({"constants", "a number that was fitted; those that change no kernel stay"}, answer.constants);
    visit({"kernels", "a kernel of the files"}, answer.kernels);
    visit({"families", "kernels of one family"}, answer.families);
}

} // namespace answers
} // namespace stagecraft
