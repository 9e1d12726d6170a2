#pragma once

// The members of the error of a simulated device, for JSON and messages.

#include "support/records/record.h"
#include "timing/simulation_error.h"

#include <string_view>
#include <vector>

namespace stagecraft {

void eachMember(Of<SimulationError> auto &error, auto &&visit)
{
    visit(Field{"precision", "in which the kernels ran: fp32, tf32, fp16, or what of them in which"}.required(),
          error.precision);
    visit(Field{"kernels", "that it was judged by", Unit::Count}.required(), error.kernels);
    visit(Field{"median_error", "median of the absolute errors", Unit::Share}.required(), error.medianError);
    visit(Field{"mean_error", "mean of the absolute errors", Unit::Share}.required(), error.meanError);
    visit(Field{"left_out", "whether each kernel was simulated by a device fitted to others; else by this one"}
              .required(),
          error.isOnLeftOut);
}
template <>
inline constexpr std::string_view kPartName<SimulationError> = "simulation_error";

inline constexpr std::string_view kSimulationErrorKey = "simulation_error";

// In answers: empty stands for a device that is not simulated, too.
void visitSimulationErrors(const SimulationErrors &errors, auto &&visit)
{
    visit({kSimulationErrorKey,
           "of a simulated device: how far it is from measured kernels, by precision; empty: never "
           "judged"},
          errors.value_or(std::vector<SimulationError>()));
}

} // namespace stagecraft
