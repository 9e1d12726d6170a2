#include "flow/verify/verify_program.h"

#include "plan/fault_words.h"
#include "plan/program_faults.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

PlanFault wordedFault(const plan::LaunchedProgram &program, const plan::FaultSubjects &subjects,
                      const plan::ProgramFault &fault)
{
    plan::FaultText text = textOf(program, subjects, fault);
    PlanFault worded{std::string(toString(fault.kind)), std::move(text.reason), std::move(text.remedy)};
    for (const std::uint32_t launch : {fault.first, fault.second}) {
        if (launch != plan::kNoFaultPart)
            worded.launches.push_back(subjects.launches[launch]->name);
    }
    for (const std::uint32_t memory : {fault.firstMemory, fault.secondMemory}) {
        if (memory != plan::kNoFaultPart && std::ranges::count(worded.memory, program.memory[memory].name) == 0)
            worded.memory.push_back(program.memory[memory].name);
    }
    return worded;
}

template <typename Step>
std::size_t countOf(const plan::LaunchedProgram &program)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        program.steps, [](const plan::ProgramStep &step) { return std::holds_alternative<Step>(step); }));
}

} // namespace

Result<VerifiedPlan> verifyProgram(const plan::LaunchedProgram &program, const std::stop_token &stop)
{
    VerifiedPlan verified;
    TRY_AS(const auto faults, faultsOf(program, stop));
    const plan::FaultSubjects subjects = subjectsOf(program);
    for (const plan::ProgramFault &fault : faults)
        verified.faults.push_back(wordedFault(program, subjects, fault));
    verified.streams = program.streams.size();
    verified.launches = subjects.launches.size();
    verified.events = countOf<plan::EventWait>(program);
    verified.barriers = countOf<plan::WaitForAll>(program);
    return verified;
}

} // namespace stagecraft
