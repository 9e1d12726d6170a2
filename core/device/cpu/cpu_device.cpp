#include "device/cpu/cpu_device.h"

#include "device/cpu/cpu_timeline.h"
#include "device/cpu/onednn/convolution_trials.h"
#include "device/cpu/onednn/evaluated.h"
#include "device/cpu/onednn/program.h"
#include "device/cpu/processor.h"
#include "device/cpu/thread_affinity.h"
#include "device/executing/session_steps.h"
#include "operators/parameter_values.h"
#include "schedule/rtasks/verify_rprogram.h"
#include "schedule/stage_groups.h"
#include "schedule/verify.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <omp.h>
#include <random>

namespace stagecraft {
namespace {

using cpu::EmitContext;
using cpu::Program;

constexpr int kTracedRuns = 9;
// Part of the fingerprint. Raise it when a change of this code changes latencies, so that stored ones are not used any
// more.
constexpr int kExecutionVersion = 4;

// One processor per core; empty if this process may not use that many.
std::vector<int> processorsFor(int cores)
{
    std::vector<int> processors = cpu::usableProcessors();
    const auto count = static_cast<std::size_t>(cores);
    processors.resize(processors.size() < count ? 0 : count);
    return processors;
}

class CpuSession : public DeviceSession,
                   public Executor,
                   public WorkspaceSource,
                   public LocalHardware,
                   public KernelTuner {
public:
    CpuSession(std::unique_ptr<EmitContext> context, const CpuOptions &options)
        : m_context(std::move(context)), m_options(options), m_processors(processorsFor(options.cores)),
          m_team(m_processors)
    {
    }

    Executor *executor() override { return this; }
    WorkspaceSource *workspace() override { return this; }
    KernelTuner *tuner() override { return this; }
    const LocalHardware *hardware() const override { return this; }
    std::string name() const override { return "cpu"; }
    bool isNoisy() const override { return true; }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override
    {
        TRY(verifyStage(*m_context->graph, question.stage));
        return measure({{question.stage}}, m_options.stage, std::move(stop)).map([](Timing timing) {
            return StageLatency{std::move(timing), LatencyKind::Measured};
        });
    }

    Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) override
    {
        TRY(verifyRunnable(*m_context->graph, schedule));
        return measure(schedule, m_options.schedule, std::move(stop)).map([](Timing timing) {
            return ScheduleLatency{std::move(timing)};
        });
    }

    // Returns the run of median length out of several.
    Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) override
    {
        TRY(verifyRunnable(*m_context->graph, schedule));
        TRY_AS(auto program, readyToRun(schedule));
        const cpu::TeamAffinity placed(m_processors);
        std::vector<cpu::Trace> traces;
        for (int run = 0; run < kTracedRuns; ++run) {
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "stopped");
            traces.push_back(program->trace(m_team));
        }
        const auto middle = traces.begin() + std::ssize(traces) / 2;
        std::ranges::nth_element(traces, middle, {}, &cpu::Trace::duration);
        return cpu::timelineFrom(*middle, *m_context->graph, m_options.cores);
    }

    Result<std::vector<TunableKernel>> tunableKernels(std::stop_token stop) override
    {
        TRY(findCases(stop));
        std::vector<TunableKernel> kernels;
        for (const cpu::ConvolutionCase &one : m_cases) {
            const auto same =
                std::ranges::find_if(kernels, [&](const TunableKernel &kernel) { return kernel.key == one.key; });
            if (same != kernels.end())
                same->operators.push_back(one.op);
            else
                kernels.push_back(
                    {one.key, {one.op}, cpu::tileAxes(one), cpu::featuresOf(one), cpu::flopsOf(one.tiled)});
        }
        return kernels;
    }

    Result<KernelTrial> tryKernel(const std::string &key, const KernelParameters &parameters, int rounds,
                                  std::stop_token stop) override
    {
        TRY(findCases(stop));
        const auto found =
            std::ranges::find_if(m_cases, [&](const cpu::ConvolutionCase &one) { return one.key == key; });
        const auto tiles = found == m_cases.end() ? std::nullopt : cpu::tilesFrom(found->tiled, parameters);
        if (!tiles || rounds < 1)
            return fail(ErrorCode::WrongUse, "cpu has no such kernel for this model: " + key);
        const cpu::TeamAffinity placed(m_processors);
        const int width = omp_get_max_threads();
        omp_set_num_threads(found->threads);
        Result<KernelTrial> trial = tried(*found, *tiles, rounds, stop);
        omp_set_num_threads(width);
        return trial;
    }

    Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        TRY(verifyStage(*m_context->graph, stage));
        TRY_AS(const auto program, compile({{stage}}));
        return program->workspaceBytes().front();
    }

    Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                        std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        const Graph &graph = *m_context->graph;
        TRY(verifyRunnable(*m_context->graph, schedule));
        TRY_AS(auto program, compile(schedule, true));
        if (const Result<void> written = writeInputs(*program, inputs); !written)
            return tl::unexpected(written.error());
        if (m_options.poisonsFreed)
            program->poisonFreed();
        const cpu::TeamAffinity placed(m_processors);
        if (const Result<void> done = program->run(m_team); !done)
            return tl::unexpected(done.error());
        std::vector<HostTensor> outputs;
        for (const TensorId output : graph.outputs()) {
            const Tensor &tensor = graph.tensor(output);
            HostTensor &made = outputs.emplace_back(HostTensor{tensor.name, Shape{program->dims(output)}, {}});
            if (cpu::isHeldAsFloats(tensor.type)) {
                made.values = program->read(output); // rounded to the type already
                made = asType(std::move(made), tensor.type);
            } else {
                made.type = tensor.type;
                made.bytes = program->readBytes(output);
            }
        }
        return outputs;
    }

