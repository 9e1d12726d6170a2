#include "gpu/session/gpu_session.h"

#include "device/executing/session_steps.h"
#include "gpu/device/stage_tuning.h"
#include "gpu/device/stopwatch.h"
#include "gpu/session/engine_memory.h"
#include "gpu/session/profiler.h"
#include "schedule/rtasks/require_unfused.h"
#include "schedule/verify.h"

#include <algorithm>
#include <chrono>
#include <iostream>

namespace stagecraft::gpu {
namespace {

constexpr int kStageRepeats = 8;     // runs of a stage within one graph
constexpr double kShortestUs = 0.01; // a latency is greater than zero, even for a stage without tasks

MeasurementOptions stageMeasurement()
{
    MeasurementOptions options;
    options.warmup = 2;
    options.minSampleUs = 20; // a replay already has several runs
    options.budget = std::chrono::milliseconds(50);
    return options;
}

MeasurementOptions scheduleMeasurement()
{
    MeasurementOptions options;
    options.warmup = 5;
    options.minRepeat = 15;
    options.maxRepeat = 1000;
    options.minSampleUs = 2000; // several replays in a row: their launches overlap
    options.budget = std::chrono::milliseconds(1000);
    return options;
}

class GpuSession : public DeviceSession, public Executor, public WorkspaceSource, public LocalHardware {
public:
    GpuSession(std::unique_ptr<GpuContext> context, Clocks clocks, std::string busId,
               std::shared_ptr<TunedConvFile> engines)
        : m_context(std::move(context)), m_tuner(*m_context), m_clocks(std::move(clocks)), m_busId(std::move(busId)),
          m_engines(std::move(engines))
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        TRY(verifyStage(m_context->graph(), question.stage));
        TRY(requireUnfused(question.stage, name()));
        return measure(Schedule{.stages = {question.stage}}, kStageRepeats, stageMeasurement(), std::move(stop))
            .map([](Timing timing) {
                return StageLatency{std::move(timing), LatencyKind::Measured};
            });
    }

    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        TRY(verifyRunnable(m_context->graph(), schedule));
        TRY(requireUnfused(schedule.stages, name()));
        return measure(schedule, 1, scheduleMeasurement(), std::move(stop)).map([](Timing timing) {
            return ScheduleLatency{std::move(timing)};
        });
    }

    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        return guardedHere(stop, [&]() -> Result<Timeline> {
            TRY(verifyRunnable(m_context->graph(), schedule));
            TRY(requireUnfused(schedule.stages, name()));
            TRY_AS(const auto program, compiled(schedule));
            program->fillOutside();
            m_wasProfiled = true;
            auto timeline = profile(*m_context, *program, schedule);
            if (timeline)
                timeline->device = toId(m_context->options());
            return timeline;
        });
    }

    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        return guardedHere(stop, [&]() -> Result<std::vector<HostTensor>> {
            TRY(verifyRunnable(m_context->graph(), schedule));
            TRY(requireUnfused(schedule.stages, name()));
            TRY_AS(const auto program, compiled(schedule));
            program->poison();
            TRY(writeInputs(*program, inputs));
            if (m_context->options().mode == Mode::Graph) {
                const CudaGraphExec graph = instantiated(program->capture(1));
                requireCuda(cudaGraphLaunch(graph.get(), m_context->stream(0)), "launching a graph");
                requireCuda(cudaStreamSynchronize(m_context->stream(0)), "running the schedule");
            } else {
                program->run();
                requireCuda(cudaDeviceSynchronize(), "running the schedule");
            }
            const Graph &graph = m_context->graph();
            std::vector<HostTensor> outputs;
            for (const TensorId output : graph.outputs())
                outputs.push_back({graph.tensor(output).name, graph.tensor(output).shape, program->read(output)});
            return outputs;
        });
    }

    Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) override
    {
        return guardedHere(stop, [&]() -> Result<std::vector<std::size_t>> {
            TRY(verifyStage(m_context->graph(), stage));
            TRY(requireUnfused(stage, name()));
            TRY_AS(const auto program, compiled(Schedule{.stages = {stage}}));
            return program->plan().plan.workspaceBytes().front();
        });
    }

    bool isNoisy() const override { return true; }
    // In streams mode the host's launches of an operator hide behind the kernels of the one before; with an empty
    // cache, only the first operator of a group reads from memory.
    bool chainsAddUp() const override
    {
        return m_context->options().mode == Mode::Graph && !m_context->options().flushL2;
    }
    Executor *executor() override { return this; }
    WorkspaceSource *workspace() override { return this; }
    const LocalHardware *hardware() const override { return this; }
    std::string name() const override { return "gpu-" + m_busId; }
    bool isBroken() const override { return m_lost; }
    bool wasProfiled() const override { return m_wasProfiled; }

private:
    [[nodiscard]] Result<std::unique_ptr<Program>> compiled(const Schedule &schedule)
    {
        auto program =
            m_context->options().tuneInStage ? m_tuner.compile(schedule) : Program::compile(*m_context, schedule);
        tell(m_engines->takeNotice());
        return program;
    }

    static void tell(const std::string &news)
    {
        if (!news.empty())
            std::cerr << "stagecraft: " << news << '\n';
    }

    template <typename Body>
    auto guardedHere(const std::stop_token &stop, const Body &body) -> decltype(body())
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        return guarded(m_lost, body);
    }

    Result<Timing> measure(const Schedule &schedule, int repeats, const MeasurementOptions &options,
                           std::stop_token stop)
    {
        return guardedHere(stop, [&]() -> Result<Timing> {
            TRY_AS(const auto program, compiled(schedule));
            program->fillOutside();
            Stopwatch stopwatch(*m_context, *program, repeats);
            stopwatch.wakeUp(stop);
            auto watched = options;
            watched.clocks = [this] { return m_clocks.read(); };
            auto timing = measureAdaptively([&](int number) -> Result<double> { return stopwatch.timeUs(number); },
                                            watched, stop);
            if (timing) {
                timing->latencyUs = std::max(timing->latencyUs, kShortestUs);
                timing->meanUs = std::max(timing->meanUs, kShortestUs);
                tell(m_clocks.news());
            }
            return timing;
        });
    }

    Result<void> writeInputs(Program &program, const std::vector<HostTensor> &inputs) const
    {
        const Graph &graph = m_context->graph();
        for (const TensorId tensor : program.plan().plan.outside) {
            TRY_AS(const auto given, inputFor(graph.tensor(tensor), inputs));
            program.write(tensor, given->values);
        }
        return {};
    }

    std::unique_ptr<GpuContext> m_context;
    StageTuner m_tuner;
    ClockWatch m_clocks;
    std::string m_busId;
    std::shared_ptr<TunedConvFile> m_engines;
    bool m_wasProfiled = false;
    bool m_lost = false;
};

} // namespace

Result<std::unique_ptr<DeviceSession>> openGpuSession(std::shared_ptr<const Graph> graph, const GpuOptions &options,
                                                      const DeviceInfo &info, Clocks clocks, std::string busId)
{
    bool lost = false;
    return guarded(lost, [&]() -> Result<std::unique_ptr<DeviceSession>> {
        auto engines = engineMemory(info, options);
        auto context = std::make_unique<GpuContext>(std::move(graph), options, engines);
        return std::make_unique<GpuSession>(std::move(context), std::move(clocks), std::move(busId),
                                            std::move(engines));
    });
}

} // namespace stagecraft::gpu
