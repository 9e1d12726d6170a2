#pragma once

// The answer on kernels whose tiles were searched.

#include "answers/answer_parts.h"
#include "flow/tune_kernels.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

void eachMember(Of<KernelTuning> auto &kernel, auto &&visit)
{
    visit({"kernel", "what it computes, in which layout and on how many threads"}, kernel.best.key);
    visit({"operators", "of the model that it computes"}, kernel.operators);
    visit({"trials", "parameters that were measured", Unit::Count}, kernel.best.trials);
    visit({"library_us", "the library's kernel, median of the rounds", Unit::Us}, kernel.best.libraryUs);
    visit({"tuned_us", "the best of the device's own, likewise", Unit::Us}, kernel.best.tunedUs);
    visit({"speedup", "library over tuned", Unit::Times}, kernel.best.speedup);
    visit({"speedup_low", "of its 95 % confidence interval", Unit::Times}, kernel.best.speedupLow);
    visit({"speedup_high", "likewise", Unit::Times}, kernel.best.speedupHigh);
    visit({"verdict", "of the device's own kernel against the library's"}, std::string(toString(kernel.verdict)));
    visit({"parameter_names", "of the tiles"}, kernel.parameterNames);
    visit({"parameters", "in their order; empty: the library's kernel stays", Unit::Count}, kernel.best.parameters);
}

namespace answers {

struct TuneAnswer {
    static constexpr Title kTitle{"tune", "stagecraft-cli tune MODEL -d cpu --trials N --json",
                                  "kernels whose tiles were searched, and how they compare with the library's"};
    std::string model;
    std::string device;
    std::int64_t batch = 1;
    bool isStopped = false;
    double meanSpeedup = 1;
    std::vector<KernelTuning> kernels{};
};

void eachMember(Of<TuneAnswer> auto &answer, auto &&visit)
{
    visit({"model", "its name"}, answer.model);
    visit(fields::kDevice, answer.device);
    visit({"batch", "images at once", Unit::Count}, answer.batch);
    visit({"stopped", "before all kernels were searched"}, answer.isStopped);
    visit({"mean_speedup", "geometric mean over the kernels, 1 where the library's stays", Unit::Times},
          answer.meanSpeedup);
    visit({"kernels", "a convolution that the device's own kernels can compute"}, answer.kernels);
}

} // namespace answers
} // namespace stagecraft