private:
    // The convolutions of the graph on all cores and on one, as stages of one operator and lanes run them.
    Result<void> findCases(const std::stop_token &stop)
    {
        if (m_hasCases)
            return {};
        const Graph &graph = *m_context->graph;
        m_context->onTunable = [this](const cpu::ConvolutionCase &one) { m_cases.push_back(one); };
        Result<void> done;
        for (std::size_t i = 0; i < graph.size() && done; ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            if (graph.op(id).kind != OperatorKind::Conv && graph.op(id).kind != OperatorKind::SepConv)
                continue;
            for (const int cores : m_options.cores > 1 ? std::vector{m_options.cores, 1} : std::vector{1}) {
                Stage stage;
                stage.groups = {{id}};
                auto compiled = Program::compile(*m_context, {{stage}}, cores);
                if (!compiled)
                    done = tl::unexpected(compiled.error());
                if (stop.stop_requested())
                    done = fail(ErrorCode::Cancelled, "stopped");
            }
        }
        m_context->onTunable = nullptr;
        m_hasCases = done.has_value();
        if (!done)
            m_cases.clear();
        return done;
    }

    Result<KernelTrial> tried(const cpu::ConvolutionCase &what, const cpu::ConvolutionTiles &tiles, int rounds,
                              const std::stop_token &stop)
    {
        try {
            if (!m_trials || m_trials->key() != what.key)
                m_trials = std::make_unique<cpu::ConvolutionTrials>(m_context->engine, what);
            return m_trials->attempt(tiles, rounds, stop);
        } catch (const dnnl::error &error) {
            return fail(ErrorCode::DeviceFailed, "oneDNN does not run " + what.key + ": " + error.what());
        }
    }

    Result<std::unique_ptr<Program>> compile(const Schedule &schedule, bool isForValues = false)
    {
        m_context->isForValues = isForValues;
        auto program = Program::compile(*m_context, schedule, m_options.cores);
        TRY(program);
        for (const Stage &stage : schedule.stages) {
            for (const OperatorId id : operatorsOf(stage)) {
                TRY(checkFault(id));
            }
        }
        for (const StreamLaunch &launch : schedule.streams ? schedule.streams->launches : std::vector<StreamLaunch>()) {
            for (const OperatorId id : launch.operators) {
                TRY(checkFault(id));
            }
        }
        return program;
    }

    [[nodiscard]] Result<void> checkFault(OperatorId id) const
    {
        const Operator &op = m_context->graph->op(id);
        if (const auto fault = faultOf(op))
            return within("operator " + op.name, *fault);
        return {};
    }

    // Inputs are filled with values in [-1, 1): models do not compute with zeros and denormals.
    Result<std::unique_ptr<Program>> readyToRun(const Schedule &schedule)
    {
        auto program = compile(schedule);
        if (!program)
            return program;
        std::minstd_rand generator(1);
        for (const TensorId tensor : (*program)->outside()) {
            const Tensor &what = m_context->graph->tensor(tensor);
            if (!cpu::isHeldAsFloats(what.type)) // indices and the like: zeros fit anywhere
                continue;
            std::vector<float> values(static_cast<std::size_t>(what.shape.elements()));
            for (float &value : values)
                value = static_cast<float>(generator()) * (2.0F / static_cast<float>(std::minstd_rand::max())) - 1.0F;
            (*program)->write(tensor, values);
        }
        return program;
    }

    Result<Timing> measure(const Schedule &schedule, const MeasurementOptions &options, std::stop_token stop)
    {
        TRY_AS(const auto program, readyToRun(schedule));
        const cpu::TeamAffinity placed(m_processors);
        return measureAdaptively(
            [&](int number) -> Result<double> {
                const auto start = std::chrono::steady_clock::now();
                for (int i = 0; i < number; ++i) {
                    if (const Result<void> done = program->run(m_team); !done)
                        return tl::unexpected(done.error());
                }
                return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
            },
            options, stop);
    }

    Result<void> writeInputs(Program &program, const std::vector<HostTensor> &inputs) const
    {
        const Graph &graph = *m_context->graph;
        for (const TensorId tensor : program.outside()) {
            TRY_AS(const auto given, inputFor(graph.tensor(tensor), inputs));
            const Tensor &what = graph.tensor(tensor);
            if (cpu::isHeldAsFloats(what.type))
                program.write(tensor, asType(*given, DataType::Float32).values);
            else
                program.write(tensor, asType(*given, what.type).bytes);
        }
        return {};
    }

    std::unique_ptr<EmitContext> m_context;
    CpuOptions m_options;
    std::vector<int> m_processors;
    cpu::LaneTeam m_team;
    bool m_hasCases = false;
    std::vector<cpu::ConvolutionCase> m_cases;
    std::unique_ptr<cpu::ConvolutionTrials> m_trials; // of the kernel that was tried last
};

