#include "device/cpu/thread_affinity.h"

#include <omp.h>
#include <sched.h>

namespace stagecraft::cpu {
namespace {

void pinThread(std::span<const int> processors)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : processors)
        CPU_SET(processor, &set);
    (void)sched_setaffinity(0, sizeof set, &set); // only the calling thread
}

} // namespace

std::vector<int> usableProcessors()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> processors;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return processors;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &set))
            processors.push_back(processor);
    }
    return processors;
}

void pinTeam(std::span<const int> processors)
{
#pragma omp parallel num_threads(static_cast <int>(processors.size()))
    pinThread(processors.subspan(static_cast<std::size_t>(omp_get_thread_num()), 1));
}

TeamAffinity::TeamAffinity(std::span<const int> processors) : m_width(static_cast<int>(processors.size()))
{
    if (processors.empty())
        return;
    m_before = usableProcessors();
    pinTeam(processors);
}

TeamAffinity::~TeamAffinity()
{
    if (m_before.empty())
        return;
#pragma omp parallel num_threads(m_width)
    pinThread(m_before);
}

} // namespace stagecraft::cpu
