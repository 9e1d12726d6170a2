#include "plan/program_faults.h"

#include "schedule/streams/launch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace stagecraft::plan {
namespace {

using Launches = std::vector<std::uint32_t>; // in host order

struct Use {
    std::uint32_t launch = 0;
    std::uint32_t memory = 0;
    bool isWrite = false;
};

using Sharing = std::vector<std::vector<std::uint32_t>>;

// By allocation, those of others that share bytes with it. Empty: there are too many pairs.
std::optional<Sharing> sharingOf(const std::vector<Allocation> &allocations)
{
    std::vector<std::uint32_t> order(allocations.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(allocations[i].arena, allocations[i].begin); });
    Sharing sharing(allocations.size());
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Allocation &one = allocations[order[i]];
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            const Allocation &other = allocations[order[j]];
            if (other.arena != one.arena || other.begin >= one.end)
                break;
            if (one.shares(other)) {
                if (++pairs > kMostSharingPairs)
                    return std::nullopt;
                sharing[order[i]].push_back(order[j]);
                sharing[order[j]].push_back(order[i]);
            }
        }
    }
    return sharing;
}

class ProgramChecker {
public:
    ProgramChecker(const LaunchedProgram &program, std::size_t launches, Sharing sharing)
        : m_program(program), m_order(launches), m_sharing(std::move(sharing)), m_memoryAt(program.allocations.size()),
          m_uses(program.memory.size()), m_othersWrote(program.allocations.size()), m_checked(program.memory.size()),
          m_standings(launches), m_streams(program.streams.size()), m_events(program.events.size())
    {
        for (std::uint32_t memory = 0; memory < program.memory.size(); ++memory)
            m_memoryAt[program.memory[memory].allocation].push_back(memory);
        if (program.capturedOn)
            m_streams[*program.capturedOn].isCaptured = true;
    }

    Result<std::vector<ProgramFault>> check(const std::stop_token &stop)
    {
        for (const ProgramStep &step : m_program.steps) {
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "cancelled");
            std::visit([this](const auto &each) { take(each); }, step);
        }
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
    // Whether a launch has ended before the one that is taken.
    struct Standing {
        std::uint32_t taken = kNoFaultPart; // for which it was found
        bool isBefore = false;
    };
    using Races = std::map<std::uint32_t, ProgramFault, std::greater<>>; // by the earlier launch, the latest first

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
        if (std::exchange(m_waitedForAll, m_launches) == m_launches)
            return;
        Launches ends;
        for (const StreamState &stream : m_streams) {
            if (stream.last != LaunchOrder::kFirst)
                ends.push_back(static_cast<std::uint32_t>(stream.last));
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
        std::set<std::uint32_t> lost;
        for (const std::uint32_t memory : step.reads) {
            if (!m_program.memory[memory].isWorkspace && !checkStillThere(memory, launch))
                lost.insert(memory);
        }
        Launches ends = stream.frontier();
        for (const auto &[first, race] : racesOf(uses, lost, ends)) {
            if (isBefore(first, ends))
                continue;
            m_faults.push_back(race);
            ends.push_back(first); // as if it had been waited for
        }
        m_order.append(LaunchOrder::kFirst, ends);
        stream.last = launch;
        stream.held.clear();
        for (const Use &use : uses)
            keep(use);
    }

    // Without those before it that it stands for: whatever races with them races with it, too.
    void keep(const Use &use)
    {
        std::vector<Use> &uses = m_uses[use.memory];
        std::erase_if(uses, [&](const Use &earlier) {
            return (use.isWrite || !earlier.isWrite) && m_order.isBefore(earlier.launch, use.launch);
        });
        uses.push_back(use);
        const std::size_t allocation = m_program.memory[use.memory].allocation;
        for (const std::uint32_t other : m_sharing[allocation]) {
            if (use.isWrite && wholeOf(other) != wholeOf(allocation))
                m_othersWrote[other] = m_launches;
        }
    }

    // With earlier launches that are not before `ends`, one for each, of a tensor if there is one. Not of memory that
    // is lost with what replaced it.
    [[nodiscard]] Races racesOf(const std::vector<Use> &uses, const std::set<std::uint32_t> &lost, const Launches &ends)
    {
        Races races;
        const auto add = [&](const Use &one, const Use &other) {
            if (!(one.isWrite || other.isWrite) || stands(one.launch, other.launch, ends))
                return;
            const ProgramFaultKind kind = raceBetween(one.memory, other.memory);
            const auto [found, isNew] = races.try_emplace(one.launch);
            if (isNew || (kind == ProgramFaultKind::TensorRace && found->second.kind != kind))
                found->second = {.kind = kind,
                                 .first = one.launch,
                                 .second = other.launch,
                                 .firstMemory = one.memory,
                                 .secondMemory = other.memory};
        };
        for (const Use &use : uses) {
            for (const Use &earlier : m_uses[use.memory])
                add(earlier, use);
            if (lost.contains(use.memory))
                continue;
            for (const std::uint32_t other : m_sharing[m_program.memory[use.memory].allocation]) {
                for (const std::uint32_t memory : m_memoryAt[other]) {
                    for (const Use &earlier : m_uses[memory])
                        add(earlier, use);
                }
            }
        }
        return races;
    }

