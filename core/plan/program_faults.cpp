#include "plan/program_faults.h"

#include "schedule/streams/launch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace stagecraft::plan {
namespace {

using Launches = std::vector<std::uint32_t>; // in host order

struct Use {
    std::uint32_t launch = 0;
    std::uint32_t memory = 0;
    bool isWrite = false;
};

// By allocation, those of others that share bytes with it.
std::vector<std::vector<std::size_t>> sharingOf(const std::vector<Allocation> &allocations)
{
    std::vector<std::size_t> order(allocations.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(allocations[i].arena, allocations[i].begin); });
    std::vector<std::vector<std::size_t>> sharing(allocations.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Allocation &one = allocations[order[i]];
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            const Allocation &other = allocations[order[j]];
            if (other.arena != one.arena || other.begin >= one.end)
                break;
            if (one.shares(other)) {
                sharing[order[i]].push_back(order[j]);
                sharing[order[j]].push_back(order[i]);
            }
        }
    }
    return sharing;
}

class ProgramChecker {
public:
    ProgramChecker(const LaunchedProgram &program, std::size_t launches)
        : m_program(program), m_order(launches), m_sharing(sharingOf(program.allocations)),
          m_uses(program.allocations.size()), m_writers(program.memory.size()), m_streams(program.streams.size()),
          m_events(program.events.size())
    {
        if (program.capturedOn)
            m_streams[*program.capturedOn].isCaptured = true;
    }

    std::vector<ProgramFault> check()
    {
        for (const ProgramStep &step : m_program.steps)
            std::visit([this](const auto &each) { take(each); }, step);
        for (std::uint32_t memory = 0; memory < m_program.memory.size(); ++memory) {
            if (m_program.memory[memory].isOutput)
                checkStillThere(memory, kNoFaultPart);
        }
        checkJoins();
        return std::move(m_faults);
    }

private:
    struct StreamState {
        std::size_t last = LaunchOrder::kFirst;
        Launches held = {};      // what the next launch waits for besides
        bool isCaptured = false; // it is, or has waited for, what is captured
        bool isTold = false;     // that it is not

        // All that was given to the stream has ended once these have.
        [[nodiscard]] Launches frontier() const
        {
            Launches ends = held;
            if (last != LaunchOrder::kFirst)
                ends.push_back(static_cast<std::uint32_t>(last));
            return ends;
        }
    };
    struct EventState {
        bool isRecorded = false;
        bool isCaptured = false;
        Launches ends = {};
    };

    [[nodiscard]] bool isBefore(std::uint32_t launch, const Launches &ends) const
    {
        return std::ranges::any_of(ends,
                                   [&](std::uint32_t end) { return end == launch || m_order.isBefore(launch, end); });
    }

    // Without those that are before others.
    [[nodiscard]] Launches latestOf(Launches ends) const
    {
        std::ranges::sort(ends, std::greater());
        Launches latest;
        for (const std::uint32_t launch : ends) {
            if (!isBefore(launch, latest))
                latest.push_back(launch);
        }
        return latest;
    }

    void hold(StreamState &stream, const Launches &ends) const
    {
        stream.held.insert(stream.held.end(), ends.begin(), ends.end());
        stream.held = latestOf(std::move(stream.held));
    }

    void take(const EventRecord &step)
    {
        const StreamState &stream = m_streams[step.stream];
        m_events[step.event] = {true, stream.isCaptured, stream.frontier()};
    }

    void take(const EventWait &step)
    {
        const EventState &event = m_events[step.event];
        if (!event.isRecorded) {
            m_faults.push_back({.kind = ProgramFaultKind::WaitForNothing, .stream = step.stream, .event = step.event});
            return;
        }
        StreamState &stream = m_streams[step.stream];
        stream.isCaptured = stream.isCaptured || event.isCaptured;
        hold(stream, event.ends);
    }

    void take(const WaitForAll & /*step*/)
    {
        Launches ends;
        for (const StreamState &stream : m_streams) {
            const Launches own = stream.frontier();
            ends.insert(ends.end(), own.begin(), own.end());
        }
        ends = latestOf(std::move(ends));
        for (StreamState &stream : m_streams)
            stream.held = ends;
    }

    void take(const ProgramLaunch &step)
    {
        StreamState &stream = m_streams[step.stream];
        const std::uint32_t launch = m_launches++;
        if (m_program.capturedOn && !stream.isCaptured && !std::exchange(stream.isTold, true))
            m_faults.push_back({.kind = ProgramFaultKind::NotForked, .first = launch, .stream = step.stream});
        std::vector<Use> uses;
        for (const std::uint32_t memory : step.reads)
            uses.push_back({launch, memory, false});
        for (const std::uint32_t memory : step.writes)
            uses.push_back({launch, memory, true});
        std::vector<std::uint32_t> lost;
        for (const std::uint32_t memory : step.reads) {
            if (!m_program.memory[memory].isWorkspace && !checkStillThere(memory, launch))
                lost.push_back(memory);
        }
        Launches ends = stream.frontier();
        for (const ProgramFault &race : racesOf(uses)) {
            const bool isTold =
                race.firstMemory != race.secondMemory && std::ranges::count(lost, race.secondMemory) > 0;
            if (isTold || isBefore(race.first, ends))
                continue;
            m_faults.push_back(race);
            ends.push_back(race.first); // as if it had been waited for
        }
        m_order.append(LaunchOrder::kFirst, ends);
        stream.last = launch;
        stream.held.clear();
        for (const Use &use : uses) {
            m_uses[m_program.memory[use.memory].allocation].push_back(use);
            if (use.isWrite)
                m_writers[use.memory].push_back(launch);
        }
    }

