#include "gpu/device/stopwatch.h"

#include "timing/statistics/means.h"

namespace stagecraft::gpu {
namespace {

constexpr std::chrono::milliseconds kWakeUp{50}; // of work, after which clocks have risen
constexpr int kTimings = 5;                      // of a median

} // namespace

Stopwatch::Stopwatch(GpuContext &context, Program &program, int repeats)
    : m_context(context), m_program(program),
      m_repeats(context.options().mode == Mode::Streams || context.options().flushL2 ? 1 : repeats)
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

void Stopwatch::wakeUp(const std::stop_token &stop)
{
    m_context.warmup().wake(
        kWakeUp, [this] { (void)timeUs(1); }, stop);
}

double Stopwatch::timeUs(int number)
{
    cudaStream_t stream = m_context.stream(0);
    double sum = 0;
    if (m_context.options().flushL2) {
        for (int i = 0; i < number; ++i) {
            m_context.flushL2();
            m_timer.start(stream);
            runOnce();
            sum += m_timer.stopUs(stream);
        }
    } else if (m_graph) {
        sum = m_timer.replaysUs(m_graph, stream, number) / m_repeats;
    } else {
        m_timer.start(stream);
        for (int i = 0; i < number; ++i)
            runOnce();
        sum = m_timer.stopUs(stream);
    }
    m_context.warmup().worked();
    return sum;
}

double Stopwatch::medianUs()
{
    (void)timeUs(1);
    std::vector<double> times(kTimings);
    for (double &time : times)
        time = timeUs(1);
    return medianOf(std::move(times));
}

} // namespace stagecraft::gpu
