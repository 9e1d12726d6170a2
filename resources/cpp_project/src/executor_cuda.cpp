// Runs the schedule on an NVIDIA GPU: cuDNN and kernels of this project, captured as one CUDA graph with a branch for
// each group of a stage, or for each stream.

#include "executor.h"

#include "gpu/device/program.h"

#include <algorithm>

namespace stagecraft_model {
namespace {

using engine::TensorId;
using engine::gpu::requireCuda;

engine::gpu::GpuOptions gpuOptions(const Options &options)
{
    engine::gpu::GpuOptions gpu;
    gpu.device = options.device;
    gpu.fewEngines = options.quick;
    return gpu;
}

class CudaExecutor : public Executor {
public:
    explicit CudaExecutor(const Options &options) : m_options(gpuOptions(options)) {}

    std::optional<Error> use(const std::function<std::optional<Error>()> &body) override
    {
        if (m_lost)
            return Error{"the GPU failed before: this process has to end before it can be used again"};
        const auto done = engine::gpu::guarded(m_lost, [&]() -> engine::Result<std::optional<Error>> {
            requireCuda(cudaSetDevice(m_options.device), "choosing the GPU"); // a thread has a GPU of its own
            return body();
        });
        return done ? *done : errorFrom(done.error());
    }

    std::optional<Error> load(const engine::NetworkBuilder &network) override
    {
        m_context = std::make_unique<engine::gpu::GpuContext>(network.graph(), m_options);
        auto program = engine::gpu::Program::compile(*m_context, network.schedule());
        if (!program)
            return errorFrom(program.error());
        m_program = std::move(*program);
        m_program->poison(); // what is read before it is written becomes visible
        m_graph = engine::gpu::instantiated(m_program->capture(1));
        return {};
    }

    void write(TensorId input, std::span<const float> values) override
    {
        const std::vector<TensorId> &outside = m_program->plan().plan.outside;
        if (std::ranges::find(outside, input) != outside.end()) // else nobody reads it
            m_program->write(input, values);
    }

    std::optional<Error> run() override
    {
        requireCuda(cudaGraphLaunch(m_graph.get(), m_context->stream(0)), "launching the graph");
        requireCuda(cudaStreamSynchronize(m_context->stream(0)), "running the network");
        return {};
    }

    std::vector<float> read(TensorId output) override { return m_program->read(output); }

private:
    engine::gpu::GpuOptions m_options;
    std::unique_ptr<engine::gpu::GpuContext> m_context;
    std::unique_ptr<engine::gpu::Program> m_program;
    engine::gpu::CudaGraphExec m_graph;
    bool m_lost = false; // nothing works on this GPU any more
};

} // namespace

std::unique_ptr<Executor> makeExecutor(const Options &options)
{
    return std::make_unique<CudaExecutor>(options);
}

} // namespace stagecraft_model