class CpuDevice : public Device {
public:
    explicit CpuDevice(const CpuOptions &options) : m_options(options), m_processor(cpu::thisProcessor())
    {
        if (m_options.cores < 1)
            m_options.cores = m_processor.cores;
    }

    DeviceInfo info() const override
    {
        DeviceInfo info;
        info.id = "cpu";
        info.title =
            fmt::format("{}, {} {}", m_processor.model, m_options.cores, m_options.cores == 1 ? "core" : "cores");
        info.provenance = Provenance::Measured;
        info.facts = {{"processor", m_processor.model},
                      {"cores", std::to_string(m_options.cores)},
                      {"frequency policy", m_processor.frequencyPolicy},
                      {"library", m_processor.library},
                      {"precision", "fp32"}};
        info.fingerprint = fmt::format("cpu;execution={};", kExecutionVersion);
        for (const auto &[name, value] : info.facts)
            info.fingerprint += fmt::format("{}={};", name, value);
        return info;
    }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        try {
            const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
            const Preparing preparing = m_preparing ? m_preparing : [](const std::string &) {};
            TRY_AS(auto tensors, cpu::planTensors(*graph, engine, preparing));
            auto context = std::make_unique<EmitContext>(EmitContext{
                std::move(graph), engine, std::move(tensors), cpu::WeightStore(engine), preparing, cpu::emitEvaluated});
            context->verifyProgram = verifyRProgram;
            context->leastSliceNs = m_options.leastSliceNs;
            context->kernels = m_kernels;
            return std::make_unique<CpuSession>(std::move(context), m_options);
        } catch (const dnnl::error &error) {
            return fail(ErrorCode::DeviceFailed, std::string("oneDNN does not start: ") + error.what());
        }
    }

private:
    CpuOptions m_options;
    cpu::Processor m_processor;
};

} // namespace

std::unique_ptr<Device> makeCpuDevice(const CpuOptions &options)
{
    return std::make_unique<CpuDevice>(options);
}

} // namespace stagecraft
