#pragma once

// Faults of a program in words: which launches, which memory, and the wait that is missing. Names are as the plan has
// them, and not made safe for a terminal.

#include "plan/program_faults.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::plan {

[[nodiscard]] std::string_view toString(ProgramFaultKind kind); // "tensor race"

struct FaultText {
    std::string reason; // one sentence without a full stop
    std::string remedy; // likewise
};

// What the words for all faults of a program need.
struct FaultSubjects {
    std::vector<const ProgramLaunch *> launches; // in host order
    std::vector<bool> isRecorded;                // by event: somewhere
};
[[nodiscard]] FaultSubjects subjectsOf(const LaunchedProgram &program);

[[nodiscard]] FaultText textOf(const LaunchedProgram &program, const FaultSubjects &subjects,
                               const ProgramFault &fault);

} // namespace stagecraft::plan
