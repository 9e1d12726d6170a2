#include "gpu/session/profiler.h"

#include "gpu/device/stopwatch.h"
#include "gpu/profile/counter_sampler.h"
#include "gpu/profile/kernel_tracer.h"
#include "gpu/profile/occupancy.h"

#include <chrono>

namespace stagecraft::gpu {
namespace {

constexpr int kWarmup = 3;

// A program in the form in which it is deployed.
class Runner {
public:
    Runner(GpuContext &context, Program &program, const Program::Observer &before)
        : m_context(context), m_program(program), m_before(before)
    {
        if (context.options().mode == Mode::Graph)
            m_graph = instantiated(program.capture(1, before));
    }

    void operator()()
    {
        if (m_graph)
            requireCuda(cudaGraphLaunch(m_graph.get(), m_context.stream(0)), "launching a graph");
        else
            m_program.run(m_before);
        requireCuda(cudaDeviceSynchronize(), "running the schedule");
    }

private:
    GpuContext &m_context;
    Program &m_program;
    Program::Observer m_before;
    CudaGraphExec m_graph; // empty in streams mode
};

std::vector<KernelRecord> traced(const Cupti &cupti, GpuContext &context, Program &program, TaskMap &tasks)
{
    KernelTracer tracer(cupti, tasks);
    Runner run(context, program, [&](std::size_t task) {
        if (task < program.plan().tasks.size())
            tasks.begin(task);
        else
            tasks.end();
    });
    for (int i = 0; i < kWarmup; ++i)
        run();
    tracer.start();
    run();
    return tracer.finish();
}

void addSampledRun(const Cupti &cupti, GpuContext &context, Program &program, const cudaDeviceProp &properties,
                   Timeline &timeline)
{
    Runner run(context, program, {});
    run();
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    try {
        const SampledRun sampled = sampleCounters(cupti, context.options().device, took.count(), [&run] { run(); });
        const SampledMaxima maxima{static_cast<double>(properties.multiProcessorCount) *
                                       properties.maxThreadsPerMultiProcessor / properties.warpSize,
                                   0};
        addSampled(timeline, sampled.samples, sampled.intervalNs, kSampledGapNs, maxima);
        timeline.notes.insert(timeline.notes.end(), sampled.notes.begin(), sampled.notes.end());
    } catch (const Failure &failure) {
        if (failure.fatal)
            throw;
        timeline.notes.push_back(failure.error.message + "; the active warps shown are modelled");
    }
}

double untracedUs(GpuContext &context, Program &program)
{
    Stopwatch stopwatch(context, program, 1);
    stopwatch.wakeUp({});
    return stopwatch.medianUs();
}

} // namespace

Result<Timeline> profile(GpuContext &context, Program &program, const Schedule &schedule)
{
    const Result<Cupti> &library = cupti();
    TRY(library);
    cudaDeviceProp properties{};
    requireCuda(cudaGetDeviceProperties(&properties, context.options().device), "reading the GPU's properties");
    const double beforeUs = untracedUs(context, program); // a profiler may slow down what runs after it
    TaskMap tasks;
    Timeline timeline = tracedTimeline(context.graph(), program.plan(), traced(*library, context, program, tasks),
                                       tasks, smLimitsOf(properties), schedule);
    if (timeline.kernels.empty() && !program.plan().tasks.empty())
        return fail(ErrorCode::DeviceFailed, "CUPTI recorded no kernels of the run",
                    "check whether another profiler is attached");
    addUntraced(timeline, beforeUs);
    addSampledRun(*library, context, program, properties, timeline);
    return timeline;
}

} // namespace stagecraft::gpu