    [[nodiscard]] bool stands(std::uint32_t earlier, std::uint32_t taken, const Launches &ends)
    {
        Standing &standing = m_standings[earlier];
        if (standing.taken != taken)
            standing = {taken, isBefore(earlier, ends)};
        return standing.isBefore;
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

    // Writes of the memory, and of parts of it or what it is part of, by their first bytes.
    [[nodiscard]] std::vector<Use> writesOf(std::uint32_t memory) const
    {
        std::vector<Use> writes;
        const auto add = [&](std::uint32_t each) {
            std::ranges::copy_if(m_uses[each], std::back_inserter(writes), &Use::isWrite);
        };
        add(memory);
        const std::size_t allocation = m_program.memory[memory].allocation;
        for (const std::uint32_t other : m_sharing[allocation]) {
            if (wholeOf(other) == wholeOf(allocation))
                std::ranges::for_each(m_memoryAt[other], add);
        }
        std::ranges::sort(writes, {}, [&](const Use &write) { return allocationOf(write.memory).begin; });
        return writes;
    }

    [[nodiscard]] const Allocation &allocationOf(std::uint32_t memory) const
    {
        return m_program.allocations[m_program.memory[memory].allocation];
    }

    // Whether all bytes that memory lost by a write were written after it. `writes`: writesOf(memory).
    [[nodiscard]] bool isWrittenAgain(std::uint32_t memory, const Use &lostBy, const std::vector<Use> &writes) const
    {
        const Allocation &own = allocationOf(memory);
        const Allocation &other = allocationOf(lostBy.memory);
        const std::size_t end = std::min(own.end, other.end);
        std::size_t lost = std::max(own.begin, other.begin); // the first that is not there again
        for (const Use &write : writes) {
            const Allocation &bytes = allocationOf(write.memory);
            if (lost >= end || bytes.begin > lost)
                break;
            if (bytes.end > lost && m_order.isBefore(lostBy.launch, write.launch))
                lost = bytes.end;
        }
        return lost >= end;
    }

    // Whether what earlier launches wrote into the bytes as other memory was replaced before this one, or the end,
    // reads them: a wait between the two would not help.
    bool checkStillThere(std::uint32_t memory, std::uint32_t reader)
    {
        const std::size_t allocation = m_program.memory[memory].allocation;
        if (m_othersWrote[allocation] <= m_checked[memory])
            return true;
        const std::vector<Use> writes = writesOf(memory);
        for (const std::uint32_t at : m_sharing[allocation]) {
            if (wholeOf(at) == wholeOf(allocation))
                continue;
            for (const std::uint32_t other : m_memoryAt[at]) {
                const auto lostBy = std::ranges::find_if(m_uses[other], [&](const Use &use) {
                    return use.isWrite && use.launch >= m_checked[memory] && !isWrittenAgain(memory, use, writes);
                });
                if (lostBy == m_uses[other].end())
                    continue;
                m_faults.push_back({.kind = ProgramFaultKind::Overwritten,
                                    .first = lostBy->launch,
                                    .second = reader,
                                    .firstMemory = other,
                                    .secondMemory = memory});
                return false;
            }
        }
        m_checked[memory] = std::min(reader, m_launches);
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
    Sharing m_sharing;
    std::vector<std::vector<std::uint32_t>> m_memoryAt; // by allocation
    std::vector<std::vector<Use>> m_uses;               // by memory, as far as later launches need them
    std::vector<std::uint32_t> m_othersWrote;           // by allocation: launches up to the last that wrote into it
    std::vector<std::uint32_t> m_checked;               // by memory: launches up to which it was still there
    std::vector<Standing> m_standings;                  // by launch
    std::vector<StreamState> m_streams;
    std::vector<EventState> m_events;
    std::uint32_t m_launches = 0;
    std::uint32_t m_waitedForAll = 0; // launches
    std::vector<ProgramFault> m_faults;
};

tl::unexpected<Error> refuseCount(std::size_t count, const char *what, std::size_t most)
{
    return refused(fmt::format("it has {} {}, and {} can be checked together", count, what, most),
                   "Check a part of it, a block for example");
}

} // namespace

Result<std::vector<ProgramFault>> faultsOf(const LaunchedProgram &program, const std::stop_token &stop)
{
    const std::size_t launches = launchesOf(program).size();
    if (launches > kMostCheckedLaunches)
        return refuseCount(launches, "launches", kMostCheckedLaunches);
    if (program.streams.size() > kMostCheckedStreams)
        return refuseCount(program.streams.size(), "streams", kMostCheckedStreams);
    if (program.memory.size() > kMostCheckedMemory)
        return refuseCount(program.memory.size(), "tensors and workspaces", kMostCheckedMemory);
    auto sharing = sharingOf(program.allocations);
    if (!sharing)
        return refused(fmt::format("more than {} pairs of its memory share bytes", kMostSharingPairs),
                       "Check a part of it, a block for example");
    return ProgramChecker(program, launches, std::move(*sharing)).check(stop);
}

} // namespace stagecraft::plan
