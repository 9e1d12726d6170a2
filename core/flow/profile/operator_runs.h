#pragma once

// How the operators of a model ran, as a profile shows it: kernels of the typical run, and times of all runs.

#include "flow/import_profile.h"
#include "schedule/compare/operator_changes.h"

namespace stagecraft {

[[nodiscard]] OperatorRuns operatorRuns(const ImportedProfile &imported, std::size_t operators);

} // namespace stagecraft
