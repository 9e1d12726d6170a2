#include "plan/fault_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft::plan {
namespace {

class FaultWords {
public:
    FaultWords(const LaunchedProgram &program, const FaultSubjects &subjects, const ProgramFault &fault)
        : m_program(program), m_subjects(subjects), m_fault(fault)
    {
    }

    [[nodiscard]] FaultText text() const
    {
        switch (m_fault.kind) {
        case ProgramFaultKind::TensorRace:
            return {fmt::format("{} {} {}, {} {} {}, and nothing makes {} wait", launchAt(m_fault.first),
                                verb(m_fault.first, m_fault.firstMemory), memoryAt(m_fault.firstMemory),
                                launchAt(m_fault.second), verb(m_fault.second, m_fault.secondMemory),
                                m_fault.firstMemory == m_fault.secondMemory ? "it" : memoryAt(m_fault.secondMemory),
                                nameAt(m_fault.second)),
                    missingEvent()};
        case ProgramFaultKind::WorkspaceRace:
            return {fmt::format("{} and {} use the workspace {}{}, and nothing puts one after the other",
                                launchAt(m_fault.first), launchAt(m_fault.second), memoryAt(m_fault.firstMemory),
                                m_fault.firstMemory == m_fault.secondMemory
                                    ? std::string()
                                    : fmt::format(" and {} in {}", memoryAt(m_fault.secondMemory), sharedBytes())),
                    missingEvent() + ", or give each stream a workspace of its own"};
        case ProgramFaultKind::ReuseRace:
            return {fmt::format("{} {} {}, {} {} {} in {}, and nothing makes {} wait", launchAt(m_fault.first),
                                verb(m_fault.first, m_fault.firstMemory), memoryAt(m_fault.firstMemory),
                                launchAt(m_fault.second), verb(m_fault.second, m_fault.secondMemory),
                                memoryAt(m_fault.secondMemory), sharedBytes(), nameAt(m_fault.second)),
                    missingEvent() + ", or give them bytes of their own"};
        case ProgramFaultKind::Overwritten:
            return {fmt::format("{} reads {}, but {} wrote {} over it before, in {}",
                                m_fault.second == kNoFaultPart ? "what comes after the last launch"
                                                               : launchAt(m_fault.second),
                                memoryAt(m_fault.secondMemory), launchAt(m_fault.first), memoryAt(m_fault.firstMemory),
                                sharedBytes()),
                    fmt::format("Give {} bytes that {} keeps until it was read", memoryAt(m_fault.firstMemory),
                                memoryAt(m_fault.secondMemory))};
        case ProgramFaultKind::WaitForNothing: return waitForNothing();
        case ProgramFaultKind::NotForked:
            return {fmt::format("{} comes before its stream waits for anything of {}, from which all is captured: it "
                                "is not part of the capture",
                                launchAt(m_fault.first), origin()),
                    fmt::format("Record an event on {} and let {} wait for it first", origin(), streamName())};
        case ProgramFaultKind::NotJoined:
            return {fmt::format("stream {} is never joined: {}, from which all is captured, does not wait for its last "
                                "launch, {}",
                                streamName(), origin(), nameAt(m_fault.first)),
                    fmt::format("Record an event on {} after {} and let {} wait for it before the capture ends",
                                streamName(), nameAt(m_fault.first), origin())};
        }
        return {};
    }

private:
    [[nodiscard]] const std::string &nameAt(std::uint32_t launch) const { return m_subjects.launches[launch]->name; }
    [[nodiscard]] const std::string &memoryAt(std::uint32_t memory) const { return m_program.memory[memory].name; }
    [[nodiscard]] const std::string &streamName() const { return m_program.streams[m_fault.stream]; }
    [[nodiscard]] const std::string &origin() const { return m_program.streams[*m_program.capturedOn]; }

    // "b on stream 2"
    [[nodiscard]] std::string launchAt(std::uint32_t launch) const
    {
        return fmt::format("{} on {}", nameAt(launch), m_program.streams[m_subjects.launches[launch]->stream]);
    }

    [[nodiscard]] const char *verb(std::uint32_t launch, std::uint32_t memory) const
    {
        return std::ranges::count(m_subjects.launches[launch]->writes, memory) > 0 ? "writes" : "reads";
    }

    [[nodiscard]] std::string sharedBytes() const
    {
        const Allocation &one = m_program.allocations[m_program.memory[m_fault.firstMemory].allocation];
        const Allocation &other = m_program.allocations[m_program.memory[m_fault.secondMemory].allocation];
        return fmt::format("bytes {} to {}", std::max(one.begin, other.begin), std::min(one.end, other.end) - 1);
    }

    [[nodiscard]] std::string missingEvent() const
    {
        return fmt::format("Add an event from {} to {}", nameAt(m_fault.first), nameAt(m_fault.second));
    }

    [[nodiscard]] FaultText waitForNothing() const
    {
        const std::string &event = m_program.events[m_fault.event];
        return {fmt::format("stream {} waits for the event {}, which {}: the wait holds nothing back", streamName(),
                            event,
                            m_subjects.isRecorded[m_fault.event] ? "is recorded only later" : "is never recorded"),
                fmt::format("Record {} before {} waits for it", event, streamName())};
    }

    const LaunchedProgram &m_program;
    const FaultSubjects &m_subjects;
    const ProgramFault &m_fault;
};

} // namespace

std::string_view toString(ProgramFaultKind kind)
{
    switch (kind) {
    case ProgramFaultKind::TensorRace: return "tensor race";
    case ProgramFaultKind::ReuseRace: return "race on reused memory";
    case ProgramFaultKind::WorkspaceRace: return "workspace race";
    case ProgramFaultKind::Overwritten: return "overwritten";
    case ProgramFaultKind::WaitForNothing: return "wait for nothing";
    case ProgramFaultKind::NotForked: return "stream not forked";
    case ProgramFaultKind::NotJoined: return "stream not joined";
    }
    return {};
}

FaultSubjects subjectsOf(const LaunchedProgram &program)
{
    FaultSubjects subjects{launchesOf(program), std::vector<bool>(program.events.size())};
    for (const ProgramStep &step : program.steps) {
        if (const auto *record = std::get_if<EventRecord>(&step))
            subjects.isRecorded[record->event] = true;
    }
    return subjects;
}

FaultText textOf(const LaunchedProgram &program, const FaultSubjects &subjects, const ProgramFault &fault)
{
    return FaultWords(program, subjects, fault).text();
}

} // namespace stagecraft::plan