    // With all earlier launches, the latest first, and of one launch a tensor first.
    [[nodiscard]] std::vector<ProgramFault> racesOf(const std::vector<Use> &uses) const
    {
        std::vector<ProgramFault> races;
        const auto add = [&](const Use &one, const Use &other) {
            if (one.isWrite || other.isWrite)
                races.push_back({.kind = raceBetween(one.memory, other.memory),
                                 .first = one.launch,
                                 .second = other.launch,
                                 .firstMemory = one.memory,
                                 .secondMemory = other.memory});
        };
        for (const Use &use : uses) {
            const std::size_t allocation = m_program.memory[use.memory].allocation;
            for (const Use &earlier : m_uses[allocation]) {
                if (earlier.memory == use.memory)
                    add(earlier, use);
            }
            for (const std::size_t other : m_sharing[allocation]) {
                for (const Use &earlier : m_uses[other])
                    add(earlier, use);
            }
        }
        std::ranges::stable_sort(races, std::greater(), [](const ProgramFault &race) {
            return std::pair(race.first, race.kind == ProgramFaultKind::TensorRace);
        });
        return races;
    }

    [[nodiscard]] ProgramFaultKind raceBetween(std::uint32_t one, std::uint32_t other) const
    {
        if (m_program.memory[one].isWorkspace && m_program.memory[other].isWorkspace)
            return ProgramFaultKind::WorkspaceRace;
        const bool isOne = wholeOf(m_program.memory[one].allocation) == wholeOf(m_program.memory[other].allocation);
        return isOne ? ProgramFaultKind::TensorRace : ProgramFaultKind::ReuseRace;
    }

    [[nodiscard]] std::size_t wholeOf(std::size_t allocation) const
    {
        return m_program.allocations[allocation].partOf.value_or(allocation);
    }

    // Launches that wrote the memory, or a part of it or what it is part of.
    [[nodiscard]] Launches writersOf(std::uint32_t memory) const
    {
        Launches writers = m_writers[memory];
        const std::size_t allocation = m_program.memory[memory].allocation;
        for (const std::size_t other : m_sharing[allocation]) {
            for (const Use &use : m_uses[other]) {
                if (use.isWrite && wholeOf(other) == wholeOf(allocation))
                    writers.push_back(use.launch);
            }
        }
        return writers;
    }

    // Whether what earlier launches wrote into the bytes as other memory was replaced before this one, or the end,
    // reads them: a wait between the two would not help.
    bool checkStillThere(std::uint32_t memory, std::uint32_t reader)
    {
        const std::size_t allocation = m_program.memory[memory].allocation;
        const Launches writers = writersOf(memory);
        for (const std::size_t other : m_sharing[allocation]) {
            if (wholeOf(other) == wholeOf(allocation))
                continue;
            for (const Use &use : m_uses[other]) {
                const bool isAgain = std::ranges::any_of(
                    writers, [&](std::uint32_t writer) { return m_order.isBefore(use.launch, writer); });
                if (!use.isWrite || isAgain)
                    continue;
                m_faults.push_back({.kind = ProgramFaultKind::Overwritten,
                                    .first = use.launch,
                                    .second = reader,
                                    .firstMemory = use.memory,
                                    .secondMemory = memory});
                return false;
            }
        }
        return true;
    }

    void checkJoins()
    {
        if (!m_program.capturedOn)
            return;
        Launches joined = m_streams[*m_program.capturedOn].frontier();
        std::vector<std::uint32_t> streams;
        for (std::uint32_t i = 0; i < m_streams.size(); ++i) {
            if (m_streams[i].isCaptured && m_streams[i].last != LaunchOrder::kFirst)
                streams.push_back(i);
        }
        std::ranges::sort(streams, std::greater(), [&](std::uint32_t i) { return m_streams[i].last; });
        for (const std::uint32_t stream : streams) {
            const auto last = static_cast<std::uint32_t>(m_streams[stream].last);
            if (isBefore(last, joined))
                continue;
            m_faults.push_back({.kind = ProgramFaultKind::NotJoined, .first = last, .stream = stream});
            joined.push_back(last); // as if it had been
        }
    }

    const LaunchedProgram &m_program;
    LaunchOrder m_order;
    std::vector<std::vector<std::size_t>> m_sharing; // by allocation
    std::vector<std::vector<Use>> m_uses;            // by allocation
    std::vector<Launches> m_writers;                 // by memory
    std::vector<StreamState> m_streams;
    std::vector<EventState> m_events;
    std::uint32_t m_launches = 0;
    std::vector<ProgramFault> m_faults;
};

} // namespace

Result<std::vector<ProgramFault>> faultsOf(const LaunchedProgram &program)
{
    const std::size_t launches = launchesOf(program).size();
    if (launches > kMostCheckedLaunches)
        return refused(
            fmt::format("it has {} launches, and {} can be checked together", launches, kMostCheckedLaunches),
            "Check a part of it, a block for example");
    return ProgramChecker(program, launches).check();
}

} // namespace stagecraft::plan
