#pragma once

// The threads that run the groups of a stage concurrently, kept from one stage to the next.
//
// Lane 0 is the calling thread: a further, dispatching thread on two cores doubles the latency of small stages. Lanes
// of one core each are the threads of the caller's OpenMP team, the same that run an operator on all cores, so no
// second set of threads competes with them. Wider lanes have threads of their own, each with an OpenMP team of its
// width, kept on the processors that follow those of the lanes before. The caller places its own team; threads that
// join it again later are placed here.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace stagecraft::cpu {

// How many cores each lane of a stage gets: `groups` lanes, or as many as there are cores; cores are dealt out evenly,
// the first lanes get the remainder.
[[nodiscard]] std::vector<int> laneWidths(std::size_t groups, int cores);

class LaneTeam {
public:
    // Without processors, threads run where the system puts them.
    explicit LaneTeam(std::vector<int> processors = {});
    ~LaneTeam();

    // Calls body(lane) once per lane, each with its OpenMP width set; returns when all have returned. The body does not
    // throw. Call it from one thread at a time.
    void run(std::span<const int> widths, const std::function<void(std::size_t)> &body);

    // Calls body(thread, threads) on `width` threads of one core each that run at the same time; `threads` of them,
    // fewer where OpenMP gives no more. The same threads as for so many lanes of one core.
    void runTogether(int width, const std::function<void(std::size_t, std::size_t)> &body);

private:
    class Thread;
    void pinNewThreads(int width);

    std::vector<int> m_processors;
    int m_width; // width of the caller's team when it last ran
    std::vector<std::unique_ptr<Thread>> m_threads;
};

} // namespace stagecraft::cpu
