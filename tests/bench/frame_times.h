#pragma once

// The times of many frames: wall time, and CPU time of the thread, which other load on the machine does not affect.

#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace stagecraft::bench {

// Of this thread, or of all threads.
inline double cpuMs(clockid_t clock = CLOCK_THREAD_CPUTIME_ID)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class FrameTimes {
public:
    // Calls draw(0) to draw(frames - 1).
    template <typename Draw>
    FrameTimes(int frames, Draw &&draw)
    {
        for (int frame = 0; frame < frames; ++frame) {
            QElapsedTimer timer;
            timer.start();
            const double before = cpuMs();
            draw(frame);
            m_cpuMs.push_back(cpuMs() - before);
            m_wallMs.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
        std::ranges::sort(m_cpuMs);
        std::ranges::sort(m_wallMs);
    }

    void print(const char *what) const
    {
        std::printf("%-36s of the thread: median %6.2f ms, 95 %% %6.2f ms, longest %6.2f ms; wall: 95 %% %6.2f ms\n",
                    what, m_cpuMs[m_cpuMs.size() / 2], m_cpuMs[m_cpuMs.size() * 95 / 100], m_cpuMs.back(),
                    m_wallMs[m_wallMs.size() * 95 / 100]);
        std::fflush(stdout);
    }

private:
    std::vector<double> m_cpuMs;
    std::vector<double> m_wallMs;
};

} // namespace stagecraft::bench
