#include "timing/simulation_error.h"

#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

std::string withinText(std::span<const SimulationError> errors)
{
    if (errors.empty())
        return "never judged by measured kernels";
    std::string text;
    for (const SimulationError &error : errors) {
        const bool isSaid = !text.empty() && error.isOnLeftOut == errors.front().isOnLeftOut;
        text += fmt::format("{}{} %{} in {} (median of {})", text.empty() ? "within " : ", ",
                            std::llround(100 * error.medianError),
                            isSaid              ? ""
                            : error.isOnLeftOut ? " on kernels left out"
                                                : " on measured kernels",
                            error.precision, error.kernels);
    }
    return text;
}

std::string simulatedText(std::span<const SimulationError> errors)
{
    return "simulated, " + withinText(errors);
}

} // namespace stagecraft
