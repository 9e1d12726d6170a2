#include "gpu/device/event_timer.h"

namespace stagecraft::gpu {

EventTimer::EventTimer() : m_start(makeEvent(true)), m_stop(makeEvent(true)) {}

void EventTimer::start(cudaStream_t stream)
{
    requireCuda(cudaEventRecord(m_start.get(), stream), "timing");
}

double EventTimer::stopUs(cudaStream_t stream)
{
    requireCuda(cudaEventRecord(m_stop.get(), stream), "timing");
    requireCuda(cudaEventSynchronize(m_stop.get()), "running");
    float milliseconds = 0;
    requireCuda(cudaEventElapsedTime(&milliseconds, m_start.get(), m_stop.get()), "timing");
    return 1000.0 * static_cast<double>(milliseconds);
}

double EventTimer::replaysUs(const CudaGraphExec &graph, cudaStream_t stream, int number)
{
    // The first replay is untimed: the host submits the others while it runs. On an idle GPU the start event would be
    // recorded at once, and the host's time per launch, which grows with the nodes of the graph, would count.
    requireCuda(cudaGraphLaunch(graph.get(), stream), "launching a graph");
    start(stream);
    for (int i = 0; i < number; ++i)
        requireCuda(cudaGraphLaunch(graph.get(), stream), "launching a graph");
    return stopUs(stream);
}

} // namespace stagecraft::gpu
