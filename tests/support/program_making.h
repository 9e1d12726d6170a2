#pragma once

// Launched programs for tests: made by hand, at random, and with exactly the waits that they need, found by definition.
// Deterministic in the generator.

#include "plan/launched_program.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::test {

// By names, in host order.
class ProgramMaker {
public:
    plan::LaunchedProgram made;

    ProgramMaker &memory(const std::string &name, std::size_t begin, std::size_t end)
    {
        made.memory.push_back({name, made.allocations.size()});
        made.allocations.push_back({0, begin, end});
        return *this;
    }
    ProgramMaker &launch(const std::string &name, const std::string &stream, const std::vector<std::string> &reads,
                         const std::vector<std::string> &writes)
    {
        plan::ProgramLaunch step{name, number(made.streams, stream)};
        for (const std::string &each : reads)
            step.reads.push_back(memoryCalled(each));
        for (const std::string &each : writes)
            step.writes.push_back(memoryCalled(each));
        made.steps.emplace_back(step);
        return *this;
    }
    ProgramMaker &record(const std::string &event, const std::string &stream)
    {
        made.steps.emplace_back(plan::EventRecord{number(made.streams, stream), number(made.events, event)});
        return *this;
    }
    ProgramMaker &wait(const std::string &event, const std::string &stream)
    {
        made.steps.emplace_back(plan::EventWait{number(made.streams, stream), number(made.events, event)});
        return *this;
    }
    ProgramMaker &waitForAll()
    {
        made.steps.emplace_back(plan::WaitForAll{});
        return *this;
    }
    ProgramMaker &capturedOn(const std::string &stream)
    {
        made.capturedOn = number(made.streams, stream);
        return *this;
    }

private:
    static std::uint32_t number(std::vector<std::string> &names, const std::string &name)
    {
        const auto found = std::ranges::find(names, name);
        const auto place = static_cast<std::uint32_t>(found - names.begin());
        if (found == names.end())
            names.push_back(name);
        return place;
    }
    std::uint32_t memoryCalled(const std::string &name)
    {
        const auto found = std::ranges::find(made.memory, name, &plan::NamedMemory::name);
        const auto place = static_cast<std::uint32_t>(found - made.memory.begin());
        if (found == made.memory.end()) {
            made.memory.push_back({name, made.allocations.size()});
            made.allocations.push_back({made.allocations.size() + 1, 0, 1});
        }
        return place;
    }
};

// Whether one of the two has to wait for the other.
inline bool conflict(const plan::LaunchedProgram &program, const plan::ProgramLaunch &one,
                     const plan::ProgramLaunch &other)
{
    const auto meet = [&](const std::vector<std::uint32_t> &some, const std::vector<std::uint32_t> &others) {
        return std::ranges::any_of(some, [&](std::uint32_t a) {
            return std::ranges::any_of(others, [&](std::uint32_t b) {
                const std::size_t first = program.memory[a].allocation;
                const std::size_t second = program.memory[b].allocation;
                return a == b || (first != second && program.allocations[first].shares(program.allocations[second]));
            });
        });
    };
    return meet(one.writes, other.writes) || meet(one.writes, other.reads) || meet(one.reads, other.writes);
}

struct NeededWait {
    std::size_t step = 0; // of the program: the wait
    std::uint32_t first = 0;
    std::uint32_t second = 0;
};

struct ProgramWithWaits {
    plan::LaunchedProgram program;
    std::vector<NeededWait> waits;
};

// The launches of the program, with a wait for each conflict that streams and the other waits do not settle.
inline ProgramWithWaits withNeededWaits(const plan::LaunchedProgram &program)
{
    const auto launches = launchesOf(program);
    const std::size_t count = launches.size();
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
    const auto put = [&](std::size_t a, std::size_t b) { // a before b, and what is before a
        before[a][b] = true;
        for (std::size_t c = 0; c < count; ++c) {
            if (before[c][a])
                before[c][b] = true;
        }
    };
    std::vector<std::vector<std::uint32_t>> waits(count); // for earlier launches
    std::vector<bool> isWaitedFor(count);
    for (std::uint32_t b = 0; b < count; ++b) {
        for (std::uint32_t a = 0; a < b; ++a) {
            if (launches[a]->stream == launches[b]->stream)
                put(a, b);
        }
        for (std::uint32_t a = b; a-- > 0;) {
            if (before[a][b] || !conflict(program, *launches[a], *launches[b]))
                continue;
            put(a, b);
            waits[b].push_back(a);
            isWaitedFor[a] = true;
        }
    }
    ProgramWithWaits made;
    made.program = program;
    made.program.steps.clear();
    made.program.events.clear();
    std::map<std::uint32_t, std::uint32_t> events;
    for (std::uint32_t b = 0; b < count; ++b) {
        for (const std::uint32_t a : waits[b]) {
            made.waits.push_back({made.program.steps.size(), a, b});
            made.program.steps.emplace_back(plan::EventWait{launches[b]->stream, events[a]});
        }
        made.program.steps.emplace_back(*launches[b]);
        if (!isWaitedFor[b])
            continue;
        events[b] = static_cast<std::uint32_t>(made.program.events.size());
        made.program.events.push_back("event" + std::to_string(b));
        made.program.steps.emplace_back(plan::EventRecord{launches[b]->stream, events[b]});
    }
    return made;
}

inline plan::LaunchedProgram withoutStep(plan::LaunchedProgram program, std::size_t step)
{
    program.steps.erase(program.steps.begin() + static_cast<std::ptrdiff_t>(step));
    return program;
}

// Launches on some streams that write and read tensors, some of them in shared bytes, and scratch memory. What is read
// is what was written there last.
inline plan::LaunchedProgram randomLaunches(std::mt19937 &random)
{
    const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
    plan::LaunchedProgram program;
    const std::uint32_t streams = 1 + below(4);
    for (std::uint32_t i = 0; i < streams; ++i)
        program.streams.push_back("s" + std::to_string(i));
    const std::uint32_t memories = 4 + below(10);
    for (std::uint32_t i = 0; i < memories; ++i) {
        const bool isShared = below(3) > 0;
        const std::size_t begin = isShared ? below(16) : 0;
        program.memory.push_back({"m" + std::to_string(i), program.allocations.size(), below(5) == 0});
        program.allocations.push_back({isShared ? 0 : i + 1, begin, begin + 1 + below(4)});
    }
    std::vector<std::uint32_t> last(memories, 0); // launch that wrote, from 1
    const std::uint32_t launches = 3 + below(16);
    for (std::uint32_t launch = 1; launch <= launches; ++launch) {
        plan::ProgramLaunch step{"k" + std::to_string(launch), below(streams)};
        const auto shares = [&](std::uint32_t a, std::uint32_t b) {
            return a != b && program.allocations[a].shares(program.allocations[b]);
        };
        for (std::uint32_t i = 0; i < memories; ++i) {
            bool isLast = true; // nothing else was written into its bytes since
            for (std::uint32_t j = 0; j < memories; ++j)
                isLast = isLast && !(shares(i, j) && last[j] > 0 && last[j] >= last[i]);
            if (!program.memory[i].isWorkspace && isLast && below(4) == 0)
                step.reads.push_back(i);
        }
        const std::uint32_t written = below(memories);
        if (std::ranges::none_of(step.reads, [&](std::uint32_t i) { return shares(i, written); })) {
            step.writes.push_back(written);
            last[written] = launch;
        }
        program.steps.emplace_back(step);
    }
    return program;
}

} // namespace stagecraft::test
