#include "gpu/device/stopwatch.h"

namespace stagecraft::gpu {

Stopwatch::Stopwatch(GpuContext &context, Program &program, int repeats)
    : m_context(context), m_program(program),
      m_repeats(context.options().mode == Mode::Streams || context.options().flushL2 ? 1 : repeats),
      m_start(makeEvent(true)), m_stop(makeEvent(true))
{
    if (context.options().mode == Mode::Graph)
        m_graph = instantiated(program.capture(m_repeats));
}

void Stopwatch::runOnce()
{
    if (m_graph)
        requireCuda(cudaGraphLaunch(m_graph.get(), m_context.stream(0)), "launching a graph");
    else
        m_program.run();
}

double Stopwatch::elapsedUs() const
{
    requireCuda(cudaEventSynchronize(m_stop.get()), "running");
    float milliseconds = 0;
    requireCuda(cudaEventElapsedTime(&milliseconds, m_start.get(), m_stop.get()), "timing");
    return 1000.0 * static_cast<double>(milliseconds);
}

double Stopwatch::timeUs(int number)
{
    cudaStream_t stream = m_context.stream(0);
    if (!m_context.options().flushL2) {
        requireCuda(cudaEventRecord(m_start.get(), stream), "timing");
        for (int i = 0; i < number; ++i)
            runOnce();
        requireCuda(cudaEventRecord(m_stop.get(), stream), "timing");
        return elapsedUs() / m_repeats;
    }
    double sum = 0;
    for (int i = 0; i < number; ++i) {
        m_context.flushL2();
        requireCuda(cudaEventRecord(m_start.get(), stream), "timing");
        runOnce();
        requireCuda(cudaEventRecord(m_stop.get(), stream), "timing");
        sum += elapsedUs();
    }
    return sum;
}

} // namespace stagecraft::gpu
