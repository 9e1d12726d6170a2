#include "device/cpu/lane_team.h"

#include "device/cpu/thread_affinity.h"

#include <algorithm>
#include <atomic>
#include <omp.h>
#include <thread>

namespace stagecraft::cpu {

std::vector<int> laneWidths(std::size_t groups, int cores)
{
    const std::size_t lanes = std::clamp<std::size_t>(groups, 1, static_cast<std::size_t>(std::max(cores, 1)));
    std::vector<int> widths(lanes, std::max(cores, 1) / static_cast<int>(lanes));
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(std::max(cores, 1)) % lanes; ++lane)
        ++widths[lane];
    return widths;
}

// A thread that waits for bodies to run, with std::atomic's wait: a short spin, then a system call.
class LaneTeam::Thread {
public:
    Thread() : m_thread([this] { serve(); }) {}

    ~Thread()
    {
        m_body = nullptr;
        m_asked.fetch_add(1, std::memory_order_release);
        m_asked.notify_one();
        m_thread.join();
    }

    void start(const std::function<void(std::size_t)> &body, std::size_t lane, int width,
               std::span<const int> processors)
    {
        m_body = &body;
        m_lane = lane;
        m_width = width;
        m_processors = processors;
        m_asked.fetch_add(1, std::memory_order_release);
        m_asked.notify_one();
    }

    void wait()
    {
        const unsigned asked = m_asked.load(std::memory_order_relaxed);
        for (unsigned done = m_done.load(std::memory_order_acquire); done != asked;
             done = m_done.load(std::memory_order_acquire))
            m_done.wait(done, std::memory_order_acquire);
    }

private:
    void serve()
    {
        std::vector<int> placed;
        for (unsigned served = 0;; ++served) {
            m_asked.wait(served, std::memory_order_acquire);
            if (!m_body)
                return;
            if (!std::ranges::equal(placed, m_processors)) {
                placed.assign(m_processors.begin(), m_processors.end());
                pinTeam(placed);
            }
            omp_set_num_threads(m_width);
            (*m_body)(m_lane);
            m_done.fetch_add(1, std::memory_order_release);
            m_done.notify_one();
        }
    }

    const std::function<void(std::size_t)> *m_body = nullptr; // with the three below: published by m_asked
    std::size_t m_lane = 0;
    int m_width = 1;
    std::span<const int> m_processors;
    std::atomic<unsigned> m_asked = 0;
    std::atomic<unsigned> m_done = 0;
    std::thread m_thread;
};

LaneTeam::LaneTeam(std::vector<int> processors)
    : m_processors(std::move(processors)), m_width(static_cast<int>(m_processors.size()))
{
}

LaneTeam::~LaneTeam() = default;

// OpenMP ends the threads that a smaller team does not need. Those it starts again for a larger team begin on the
// calling thread's processor.
void LaneTeam::pinNewThreads(int width)
{
    if (width > m_width && static_cast<std::size_t>(width) <= m_processors.size())
        pinTeam(std::span(m_processors).first(static_cast<std::size_t>(width)));
    m_width = width;
}

void LaneTeam::runTogether(int width, const std::function<void(std::size_t, std::size_t)> &body)
{
    pinNewThreads(width);
#pragma omp parallel num_threads(width)
    body(static_cast<std::size_t>(omp_get_thread_num()), static_cast<std::size_t>(omp_get_num_threads()));
}

void LaneTeam::run(std::span<const int> widths, const std::function<void(std::size_t)> &body)
{
    if (widths.size() == 1) {
        pinNewThreads(widths.front());
        omp_set_num_threads(widths.front());
        body(0);
        return;
    }
    if (std::ranges::all_of(widths, [](int width) { return width == 1; })) {
        const int lanes = static_cast<int>(widths.size());
        pinNewThreads(lanes);
        // Within another team, or where OpenMP is told so, there are fewer threads than lanes.
#pragma omp parallel num_threads(lanes)
        for (int lane = omp_get_thread_num(); lane < lanes; lane += omp_get_num_threads())
            body(static_cast<std::size_t>(lane));
        return;
    }
    while (m_threads.size() + 1 < widths.size())
        m_threads.push_back(std::make_unique<Thread>());
    std::size_t first = static_cast<std::size_t>(widths.front());
    for (std::size_t lane = 1; lane < widths.size(); ++lane) {
        const auto width = static_cast<std::size_t>(widths[lane]);
        const bool placed = first + width <= m_processors.size();
        m_threads[lane - 1]->start(body, lane, widths[lane],
                                   placed ? std::span(m_processors).subspan(first, width) : std::span<const int>());
        first += width;
    }
    pinNewThreads(widths.front());
    omp_set_num_threads(widths.front());
    body(0);
    for (std::size_t lane = 1; lane < widths.size(); ++lane)
        m_threads[lane - 1]->wait();
}

} // namespace stagecraft::cpu
